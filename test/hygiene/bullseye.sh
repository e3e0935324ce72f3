#!/usr/bin/env bash
# The plugin that is built on Debian bullseye (glibc 2.31, g++ 10.2) loads and works there, and needs a glibc so old (2.17)
# that one binary serves every cluster. The chroot is kept under $BUILD between runs.
# timeout: 3000
. "$(dirname "$0")/../lib.sh"
only_when_long "a whole build of its own, which .ci/run makes next: LONG=1 test/run hygiene/"
need debootstrap debootstrap
need unshare util-linux
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
root=$BUILD/bullseye
CEILING=2.17

# A mount namespace of its own: the mounts inside go away with the last process. Nothing of our environment gets in.
inside() {
  unshare --mount --fork env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin BUILD=/build-lockstep sh -c \
    'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" /bin/sh -ec "mkdir -p /src/lockstep; cd /src/lockstep; $1"' "$root" "$1"
}
if [ ! -e "$root/.ready" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=g++,make bullseye "$root" >"$TMP/log" 2>&1 ||
    { tail -5 "$TMP/log"; skip "debootstrap cannot make a bullseye root here"; }
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  inside 'export DEBIAN_FRONTEND=noninteractive; apt-get -qq update
    apt-get -qq install -y --no-install-recommends libzstd-dev libxxhash-dev rapidjson-dev libconcurrentqueue-dev \
      libsodium-dev zlib1g-dev libsqlite3-dev libprotozero-dev libgtest-dev' >"$TMP/log" 2>&1 || { tail -5 "$TMP/log"; skip "the packages for bullseye cannot be had here"; }
  touch "$root/.ready"
fi

# The drivers parse their options with CLI11, headers alone, which bullseye does not package yet.
cp -r /usr/include/CLI "$root/usr/include/"
rm -rf "$root/src/lockstep" && mkdir -p "$root/src/lockstep"
tar -C "$ROOT" --exclude='./build*' --exclude=./node_modules --exclude=./.git -cf - . | tar -C "$root/src/lockstep" -xf -
# The command and what reads recordings are not built there: a cluster's old node only needs the plugin, as it is built
# everywhere. What only its tests have beside it runs as well unoptimized, and is compiled in less time; headers parsed at
# -Og do not serve -O0.
inside 'make -j2 plugin $BUILD/lockstep-load && rm -rf $BUILD/pch && make -j2 OPT_COLD="-O0 -DXXH_NO_INLINE_HINTS" unit-recording \
  $(for room in base clocksync_probe clocksync_record clocksync_wire hostload_record hostload_sample hostload_service; do
      echo $BUILD/test/unit_$room; done)' \
  >"$TMP/log" 2>&1 || { tail -30 "$TMP/log"; fail "it does not build with g++ 10.2"; }
plugin=$root/build-lockstep/libnccl-profiler.so
"$ROOT/scripts/check_symbols.sh" "$plugin" || fail "symbols (see above)"
"$ROOT/scripts/check_glibc.sh" "$plugin" "$CEILING" || fail "it needs a newer glibc than $CEILING (see above)"
inside '$BUILD/lockstep-load $BUILD/libnccl-profiler.so' || fail "it does not load"
inside 'for program in $BUILD/test/unit_*; do
    case $program in *.so) continue ;; esac
    timeout 600 "$program" --gtest_color=no >/tmp/log 2>&1 </dev/null || { tail -40 /tmp/log; echo "$program failed"; exit 1; }
    echo "$program: $(tail -1 /tmp/log)"
  done' || fail "unit tests fail on bullseye (see above)"
