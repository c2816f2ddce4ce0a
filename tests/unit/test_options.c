/* Option tables: parsing, names of metrics, comparison of requests. And numbers to and from text. */
#include "unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "core/number.h"
#include "core/options.h"

typedef struct sample_options {
    bool flag, extra;
    int count;
    double limit, weight;
    char method[TY_OPTION_STRING_SIZE];
} sample_options;

static const char *const methods[] = {"nearest", "bilinear", NULL};
static const ty_option table[] = {
    {"sample_limit", "lim", TY_OPTION_DOUBLE, TY_OPTION_NAMED, offsetof(sample_options, limit), 100, NULL, 1, 100, NULL, ""},
    {"sample_count", "cnt", TY_OPTION_INT, TY_OPTION_NAMED, offsetof(sample_options, count), 3, NULL, -9, 9, NULL, ""},
    {"sample_flag", "f", TY_OPTION_BOOL, TY_OPTION_NAMED, offsetof(sample_options, flag), 0, NULL, 0, 1, NULL, ""},
    {"sample_method", "pm", TY_OPTION_STRING, TY_OPTION_NAMED, offsetof(sample_options, method), 0, "nearest", 0, 0,
     methods, ""},
    {"debug", NULL, TY_OPTION_BOOL, TY_OPTION_ADDS, offsetof(sample_options, extra), 0, NULL, 0, 1, NULL, ""},
    {"weight", NULL, TY_OPTION_DOUBLE, TY_OPTION_UNNAMED, offsetof(sample_options, weight), 0, NULL, 0, DBL_MAX, NULL, ""},
    {0}};

static sample_options parsed(const char *text) {
    sample_options options = {0};
    ty_error error = {0};
    ty_options_set_defaults(table, &options);
    if (ty_options_parse(table, &options, "sample", text, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    return options;
}

static void defaults_and_values(void **state) {
    (void)state;
    sample_options o = parsed("");
    assert_true(o.limit == 100 && o.count == 3 && !o.flag && !o.extra && o.weight == 0);
    assert_string_equal(o.method, "nearest");
    o = parsed("sample_limit=1.25:sample_count=-4:sample_flag=true:sample_method=bilinear:debug=true:weight=1e300");
    assert_true(o.limit == 1.25 && o.count == -4 && o.flag && o.extra && o.weight == 1e300);
    assert_string_equal(o.method, "bilinear");
    o = parsed("sample_count=1:sample_count=2");
    assert_int_equal(o.count, 2); /* the last one counts */
}

static void refused(const char *text, const char *word) {
    sample_options options = {0};
    ty_error error = {0};
    ty_options_set_defaults(table, &options);
    assert_int_equal(ty_options_parse(table, &options, "sample", text, &error), TALLY_USAGE);
    if (!strstr(error.text, word) || !strstr(error.text, "sample"))
        fail_msg("'%s' does not name '%s'", error.text, word);
}

static void bad_values_name_feature_option_and_value(void **state) {
    (void)state;
    refused("sample_limit=0.5", "sample_limit=0.5");
    refused("sample_limit=101", "from 1 to 100");
    refused("sample_limit=nan", "sample_limit=nan");
    refused("sample_limit=inf", "sample_limit=inf");
    refused("sample_limit=0x10", "sample_limit=0x10");
    refused("sample_limit=", "sample_limit=");
    refused("sample_limit=5 ", "sample_limit=5 ");
    refused("sample_limit=1e999", "sample_limit=1e999");
    refused("sample_count=1.5", "whole number");
    refused("sample_count=10", "from -9 to 9");
    refused("sample_flag=1", "true or false");
    refused("sample_flag=True", "true or false");
    refused("sample_method=cubic", "nearest, bilinear");
    refused("lim=3", "'lim'");
    refused("sample_limit", "has no value");
    refused("sample_limit=2:", "last ':'");
    refused(":sample_limit=2", "has no value");
}

static void long_text_is_refused(void **state) {
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    refused(text, "longer than");
}

static void assert_suffix(const char *text, const char *expected) {
    const sample_options o = parsed(text);
    char suffix[256] = "";
    ty_options_suffix(table, &o, suffix, sizeof suffix);
    assert_string_equal(suffix, expected);
}

static void suffixes_follow_the_byte_order_of_full_names(void **state) {
    (void)state;
    assert_suffix("", "");
    assert_suffix("sample_limit=1.0", "_lim_1");
    assert_suffix("sample_limit=100", "");
    assert_suffix("sample_method=bilinear:sample_limit=1.2500001:sample_flag=true:sample_count=-2",
                  "_cnt_-2_f_lim_1.25_pm_bilinear");
    assert_suffix("debug=true:weight=5", "");
}

static void requests_print_in_full(void **state) {
    (void)state;
    const sample_options o = parsed("sample_limit=1.2500001:debug=true:weight=0.1");
    char text[256], small[12];
    ty_options_print(table, &o, "sample", text, sizeof text);
    assert_string_equal(text, "sample=sample_limit=1.2500001:debug=true:weight=0.1");
    ty_options_print(table, &o, "sample", small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

static ty_options_relation relation(const char *a, const char *b) {
    const sample_options x = parsed(a), y = parsed(b);
    return ty_options_compare(table, &x, &y);
}

static void relations(void **state) {
    (void)state;
    assert_int_equal(relation("", ""), TY_OPTIONS_EQUAL);
    assert_int_equal(relation("sample_limit=2", "sample_limit=2.0"), TY_OPTIONS_EQUAL);
    assert_int_equal(relation("debug=true", ""), TY_OPTIONS_MERGEABLE);
    assert_int_equal(relation("sample_limit=2", ""), TY_OPTIONS_DISTINCT);
    assert_int_equal(relation("weight=2", ""), TY_OPTIONS_CONFLICT);
    assert_int_equal(relation("sample_limit=1.2500001", "sample_limit=1.25"), TY_OPTIONS_CONFLICT);
    assert_int_equal(relation("weight=2:sample_limit=3", ""), TY_OPTIONS_DISTINCT);
    sample_options a = parsed(""), b = parsed("debug=true");
    ty_options_merge(table, &a, &b);
    assert_true(a.extra);
}

static void numbers(void **state) {
    (void)state;
    double value;
    uint64_t whole;
    char text[64];
    assert_true(ty_parse_double("-1.5e-3", &value) && value == -1.5e-3);
    assert_true(ty_parse_double(".5", &value) && value == 0.5);
    assert_true(ty_parse_double("5.", &value) && value == 5);
    static const char *const bad[] = {"", ".", "-", "1e", "1,5", " 1", "1 ", "0x1p3", "nan", "inf", "1.2.3", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ty_parse_double(bad[i], &value));
    assert_true(ty_parse_unsigned("18446744073709551615", UINT64_MAX, &whole) && whole == UINT64_MAX);
    assert_false(ty_parse_unsigned("18446744073709551616", UINT64_MAX, &whole));
    assert_true(ty_parse_unsigned("000", 0, &whole) && whole == 0);
    assert_false(ty_parse_unsigned("1", 0, &whole));
    assert_false(ty_parse_unsigned("-1", UINT64_MAX, &whole));
    assert_false(ty_parse_unsigned("+1", UINT64_MAX, &whole));
    ty_print_shortest(50.0, text, sizeof text);
    assert_string_equal(text, "50");
    ty_print_shortest(0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
    ty_print_shortest(DBL_MAX, text, sizeof text);
    assert_string_equal(text, "1.7976931348623157e+308");
    ty_print_double(1e6, 6, text, sizeof text);
    assert_string_equal(text, "1e+06");
    ty_print_fixed(-2.5, 3, text, sizeof text);
    assert_string_equal(text, "-2.500");
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set) {
        print_message("SKIPPED: no locale with a decimal comma is installed\n");
        skip();
    }
    char text[64];
    double value;
    ty_print_double(1.5, 6, text, sizeof text);
    assert_string_equal(text, "1.5");
    assert_true(ty_parse_double("1.5", &value) && value == 1.5);
    assert_false(ty_parse_double("1,5", &value));
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_values),
        cmocka_unit_test(bad_values_name_feature_option_and_value),
        cmocka_unit_test(long_text_is_refused),
        cmocka_unit_test(suffixes_follow_the_byte_order_of_full_names),
        cmocka_unit_test(requests_print_in_full),
        cmocka_unit_test(relations),
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
