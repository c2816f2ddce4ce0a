/* Compiled with contraction allowed: check_strict_float.py must find the fused multiply-add in it. */
float planted_fma(float a, float b, float c);
float planted_fma(float a, float b, float c) { return a * b + c; }
