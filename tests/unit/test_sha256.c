/* SHA-256 against the vectors of FIPS 180-4 and NIST's examples, whole and in pieces of every size. */
#include "core/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void hashed_in_pieces(const char *text, size_t piece, const char *expected) {
    ty_sha256 sha;
    char hex[65];
    ty_sha256_start(&sha);
    for (size_t at = 0, size = strlen(text); at < size; at += piece)
        ty_sha256_add(&sha, text + at, size - at < piece ? size - at : piece);
    ty_sha256_finish(&sha, hex);
    assert_string_equal(hex, expected);
}

static void hashed(const char *text, const char *expected) {
    for (size_t piece = 1; piece <= 130; piece++)
        hashed_in_pieces(text, piece, expected);
}

static void standard_vectors(void **state) {
    (void)state;
    hashed("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hashed("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hashed("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hashed("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
           "mnopqrstnopqrstu",
           "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void a_million_bytes(void **state) {
    (void)state;
    ty_sha256 sha;
    char hex[65], block[1000];
    memset(block, 'a', sizeof block);
    ty_sha256_start(&sha);
    for (int i = 0; i < 1000; i++)
        ty_sha256_add(&sha, block, sizeof block);
    ty_sha256_finish(&sha, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* 55, 56, 63, 64 and 65 bytes: where the padding begins a new block. Computed with Python's hashlib. */
static void lengths_around_a_block(void **state) {
    (void)state;
    static const struct {
        size_t length;
        const char *hex;
    } cases[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[80] = {0};
        memset(text, 'a', cases[i].length);
        hashed(text, cases[i].hex);
    }
}

static void a_score_is_one_line(void **state) {
    (void)state;
    ty_sha256 sha;
    char hex[65], expected[65];
    ty_sha256_start(&sha);
    ty_sha256_add_score(&sha, "psnr_y", 0, 30.5);
    ty_sha256_add_score(&sha, "vmaf", UINT64_MAX, -0.0);
    ty_sha256_finish(&sha, hex);

    const char *lines = "psnr_y 0 403e800000000000\nvmaf 18446744073709551615 8000000000000000\n";
    ty_sha256_start(&sha);
    ty_sha256_add(&sha, lines, strlen(lines));
    ty_sha256_finish(&sha, expected);
    assert_string_equal(hex, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_vectors),
        cmocka_unit_test(a_million_bytes),
        cmocka_unit_test(lengths_around_a_block),
        cmocka_unit_test(a_score_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
