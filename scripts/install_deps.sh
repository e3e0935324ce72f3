#!/usr/bin/env bash
# Installs what the build, the tests and the report need, and only what is missing. As root (or with sudo that asks no
# password) by apt-get; otherwise it lists what is missing and succeeds when the plugin and the command can be built.
# Assumes a compiler, make and bash; nothing else.
set -u
cd "$(dirname "$0")/.." || exit 1

# class  package  how to see that it is there: <header> for the compiler, a command, or /a/file (pattern)
#   build     without it nothing builds
#   test      `make test` and `make demo` need it
#   optional  one test or another needs it and skips without it
LIST='
build     libzstd-dev             <zstd.h>
build     libxxhash-dev           <xxhash.h>
build     rapidjson-dev           <rapidjson/reader.h>
build     libconcurrentqueue-dev  <concurrentqueue/concurrentqueue.h>
build     libcli11-dev            <CLI/CLI.hpp>
build     libsodium-dev           <sodium.h>
build     libprotozero-dev        <protozero/pbf_writer.hpp>
test      libgtest-dev            <gtest/gtest.h>
test      jq                      jq
test      zstd                    zstd
test      python3                 python3
test      procps                  ps
test      binutils                objdump
test      git                     git
test      iproute2                ip
test      npm                     npm
optional  shellcheck              shellcheck
optional  prometheus              promtool
optional  prometheus-node-exporter prometheus-node-exporter
optional  curl                    curl
optional  strace                  strace
optional  faketime                /usr/lib/*/faketime/libfaketimeMT.so.1
optional  valgrind                valgrind
optional  protobuf-compiler       protoc
optional  clang                   clang++
optional  clang-tidy              clang-tidy
optional  clang-format            clang-format
optional  libclang-rt-14-dev      /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
optional  qemu-user               qemu-aarch64
optional  g++-aarch64-linux-gnu   aarch64-linux-gnu-g++
optional  debootstrap             debootstrap
optional  chromium                chromium
optional  munge                   munged
optional  slurmctld               slurmctld
optional  slurmd                  slurmd
optional  slurm-client            srun
'

CXX=${CXX:-g++}
as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo -n); else as_root=(false); fi
fi
can_install() { command -v apt-get >/dev/null && [ "${as_root[0]:-}" != false ]; }

# Succeeds when one line's third column is there.
present() {
  case $1 in
    '<'*) printf '#include %s\n' "$1" | "$CXX" -E -x c++ -I third_party - >/dev/null 2>&1 ;;
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing() {  # missing CLASS: the packages of that class that are not there
  local class package probe
  while read -r class package probe; do
    if [ "$class" = "$1" ] && ! present "$probe"; then printf '%s ' "$package"; fi
  done <<<"$LIST"
}

apt() { DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=1 \
  -o Acquire::http::Timeout=20 "$@" </dev/null; }

# One call for everything that exists in this distribution; a package it does not have is named and passed over.
install() {
  local package known=()
  apt update || echo "install_deps: apt-get update failed; trying with the lists there are" >&2
  for package in "$@"; do
    if [ -n "$(apt-cache madison "$package" 2>/dev/null)" ]; then
      known+=("$package")
    else
      echo "install_deps: this distribution has no package $package; what needs it is skipped"
    fi
  done
  [ ${#known[@]} = 0 ] && return
  echo "install_deps: installing ${known[*]}"
  # One package that cannot be installed must not keep the others out.
  apt install -y --no-install-recommends "${known[@]}" >/dev/null ||
    for package in "${known[@]}"; do
      apt install -y --no-install-recommends "$package" >/dev/null ||
        echo "install_deps: could not install $package" >&2
    done
}

# The report's and the tests' JavaScript, exactly as package-lock.json pins it, into ./node_modules.
install_npm() {
  [ -f package-lock.json ] || return 0
  cmp -s package-lock.json node_modules/.lockstep-installed && return 0
  command -v npm >/dev/null || { echo "install_deps: no npm; the report page is built without its plots"; return 0; }
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=20000 </dev/null >/dev/null 2>&1 &&
    cp package-lock.json node_modules/.lockstep-installed && return 0
  echo "install_deps: npm ci failed; what needs ./node_modules is skipped" >&2
}

read -ra wanted <<<"$(missing build)$(missing test)$(missing optional)"
if [ ${#wanted[@]} -gt 0 ] && can_install; then install "${wanted[@]}"; fi
install_npm

lacking=$(missing build) tests=$(missing test) optional=$(missing optional)
[ -n "$tests" ] && echo "install_deps: tests need these packages, and fail or skip without: $tests"
[ -n "$optional" ] && echo "install_deps: some tests skip without: $optional"
if [ -n "$lacking" ]; then
  echo "install_deps: the build needs these packages: $lacking" >&2
  echo "install_deps: install them (as root: apt-get install $lacking) or their equivalents, then run make again" >&2
  exit 1
fi
