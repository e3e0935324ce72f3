#!/usr/bin/env bash
# cross_make.sh ARGUMENT...: `make ARGUMENT...` for aarch64, into $BUILD/arm64 (default build/arm64).
# Headers do not depend on the architecture; the static libraries come as arm64 packages, unpacked into
# $BUILD/arm64-packages, so that this machine's own package configuration stays as it is. Exit 3: they cannot be had here.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
mkdir -p "$BUILD/arm64-packages"
packages=$(cd "$BUILD/arm64-packages" && pwd)
libraries=$packages/root/usr/lib/aarch64-linux-gnu
command -v aarch64-linux-gnu-g++ >/dev/null || { echo "aarch64-linux-gnu-g++ is not installed (package g++-aarch64-linux-gnu)" >&2; exit 3; }

unpack() {
  cd "$packages"
  mkdir -p state/lists/partial cache/archives/partial
  : >status
  local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$packages/state"
    -o Dir::State::status="$packages/status" -o Dir::Cache="$packages/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" download libzstd-dev libsodium-dev zlib1g-dev libsqlite3-dev libgtest-dev || return 1
  local package
  for package in *.deb; do dpkg-deb -x "$package" root || return 1; done
}
if [ ! -e "$libraries/libgtest_main.a" ] || [ ! -e "$libraries/libsqlite3.a" ]; then
  (unpack) >"$packages/log" 2>&1 ||
    { cat "$packages/log" >&2; echo "the arm64 packages cannot be had here (apt-get download)" >&2; exit 3; }
fi

# -B puts the unpacked libraries before the compiler's own places, for -l and for -print-file-name. A CUDA toolkit here is
# for this machine's own architecture: no lockstep-nccl.
exec make CUDA_HOME=none CXX="aarch64-linux-gnu-g++ -B$libraries/" AR=aarch64-linux-gnu-ar BUILD="$BUILD/arm64" ARCH=aarch64 "$@"
