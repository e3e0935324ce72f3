// The recording test plugin as a plugin of its time: with table v1 alone.
#define RECORD_ONLY_TABLE 1
#include "test/plugins/record.cc"
