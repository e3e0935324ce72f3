// The files of a run as the command sees them.
#pragma once

#include "dumper/run_files.h"  // IWYU pragma: export
