#include "model/known.h"

#include <string.h>

const ty_known_model ty_known_models[] = {
    {"vmaf_4k_v0.6.1", "73b187001309703c89d57cf58baab01660bd11e4ea6fac62bc064c5f5da6dac8"},
    {"vmaf_4k_v0.6.1neg", "f92048bf94401a5b915f551eb248709275c61df5f20d062a3ae010dcf4d4e8fc"},
    {"vmaf_b_v0.6.3", "34f620dbaff662fe7d33dd80326553c2cc3910e4135349ba4c367171d3a3cfbd"},
    {"vmaf_float_4k_v0.6.1", "2af34f3068174720a35126807dbe8d0b19c5143fee328a9fc2331c15c54e4433"},
    {"vmaf_float_b_v0.6.3", "e32df73119386b124836910956fe8e0b0583a35638d2c518719e5a5069d0248b"},
    {"vmaf_float_v0.6.1", "26573aa333346f1109226e7283969e8b3581119a1ab7f18897767351dd963ff8"},
    {"vmaf_float_v0.6.1neg", "8ac8e9bd6153e57fed4e9809c49711ea7654da2a14ea701423187905e914597a"},
    {"vmaf_v0.6.1", "5950d61fa1f861bd45d8149d80539ed9f3376cfc2495b8f0fa8e9f57cb131ee3"},
    {"vmaf_v0.6.1neg", "1fcda193aaa2a3136471b7516b3c5dc344546c05fcde2d58609f8c60a2387392"},
    {"vmaf_v1.0.16_1d5h_2160", "634d36e0502cb797384726cdd1a106a2c207827595a9e4958d3dae1bd517b139"},
    {"vmaf_v1.0.16_3d0h", "e4cf8c147e1368b35497d772920bc92f98c1ad7853c1033d8a836947f427140e"},
    {"vmaf_v1.0.16_3d0h_2160", "77f552fd8d5b6c6a2166bfc4470c9368ec68d2425ed40f1cc235b0cc500f33c2"},
    {"vmaf_v1.0.16_5d0h", "64e12d9c1e4ed5d79da7fa515b82fac7247a9e2ccc91e0ebce31d05489500385"},
    {"vmaf_v1.0.16_hfr_1d5h_2160", "0371db55d3de81a760125f6d65eb4386f1d38af6cf1d00c2f48158e3596246d4"},
    {"vmaf_v1.0.16_hfr_3d0h", "dcfdfab1c00685c1e5f75b6f1078bb4a44c722654e4de090fa5c66784c75241b"},
    {"vmaf_v1.0.16_hfr_3d0h_2160", "1bc502f00aeee11433e2d09468186bbf1bbce56ee650c9bade06c7435ebdd4db"},
    {"vmaf_v1.0.16_hfr_5d0h", "590f612c87df94badca58e563b318fa9958eac631ab8aadd73bff8cc1adfc515"},
    {NULL, NULL}};

const ty_known_model *ty_known_find(const char *name) {
    for (const ty_known_model *k = ty_known_models; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}
