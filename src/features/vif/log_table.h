/* The table of logs that vif's contributions are made of (spec: vif.md 4.4). */
#ifndef TY_VIF_LOG_TABLE_H
#define TY_VIF_LOG_TABLE_H

#include <stdint.h>

/* T[i], 32768 <= i <= 65535: the float log2(i) times 2048, rounded half away from zero. */
uint32_t ty_vif_log_value(uint32_t i);

/* T in the form the kernels look up; see VIF_LOG_ENTRIES. */
void ty_vif_log_table(uint32_t entries[]);

#endif
