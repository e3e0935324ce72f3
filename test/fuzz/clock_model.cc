// The reader of clock_model.json; a model that loads must save a file that loads.
#include "clocksync/record/clock_model_json.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::InputFile file;
  static const std::string saved = fuzz::scratch_directory() + "/saved-model";
  const auto model = clocksync::load_clock_model(file.holding(data, size));
  if (!model.ok()) return 0;
  const bool again = clocksync::save_clock_model(model.value(), saved).ok() &&
                     clocksync::load_clock_model(saved).ok();
  unlink(saved.c_str());
  if (!again) __builtin_trap();
  return 0;
}
