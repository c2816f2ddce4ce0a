/* SHA-256 (FIPS 180-4), for the digest that stands for all scores of a run. */
#ifndef TY_SHA256_H
#define TY_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct ty_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
} ty_sha256;

void ty_sha256_start(ty_sha256 *sha);
void ty_sha256_add(ty_sha256 *sha, const void *data, size_t size);

/* Adds one line of tally_run_digest(): "metric frame bits\n", bits being 16 hex digits in lower case. */
void ty_sha256_add_score(ty_sha256 *sha, const char *metric, uint64_t frame, double value);

/* Writes 64 hex digits in lower case and a terminating zero. */
void ty_sha256_finish(ty_sha256 *sha, char hex[65]);

#endif
