// The JSON file of options. Whatever it holds, the configuration that results can be written down,
// and every notice is a sentence.
#include "dumper/options/config_file.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::InputFile file;
  dumper::Config config;
  std::vector<dumper::Notice> notices;
  dumper::load_config_file(file.holding(data, size).c_str(), &config, &notices);
  for (const dumper::Notice& notice : notices) {
    if (notice.sentence.empty()) __builtin_trap();
  }
  if (dumper::config_json(config).empty()) __builtin_trap();
  return 0;
}
