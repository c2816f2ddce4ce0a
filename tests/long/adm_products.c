/* adm's integer forms against its double forms: adm_products [PAIRS [SEED]], by default 10^8 pairs (about a minute). */
#include <stdbool.h>
#include <stdlib.h>

#include "adm_pairs.h"

int main(int argc, char **argv) {
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
    const uint64_t differing = adm_differing_pairs(count, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    printf("%llu pairs, %llu differ\n", (unsigned long long)count, (unsigned long long)differing);
    return differing != 0;
}
