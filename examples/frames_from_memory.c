/* Feeds frames from memory, as an encoder would that compares its output to its input, and prints the PSNR of each. The
 * pictures here are made up: a moving ramp and the same ramp in coarse steps.
 *
 * Build:  cc frames_from_memory.c $(pkg-config --cflags --libs tally) -o frames_from_memory
 */
#include <stdint.h>
#include <stdio.h>

#include <tally/tally.h>

enum { WIDTH = 320, HEIGHT = 180, FRAMES = 5 };

static uint8_t reference[HEIGHT][WIDTH], distorted[HEIGHT][WIDTH];

static void draw(int frame) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            reference[y][x] = (uint8_t)(x + 2 * y + 3 * frame);
            distorted[y][x] = (uint8_t)(reference[y][x] / (4 + frame) * (4 + frame));
        }
}

int main(void) {
    tally_run *run;
    if (tally_run_create(NULL, &run) != TALLY_OK)
        return 1;
    const tally_format format = {WIDTH, HEIGHT, 8, TALLY_PIXEL_FORMAT_400};
    tally_run_add_feature(run, "psnr");
    tally_status status = tally_run_start(run, &format);
    for (int frame = 0; frame < FRAMES && status == TALLY_OK; frame++) {
        draw(frame);
        const tally_picture r = {.data = {reference}, .stride = {WIDTH}};
        const tally_picture d = {.data = {distorted}, .stride = {WIDTH}};
        status = tally_run_submit(run, &r, &d); /* copies: the arrays may be drawn on again */
    }
    if (status == TALLY_OK)
        status = tally_run_finish(run);
    if (status != TALLY_OK)
        fprintf(stderr, "%s\n", tally_run_error(run));
    for (uint64_t frame = 0; frame < FRAMES && status == TALLY_OK; frame++) {
        double psnr;
        if (tally_run_score(run, "psnr_y", frame, &psnr) == TALLY_OK)
            printf("frame %d: %.17g dB\n", (int)frame, psnr);
    }
    tally_run_destroy(run);
    return (int)status;
}
