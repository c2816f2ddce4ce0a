/* tally devices' look at a device whose driver ends the process, fails, or does neither: a backend of planted
 * faults. */
#include "unit.h"

#include <signal.h>
#include <unistd.h>

#include "survey.h"

static enum { IN_COUNT = 1, IN_INSPECT, IN_OPEN, IN_KERNELS, IN_CLOSE, NOWHERE } ends;

static void end_here(int where) {
    if ((int)ends == where)
        raise(SIGABRT);
}

static uint32_t fake_count(char *reason, size_t size) {
    (void)reason, (void)size;
    end_here(IN_COUNT);
    return 2;
}

static tally_status fake_inspect(uint32_t device, ty_device_info *info, ty_error *error) {
    (void)error;
    end_here(IN_INSPECT);
    snprintf(info->name, sizeof info->name, "fake %u", device);
    return TALLY_OK;
}

static tally_status fake_open(const ty_device_request *request, ty_device **device, ty_error *error) {
    end_here(IN_OPEN);
    *device = NULL;
    return request->device == 1 ? ty_fail(error, TALLY_DEVICE, "no driver today") : TALLY_OK;
}

static void fake_close(ty_device *device) {
    (void)device;
    end_here(IN_CLOSE);
}

static const char *fake_level(const ty_device *device) {
    (void)device;
    return "";
}

/* Like a driver whose compiler asserts on the kernels of two rooms, ends the process on those of one, and
 * refuses another's. */
static tally_status fake_find(ty_device *device, const char *room, const char *name,
                              const ty_device_kernel **kernel, ty_error *error) {
    (void)device, (void)name;
    *kernel = NULL;
    if (ends == IN_KERNELS && (strcmp(room, "float_adm") == 0 || strcmp(room, "psnr_hvs") == 0))
        raise(SIGABRT);
    if (ends == IN_KERNELS && strcmp(room, "vif") == 0)
        _exit(3);
    return strcmp(room, "motion") == 0 ? ty_fail(error, TALLY_DEVICE, "too long") : TALLY_OK;
}

static const ty_backend fake = {.name = "fake",
                                .count = fake_count,
                                .inspect = fake_inspect,
                                .open = fake_open,
                                .close = fake_close,
                                .level = fake_level,
                                .find_kernel = fake_find};

static const survey_feature *feature_of(const survey *s, const char *name) {
    for (size_t f = 0; tally_feature_name(f); f++)
        if (strcmp(tally_feature_name(f), name) == 0)
            return &s->features[f];
    fail_msg("there is no feature %s", name);
    return NULL;
}

/* All features but those named, NULL-terminated. */
static void assert_all_run_but(const survey *s, const char *const * not ) {
    for (size_t f = 0; tally_feature_name(f); f++) {
        bool runs = true;
        for (size_t i = 0; not [i]; i++)
            runs = runs && strcmp(not [i], tally_feature_name(f)) != 0;
        if (s->features[f].runs != runs)
            fail_msg("%s: %s", tally_feature_name(f), s->features[f].reason);
    }
}

static void a_sound_driver(void **state) {
    (void)state;
    char reason[256] = "";
    survey s;
    ends = NOWHERE;
    assert_int_equal(survey_count(&fake, reason, sizeof reason), 2);
    survey_device(&fake, 0, &s);
    assert_string_equal(s.info.name, "fake 0");
    assert_string_equal(s.trouble, "");
    assert_all_run_but(&s, (const char *const[]){"motion", NULL});
    assert_string_equal(feature_of(&s, "motion")->reason, "too long");
    survey_device(&fake, 1, &s);
    assert_string_equal(s.trouble, "cannot be opened: no driver today");
}

static void a_driver_that_aborts_on_some_kernels(void **state) {
    (void)state;
    survey s;
    ends = IN_KERNELS;
    survey_device(&fake, 0, &s);
    assert_string_equal(s.trouble, "");
    assert_all_run_but(&s, (const char *const[]){"float_adm", "psnr_hvs", "vif", "motion", NULL});
    assert_non_null(strstr(feature_of(&s, "float_adm")->reason, "the driver ended the program: "));
    assert_string_equal(feature_of(&s, "psnr_hvs")->reason, feature_of(&s, "float_adm")->reason);
    assert_string_equal(feature_of(&s, "vif")->reason, "the driver ended the program with status 3");
    assert_string_equal(feature_of(&s, "motion")->reason, "too long");
}

static void a_driver_that_aborts_elsewhere(void **state) {
    (void)state;
    char reason[256] = "";
    survey s;
    ends = IN_COUNT;
    assert_int_equal(survey_count(&fake, reason, sizeof reason), 0);
    assert_non_null(strstr(reason, "the driver ended the program: "));
    ends = IN_INSPECT;
    survey_device(&fake, 0, &s);
    assert_string_equal(s.info.name, "");
    assert_non_null(strstr(s.trouble, "the driver ended the program: "));
    ends = IN_OPEN;
    survey_device(&fake, 0, &s);
    assert_string_equal(s.info.name, "fake 0");
    assert_non_null(strstr(s.trouble, "the driver ended the program: "));
    ends = IN_CLOSE; /* all was seen by then */
    survey_device(&fake, 0, &s);
    assert_string_equal(s.trouble, "");
    assert_all_run_but(&s, (const char *const[]){"motion", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_driver),
        cmocka_unit_test(a_driver_that_aborts_on_some_kernels),
        cmocka_unit_test(a_driver_that_aborts_elsewhere),
    };
    return cmocka_run_group_tests_name("survey", tests, NULL, NULL);
}
