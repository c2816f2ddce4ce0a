#include "core/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t x, int right) {
    return x >> right | x << (32 - right);
}

static void expand(uint32_t w[64], const uint8_t block[64]) {
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int t = 16; t < 64; t++) {
        const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void compress(uint32_t state[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    expand(w, block);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t a = v[0], b = v[1], c = v[2], e = v[4], f = v[5], g = v[6];
        const uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        const uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        const uint32_t t1 = v[7] + sum1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        const uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void ty_sha256_start(ty_sha256 *sha) {
    memcpy(sha->state, initial_state, sizeof sha->state);
    sha->length = 0;
}

void ty_sha256_add(ty_sha256 *sha, const void *data, size_t size) {
    const uint8_t *bytes = data;
    while (size > 0) {
        const size_t filled = sha->length % 64;
        const size_t taken = size < 64 - filled ? size : 64 - filled;
        memcpy(sha->block + filled, bytes, taken);
        sha->length += taken;
        bytes += taken;
        size -= taken;
        if (filled + taken == 64)
            compress(sha->state, sha->block);
    }
}

static char *put_hex(char *at, uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--)
        *at++ = "0123456789abcdef"[value >> 4 * i & 15];
    return at;
}

static char *put_decimal(char *at, uint64_t value) {
    char reversed[20];
    size_t count = 0;
    do
        reversed[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count > 0)
        *at++ = reversed[--count];
    return at;
}

void ty_sha256_add_score(ty_sha256 *sha, const char *metric, uint64_t frame, double value) {
    char text[64], *at = text;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *at++ = ' ';
    at = put_decimal(at, frame);
    *at++ = ' ';
    at = put_hex(at, bits, 16);
    *at++ = '\n';
    ty_sha256_add(sha, metric, strlen(metric));
    ty_sha256_add(sha, text, (size_t)(at - text));
}

void ty_sha256_finish(ty_sha256 *sha, char hex[65]) {
    const uint64_t bits = sha->length * 8;
    const uint8_t one = 0x80, zero = 0;
    ty_sha256_add(sha, &one, 1);
    while (sha->length % 64 != 56)
        ty_sha256_add(sha, &zero, 1);
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    ty_sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 8; i++)
        hex = put_hex(hex, sha->state[i], 8);
    *hex = 0;
}
