/* libFuzzer target: any text as the request of a feature, and as a number. Nothing may crash, leak or be undefined, and what is
 * accepted must print as a request that is accepted again and means the same. */
#include <stdlib.h>
#include <string.h>

#include "core/instance.h"
#include "core/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void request(const char *text) {
    ty_instances instances = {0}, again = {0};
    ty_error error = {0};
    char printed[4096], reprinted[4096];
    if (ty_instances_request(&instances, text, &error) == TALLY_OK) {
        const ty_instance *i = &instances.items[0];
        ty_options_print(i->feature->options, i->options, i->feature->name, printed, sizeof printed);
        if (ty_instances_request(&again, printed, &error) != TALLY_OK)
            abort();
        ty_options_print(i->feature->options, again.items[0].options, i->feature->name, reprinted, sizeof reprinted);
        if (strcmp(printed, reprinted) != 0)
            abort();
    } else if (!error.text[0]) {
        abort();
    }
    ty_instances_free(&instances);
    ty_instances_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), shortest[64];
    double value, back;
    uint64_t whole;
    memcpy(text, data, size);
    text[size] = 0;
    request(text);
    if (ty_parse_double(text, &value) && value - value == 0) {
        ty_print_shortest(value, shortest, sizeof shortest);
        if (!ty_parse_double(shortest, &back) || back != value)
            abort();
    }
    ty_parse_unsigned(text, 1000, &whole);
    free(text);
    return 0;
}
