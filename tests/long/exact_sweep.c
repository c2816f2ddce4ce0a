/* Long comparisons of src/exact with MPFR, bit for bit, and of its operations on doubles with the
 * processor's.
 *
 *   exact_sweep NAME COUNT SEED [--jobs N]   COUNT random arguments; NAME is log, log2, log10, exp, pow,
 *                                            log2f or powf, sin or tanh, or kernel_pow, kernel_exp,
 *                                            kernel_sin, kernel_cos, kernel_atan2 or kernel_pow7 of
 *                                            kernel_math.h, or one of unit/kernel_pairs.h
 *   exact_sweep log2f all [--jobs N]         each of the 2^32 floats
 *
 * Prints "NAME: N arguments, M differ"; exit status 1 if any differ, 2 on misuse.
 *
 * Over all floats MPFR alone would take hours. There the C library's double log2 speaks first: unless its
 * value, give or take 2^-36 of itself (65536 times the error that any C library admits to), straddles a
 * midpoint of two floats, it settles the nearest float; otherwise, and for every argument that is not a
 * positive finite number, MPFR does. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/kernel_math_reference.h"
#include "../unit/kernel_pairs.h"

struct tally_of_job {
    uint64_t arguments;
    uint64_t differ;
    uint64_t by_mpfr;
};

static uint64_t log2f_reference(const struct exact_function *f, uint32_t bits, uint64_t *by_mpfr)
{
    if (bits - 1 < UINT32_C(0x7f800000) - 1) {
        const double value = log2((double)ty_from_bits_f(bits));
        const uint32_t low = ty_bits_f((float)(value * (1 - 0x1p-36)));
        const uint32_t high = ty_bits_f((float)(value * (1 + 0x1p-36)));
        if (low == high)
            return low;
    }
    ++*by_mpfr;
    return exact_reference(f, bits, 0);
}

/* Negative floats and NaNs all give NaN, and MPFR says so of each at some cost; -0 and the rest go the same
 * way. */
static struct tally_of_job sweep_log2f(const struct exact_function *f, unsigned job, unsigned jobs)
{
    struct tally_of_job t = {0, 0, 0};
    for (uint64_t x = job; x <= UINT32_MAX; x += jobs) {
        const uint64_t ours = exact_ours(f, x, 0), reference = log2f_reference(f, (uint32_t)x, &t.by_mpfr);
        t.arguments++;
        if (ours != reference && t.differ++ < 5)
            fprintf(stderr, "log2f(%08" PRIx64 "): %08" PRIx64 ", reference %08" PRIx64 "\n", x, ours,
                    reference);
    }
    return t;
}

/* What a name on the command line stands for: one of the three. */
struct subject {
    const struct exact_function *function;
    const struct kernel_function *kernel;
    const struct kernel_pair *pair;
};

static struct tally_of_job run_job(const struct subject *s, bool all, uint64_t count, uint64_t seed,
                                   unsigned job, unsigned jobs)
{
    if (all)
        return sweep_log2f(s->function, job, jobs);
    const uint64_t share = count / jobs + (job < count % jobs);
    const uint64_t own_seed = seed + (uint64_t)job * UINT64_C(0x10001);
    const uint64_t differ = s->pair     ? kernel_pair_differ(s->pair, share, own_seed)
                            : s->kernel ? kernel_compare_random(s->kernel, share, own_seed)
                                        : exact_compare_random(s->function, share, own_seed);
    return (struct tally_of_job){share, differ, share};
}

static bool collect(const int pipe_end, unsigned jobs, struct tally_of_job *sum)
{
    for (unsigned job = 0; job < jobs; job++) {
        struct tally_of_job t;
        if (read(pipe_end, &t, sizeof t) != sizeof t)
            return false;
        sum->arguments += t.arguments;
        sum->differ += t.differ;
        sum->by_mpfr += t.by_mpfr;
    }
    return true;
}

static int usage(void)
{
    fputs("usage: exact_sweep NAME COUNT SEED [--jobs N]\n       exact_sweep log2f all [--jobs N]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    unsigned jobs = 1;
    if (argc >= 3 && strcmp(argv[argc - 2], "--jobs") == 0) {
        jobs = (unsigned)strtoul(argv[argc - 1], NULL, 10);
        argc -= 2;
    }
    struct subject subject = {0};
    if (argc >= 2)
        subject = (struct subject){exact_find(argv[1]), kernel_find(argv[1]), kernel_pair_find(argv[1])};
    const struct exact_function *f = subject.function;
    const bool all = argc == 3 && strcmp(argv[2], "all") == 0;
    if ((!f && !subject.kernel && !subject.pair) || jobs == 0 ||
        (all ? !f || strcmp(f->name, "log2f") != 0 : argc != 4))
        return usage();
    const uint64_t count = all ? 0 : strtoull(argv[2], NULL, 10);
    const uint64_t seed = all ? 0 : strtoull(argv[3], NULL, 10);

    int ends[2];
    if (pipe(ends) != 0) {
        perror("pipe");
        return 2;
    }
    for (unsigned job = 0; job < jobs; job++) {
        const pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 2;
        }
        if (child == 0) {
            const struct tally_of_job t = run_job(&subject, all, count, seed, job, jobs);
            _exit(write(ends[1], &t, sizeof t) == sizeof t ? 0 : 1);
        }
    }
    close(ends[1]);
    struct tally_of_job sum = {0, 0, 0};
    if (!collect(ends[0], jobs, &sum)) {
        fputs("exact_sweep: a job died\n", stderr);
        return 2;
    }
    while (wait(NULL) > 0)
        continue;
    printf("%s: %" PRIu64 " arguments, %" PRIu64 " differ\n", argv[1], sum.arguments, sum.differ);
    if (all)
        printf("%s: MPFR decided %" PRIu64 " of them\n", f->name, sum.by_mpfr);
    return sum.differ != 0;
}
