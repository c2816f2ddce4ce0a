/* Scores two files and prints the mean of every metric:
 *
 *   score_files reference.mp4 distorted.mp4
 *
 * Build:  cc score_files.c $(pkg-config --cflags --libs tally) -o score_files
 */
#include <stdio.h>

#include <tally/tally.h>

static void print_warning(void *opaque, tally_log_level level, const char *message) {
    (void)opaque, (void)level;
    fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s REFERENCE DISTORTED\n", argv[0]);
        return TALLY_USAGE;
    }
    const tally_config config = {.log = print_warning};
    tally_run *run;
    tally_status status = tally_run_create(&config, &run);
    if (status != TALLY_OK)
        return (int)status;
    status = tally_run_score_files(run, argv[1], argv[2], NULL);
    if (status != TALLY_OK)
        fprintf(stderr, "%s: %s\n", tally_status_name(status), tally_run_error(run));
    for (size_t i = 0; i < tally_run_metric_count(run); i++) {
        tally_pooled pooled;
        const char *metric = tally_run_metric_name(run, i);
        if (tally_run_pool(run, metric, &pooled) == TALLY_OK)
            printf("%-20s %.6f\n", metric, pooled.mean);
    }
    tally_run_destroy(run);
    return (int)status;
}
