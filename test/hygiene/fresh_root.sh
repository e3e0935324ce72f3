#!/usr/bin/env bash
# A fresh clone in an empty root with only a compiler and make: `make demo` and `make test` install the rest and pass.
# Takes the time of a whole test run and of its packages: run it by `make fresh-root-test`.
# timeout: 5400
# serial
. "$(dirname "$0")/../lib.sh"
[ -n "${FRESH_ROOT:-}" ] || skip "runs by make fresh-root-test"
need debootstrap debootstrap
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
root=$BUILD/fresh-root
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")

rm -rf "$root"
debootstrap --variant=minbase --include=g++,make,ca-certificates "$release" "$root" >"$TMP/log" 2>&1 ||
  { tail -5 "$TMP/log"; skip "debootstrap cannot make a root here"; }
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# The certificates this machine trusts, for the package registries as it reaches them.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/this-machine.crt"
git clone -q "$ROOT" "$root/src" || fail "git clone"

# Namespaces of its own: mounts and processes go away with it, and nothing of our environment gets in. pivot_root and not
# chroot, as containers do: below a chroot /proc/PID/maps names files of other mount namespaces by paths of the outside.
inside() {
  unshare --mount --pid --fork env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    npm_config_cafile=/etc/ssl/certs/this-machine.crt sh -ec \
    'mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && mount -t sysfs sysfs sys
     mount -t tmpfs -o size=64m tmpfs dev/shm && mkdir -p dev/pts && mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
     ln -sf pts/ptmx dev/ptmx && pivot_root . . && umount -l . && cd /src && eval "$1"' "$root" "$1"
}
inside 'make -j2 demo' || fail "make demo does not work in a fresh root"
inside 'make -j2 test' | tee "$TMP/out" || fail "make test does not pass in a fresh root"
tail -1 "$TMP/out" | grep -qE '^[1-9][0-9]* passed, 0 failed' || fail "make test did not end with its count"
rm -rf "$root"
