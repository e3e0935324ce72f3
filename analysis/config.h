// The options as the command sees them; the reading itself is the plugin's, so both always agree.
#pragma once

#include "dumper/config.h"        // IWYU pragma: export
#include "dumper/config_file.h"   // IWYU pragma: export
#include "dumper/event_mask.h"    // IWYU pragma: export
#include "dumper/option_names.h"  // IWYU pragma: export
#include "dumper/run_names.h"     // IWYU pragma: export
