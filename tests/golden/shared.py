#!/usr/bin/env python3
"""shared.py TALLY NAME: runs golden.py over one golden file of TALLY_TEST_DATA, with the clips it belongs to. Skips loudly if the
variable is not set."""
import os, subprocess, sys

# file: (clips, options that this build can score, more arguments)
FILES = {
    # ciede.json has the compat mapping of chroma, and one clip for which that leaves the picture.
    "ciede": ("clips", "^ciede$", ["--request", "-f ciede=chroma=compat"]),
    "ciede_nearest": ("clips", ".", []),
    "psnr": ("clips", ".", []),
    "psnr_hvs": ("clips", ".", []),
    "moment": ("clips", ".", []),
    "ansnr": ("clips", ".", []),
    "float_adm": ("clips", ".", ["--matrix", "rotate"]),
    "float_vif": ("clips", ".", ["--matrix", "rotate"]),
    # The numbers of adm_egl1.0000001 are those of the limit 1, because the reference takes options through float and %g; here options are
    # doubles. s_pic32 holds memory that the reference never wrote.
    "adm": ("clips", ".", ["--matrix", "rotate", "--nan", "--skip", "adm_egl1.0000001:.*"]),
    "cambi": ("clips", ".", ["--matrix", "rotate"]),
    "motion": ("clips", ".", ["--matrix", "rotate"]),
    "vif": ("clips", ".", ["--matrix", "rotate"]),
    "synth_adm": ("synth", ".", ["--matrix", "rotate", "--nan", "--skip", ".*:s_pic32_8_420"]),
    "synth_motion": ("synth", ".", ["--matrix", "rotate"]),
    "synth_small_motion": ("synth_small", ".", ["--matrix", "rotate"]),
    "synth_small_vif": ("synth_small", ".", ["--matrix", "rotate"]),
    "synth_vif": ("synth", ".", ["--matrix", "rotate"]),
    "synth_features": ("synth", "^(psnr|psnr_extra|psnr_hvs|float_psnr|float_moment|float_ansnr|float_adm|float_vif|float_motion|float_ssim|float_ms_ssim|ciede|adm.*|motion|vif|speed_.*|cambi)$",
                       ["--matrix", "rotate", "--skip", "adm.*:s_pic32_8_420", "--skip", "ciede:s_pic200_10_422"]),
    "float_motion": ("clips", ".", ["--matrix", "rotate"]),
    "speed": ("clips", ".", ["--matrix", "rotate"]),
    "speed_temporal_up": ("clips", ".", ["--matrix", "rotate"]),
    "float_motion_planes": ("clips", ".", ["--matrix", "rotate"]),
    "synth_float_motion": ("synth", ".", ["--matrix", "rotate"]),
    "synth_float_motion_planes": ("synth", ".", ["--matrix", "rotate"]),
    "synth_small_float_motion": ("synth_small", ".", ["--matrix", "rotate"]),
    # Pictures that decimation makes smaller than a window: the reference scores the empty mean, here they are refused.
    "ssim": ("clips", ".", ["--matrix", "rotate", "--skip", "float_ssim_scale([3-9]|10):tiny33.*", "--skip",
                            "float_ssim_scale(9|10):(mega160|vtest162|odd175).*"]),
    # ssim_as_is holds what the reference's source gives where its integers overflow.
    "ssim_fixed": ("clips", "^ssim$", []),
    "models": ("clips", "^(synth_|vmaf_v0|vmaf_4k|vmaf_b|vmaf_float)", ["--matrix", "rotate"]),
}

tally, name = sys.argv[1:]
data = os.environ.get("TALLY_TEST_DATA")
if not data:
    print(f"SKIPPED: golden scores of {name}: TALLY_TEST_DATA is not set")
    sys.exit(77)
clips, only, more = FILES[name]
runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.py")
sys.exit(subprocess.run([sys.executable, runner, tally, f"{data}/golden/{name}.json", f"{data}/{clips}", "--only", only,
                         "--models", f"{data}/models", *more]).returncode)
