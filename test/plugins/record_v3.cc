// The recording test plugin as a plugin of its time: with table v3 alone.
#define RECORD_ONLY_TABLE 3
#include "test/plugins/record.cc"
