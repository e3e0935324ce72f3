// RCCL whatever its file is called: with a function that NCCL does not have.
#include "test/plugins/host_nccl.cc"

extern "C" __attribute__((visibility("default"))) int ncclAllToAllv();
int ncclAllToAllv() { return 0; }
