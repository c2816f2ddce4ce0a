#include "features/vif/log_table.h"

#include <math.h>

#include "exact/math.h"
#include "kernel/types.h"

#include "features/vif/stages.h"

#define PLACES 16
#define NO_STEP 31u

uint32_t ty_vif_log_value(uint32_t i) {
    return (uint32_t)floor((double)ty_log2f((float)i) * 2048.0 + 0.5);
}

/* T grows by less than 1 in 11 values, so by at most 2 within an entry, never by 2 at once. */
void ty_vif_log_table(uint32_t entries[]) {
    for (uint32_t e = 0; e < VIF_LOG_ENTRIES; e++) {
        const uint32_t base = ty_vif_log_value(32768 + PLACES * e);
        uint32_t step[2] = {NO_STEP, NO_STEP}, steps = 0;
        for (uint32_t place = 1; place < PLACES; place++)
            if (ty_vif_log_value(32768 + PLACES * e + place) > base + steps)
                step[steps++] = place;
        entries[e] = base | step[0] << 16 | step[1] << 21;
    }
}
