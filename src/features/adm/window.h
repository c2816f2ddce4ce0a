/* A part of a band, for host code and kernel text of adm and float_adm. */
#ifndef TY_ADM_WINDOW_H
#define TY_ADM_WINDOW_H

/* Columns x0 … x1 - 1 and rows y0 … y1 - 1 of a band: the part that is computed and stored, with x0, y0 at the
 * buffer's start. */
typedef struct adm_window {
    u32 x0, x1, y0, y1;
} adm_window;

#endif
