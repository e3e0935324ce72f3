#!/usr/bin/env bash
# check_symbols.sh LIBRARY: what the plugin, or liblockstep, shows and asks of a process that loads it. Exactly the
# seven tables, the marks of lockstep/mark.h and NVTX's entry, or the functions of lockstep/read.h, are exported, nothing is unique across libraries, only the C library
# is needed (when a static libstdc++ exists here), the stack is not executable, relocations are read-only, and the code
# stays within its size.
set -u
library=${1:?usage: check_symbols.sh LIBRARY}
[ -r "$library" ] || { echo "$library: cannot be read"; exit 3; }
# Half as much again as the library has now; growth beyond is a decision, not an accident.
BUDGET_KIB=${BUDGET_KIB:-2700}
found=0
finding() { echo "$library: $*"; found=1; }

case $(basename "$library") in
  liblockstep.*)
    what="the functions of lockstep/read.h"
    # Its interface's number is in its name; programs that were linked with it ask for that name.
    readelf -dW "$library" | grep -q 'SONAME.*\[liblockstep\.so\.0\]' || finding "its soname is not liblockstep.so.0"
    expected=$(sed -nE 's/^LOCKSTEP_API .*[ *](lockstep_[a-z_]+)\(.*/\1/p' "$(dirname "$0")/../include/lockstep/read.h" | sort)
    ;;
  *)
    what="ncclProfiler_v1..v7, the marks and NVTX's entry"
    readelf -dW "$library" | grep -qE 'FLAGS_1.*NODELETE' || finding "can be unmapped while NCCL still calls it (-z nodelete)"
    expected=$({
      for version in 1 2 3 4 5 6 7; do echo "ncclProfiler_v$version"; done
      for mark in step_begin step_end range_push range_pop text capture_start capture_stop; do echo "lockstep_$mark"; done
      echo InitializeInjectionNvtx2
    } | sort)
    ;;
esac
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
[ "$exported" = "$expected" ] ||
  finding "exports differ from $what: $(diff <(echo "$expected") <(echo "$exported") | grep '^[<>]' | tr '\n' ' ')"
unique=$(nm -D "$library" | awk '$2 == "u" {print $3}')
[ -z "$unique" ] || finding "has GNU_UNIQUE symbols, so it could never be unloaded: $unique"

needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
case $("${CXX:-g++}" -print-file-name=libstdc++.a) in
  /*) system='^(libc|libm|libpthread|libdl|librt)\.so\.[0-9]+$|^ld-linux' ;;
  *) system='^(libc|libm|libpthread|libdl|librt|libstdc\+\+|libgcc_s)\.so\.[0-9]+$|^ld-linux' ;;
esac
foreign=$(echo "$needed" | grep -vE "$system" | tr '\n' ' ')
[ -z "${foreign// /}" ] || finding "needs libraries beyond the C library: $foreign"

readelf -lW "$library" | grep -q 'GNU_STACK.* RWE' && finding "has an executable stack"
readelf -lW "$library" | grep -q GNU_RELRO || finding "has no GNU_RELRO segment"
readelf -dW "$library" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || finding "is not linked with -z now, so relocations stay writable"
readelf -dW "$library" | grep -q TEXTREL && finding "has text relocations"

read -r text data _ < <(size "$library" | tail -1)
kib=$(((text + data) / 1024))
[ $kib -le "$BUDGET_KIB" ] || finding "code and data are $kib KiB, over the budget of $BUDGET_KIB KiB"

[ $found = 0 ] && echo "$library: exports $what, needs $(echo "$needed" | tr '\n' ' ')$kib KiB"
exit $found
