#!/bin/sh
# Makes the bundled sample pair from FFmpeg's synthetic sources: a moving test picture and a mandelbrot zoom, encoded well and
# encoded badly. Run it only to replace examples/sample_*.mp4.
set -eu
folder=$(dirname "$0")/../examples
source='testsrc2=size=480x270:rate=25:duration=2[a];mandelbrot=size=480x270:rate=25:maxiter=400,trim=duration=2[b];[a][b]concat=n=2'
for quality in reference:14 distorted:36; do
    ffmpeg -v error -y -filter_complex "$source,format=yuv420p" -c:v libx264 -preset veryslow -crf "${quality#*:}" \
        -threads 1 -fflags +bitexact -flags:v +bitexact -map_metadata -1 "$folder/sample_${quality%:*}.mp4"
done
ls -l "$folder"/sample_*.mp4
