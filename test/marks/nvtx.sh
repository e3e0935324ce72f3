#!/usr/bin/env bash
# A C program that uses NVTX, built with the CUDA toolkit's own headers and knowing nothing of lockstep: its ranges and
# marks are recorded by NVTX's own variable, exactly, with their domains; LOCKSTEP_NVTX leaves domains out.
. "$(dirname "$0")/lib.sh"
need gcc gcc
headers=$(dirname "$(ls -d "${CUDA_HOME:-/usr/local/cuda}"/include/nvtx3 /usr/local/cuda*/include/nvtx3 /usr/include/nvtx3 2>/dev/null | head -1)" 2>/dev/null)
[ -r "$headers/nvtx3/nvToolsExt.h" ] || skip "the headers of NVTX are not installed (CUDA toolkit)"
cat >"$TMP/nvtx.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

/* NCCL's part: the first members of its table of version 6. */
struct table {
  const char* name;
  int (*init)(void**, uint64_t, int*, const char*, int, int, int, void (*)(int, unsigned long, const char*, int, const char*, ...));
  void *start, *stop, *state;
  int (*finalize)(void*);
};

static nvtxDomainHandle_t model, nccl;
static nvtxStringHandle_t layer;
static nvtxRangeId_t handed_over;

static void* end_it(void* unused) {
  nvtxRangeEnd(handed_over);
  return unused;
}

static void in_domain(nvtxDomainHandle_t domain, int registered) {
  nvtxEventAttributes_t event = {0};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = 7;
  event.messageType = registered ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_ASCII;
  if (registered) event.message.registered = layer;
  else event.message.ascii = "plain";
  nvtxDomainRangePushEx(domain, &event);
  nvtxDomainMarkEx(domain, &event);
  nvtxDomainRangePop(domain);
}

int main(int argc, char** argv) {
  void *library, *context = NULL;
  struct table* table;
  pthread_t other;
  int i, mask = 0;
  model = nvtxDomainCreateA("model");
  nccl = nvtxDomainCreateA("NCCL");
  layer = nvtxDomainRegisterStringA(model, "layer");
  nvtxMarkA("too early");
  library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  table = library == NULL ? NULL : (struct table*)dlsym(library, "ncclProfiler_v6");
  if (table == NULL) return 3;
  table->init(&context, 0x77, &mask, "world", 1, 1, 0, NULL);
  for (i = 0; i < 10; ++i) {
    nvtxRangePushA("outer");
    in_domain(model, 1);
    in_domain(nccl, 0);
    handed_over = nvtxRangeStartA("handed over");
    pthread_create(&other, NULL, end_it, NULL);
    pthread_join(other, NULL);
    nvtxRangePop();
  }
  table->finalize(context);
  return 0;
}
C
gcc -Wall -I"$headers" "$TMP/nvtx.c" -ldl -pthread -o "$TMP/nvtx" || fail "the program cannot be built with $headers"
record() {  # record RUN [OPTION]
  env LOCKSTEP_ENABLE=1 LOCKSTEP_DIR="$1" NVTX_INJECTION64_PATH="$PLUGIN" "${@:2}" "$TMP/nvtx" "$PLUGIN" || fail "the program ended with $?"
  want_verified "$1"
}
told() { "$LOCKSTEP" cat "$1" | jq -r 'select(.call | startswith("range_") or . == "text") | "\(.call) \(.domain) \(.text) \(.category)"' | sort | uniq -c | awk '{$1 = $1; print}'; }

record "$TMP/all"
want_equal "all but NCCL's" "10 range_end null null null
10 range_pop model null null
10 range_pop null null null
10 range_push model layer 7
10 range_push null outer 0
10 range_start null handed over 0
10 text model layer 7" "$(told "$TMP/all")"
grep -q "1 mark was made before NCCL initialised and is not recorded" "$TMP/verify" || { cat "$TMP/verify"; fail "nothing is said of the early mark"; }
want_equal "a range that another thread ends" 10 "$("$LOCKSTEP" cat "$TMP/all" | jq -r 'select(.range) | .range' | sort | uniq -d | wc -l)"

record "$TMP/some" LOCKSTEP_NVTX=NCCL,default
want_equal "two domains by name" "NCCL plain
null outer" "$("$LOCKSTEP" cat "$TMP/some" | jq -r 'select(.call == "range_push") | "\(.domain) \(.text)"' | sort -u)"
record "$TMP/none" LOCKSTEP_NVTX=off
want_equal "switched off" "" "$(told "$TMP/none")"
