// The recording test plugin as a plugin of its time: with table v2 alone.
#define RECORD_ONLY_TABLE 2
#include "test/plugins/record.cc"
