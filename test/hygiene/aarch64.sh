#!/usr/bin/env bash
# Grace hosts are ARM: everything builds with the aarch64 cross compiler, and the unit tests pass under qemu-user. At -O1:
# g++ has warned of what its optimizer sees where this machine's own build was made.
# Headers do not depend on the architecture; the three static libraries come as arm64 packages, unpacked into $BUILD,
# so that this machine's own package configuration stays as it is.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own: LONG=1 test/run hygiene/"
need aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
need qemu-aarch64 qemu-user
need apt-get apt
cd "$ROOT"

mkdir -p "$BUILD/arm64-packages"
packages=$(cd "$BUILD/arm64-packages" && pwd)
libraries=$packages/root/usr/lib/aarch64-linux-gnu
if [ ! -e "$libraries/libgtest_main.a" ] || [ ! -e "$libraries/libz.a" ]; then
  (
    cd "$packages"
    mkdir -p state/lists/partial cache/archives/partial
    : >status
    apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$packages/state"
      -o Dir::State::status="$packages/status" -o Dir::Cache="$packages/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update && "${apt[@]}" download libzstd-dev libsodium-dev zlib1g-dev libgtest-dev
    for package in *.deb; do dpkg-deb -x "$package" root; done
  ) >"$TMP/log" 2>&1 || { cat "$TMP/log"; skip "the arm64 packages cannot be had here (apt-get download)"; }
fi

# -B puts the unpacked libraries before the compiler's own places, for -l and for -print-file-name. A CUDA toolkit here is
# for this machine's own architecture: no lockstep-nccl.
make -j2 CUDA_HOME=none OPT=-O1 CXX="aarch64-linux-gnu-g++ -B$libraries/" AR=aarch64-linux-gnu-ar BUILD="$BUILD/arm64" all unit \
  >"$TMP/log" 2>&1 || { tail -30 "$TMP/log"; fail "it does not build for aarch64"; }
[ ! -e "$BUILD/arm64/libnccl-profiler.so" ] ||
  CXX=aarch64-linux-gnu-g++ scripts/check_symbols.sh "$BUILD/arm64/libnccl-profiler.so" || fail "symbols (see above)"
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
failed=()
for program in "$BUILD"/arm64/test/unit_*; do
  timeout 600 qemu-aarch64 "$program" --gtest_color=no >"$TMP/log" 2>&1 </dev/null && { tail -1 "$TMP/log"; continue; }
  failed+=("$(basename "$program")")
  tail -40 "$TMP/log"
done
[ ${#failed[@]} = 0 ] || fail "unit tests fail on aarch64: ${failed[*]}"
