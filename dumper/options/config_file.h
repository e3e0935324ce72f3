// The JSON file of options: one flat object, names as in include/lockstep/config.h. A file that
// cannot be read or parsed is left aside whole, with one notice saying where and why; a wrong key
// or value affects nothing else.
#pragma once

#include <vector>

#include "dumper/options/config.h"

namespace lockstep::dumper {

// Sets what the file sets, with Origin::File.
void load_config_file(const char* path, Config* config, std::vector<Notice>* notices);

}  // namespace lockstep::dumper
