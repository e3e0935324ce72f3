// Recovery as the command sees it.
#pragma once

#include "dumper/recover.h"  // IWYU pragma: export
