#!/bin/sh
# install-debian.sh [demo|check]: installs what is missing on Debian (and its relatives) to build Tally, or to test it too.
set -eu
packages='gcc libc6-dev meson ninja-build pkg-config python3 libcjson-dev libavformat-dev libavcodec-dev libavutil-dev'
if [ "${1:-demo}" = check ]; then
    packages="$packages clang libclang-rt-14-dev libcmocka-dev libmpfr-dev ffmpeg binutils
              gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user valgrind hipcc pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers"
fi
if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system; needed: $packages" >&2
    exit 0
fi
missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing" >&2
[ "$(id -u)" = 0 ] && as_root= || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >&2
