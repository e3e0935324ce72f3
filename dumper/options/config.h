// The options of include/lockstep/config.h with a value each, and where it comes from. Filled by
// load_config.h; read by anyone afterwards. Cold code: never throws, prints, exits or depends on the
// locale.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dumper/options/event_mask.h"
#include "lockstep/config.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

enum class Origin : uint8_t { Default, File, Environment, Preset };
constexpr const char* kOriginNames[] = {"default", "file", "environment", "preset"};

enum class Severity : uint8_t { Info, Warning };
struct Notice {
  Severity severity;
  std::string sentence;
};

class Config {
 public:
  bool flag(Option option) const { return value(option).number != 0; }
  uint64_t u64(Option option) const { return value(option).number; }  // of Events: the mask
  double real(Option option) const { return value(option).real; }
  EventChoice events() const {
    return {static_cast<uint32_t>(u64(Option::Events)),
            static_cast<uint32_t>(real(Option::Events))};
  }
  // As the user or the table wrote it; valid as long as this object.
  const char* text(Option option) const;
  Origin origin(Option option) const { return value(option).origin; }
  bool is_set(Option option) const { return origin(option) != Origin::Default; }

  // Takes the value if it is one, else says in a sentence what would be.
  Status set(Option option, std::string_view text, Origin origin);

  Config();

 private:
  struct Value {
    Origin origin = Origin::Default;
    uint64_t number = 0;
    double real = 0;
    std::string text;  // only when origin is not Default
  };
  const Value& value(Option option) const { return values_[static_cast<size_t>(option)]; }
  std::array<Value, kOptionCount> values_;
};

// The values of LOCKSTEP_CLOCK_PRESET for what nothing else sets. After everything else.
void fill_in_preset(Config* config);

// What differs from the defaults and where it was set, in one line for the log: "configuration:
// LOCKSTEP_EVENTS=all (environment), LOCKSTEP_DIR=/runs (file); the rest is default".
std::string settings_in_words(const Config& config);

// {"name":{"value":"...","origin":"..."},...}: what every segment's facts and `lockstep config
// --json` show.
std::string config_json(const Config& config);

}  // namespace lockstep::dumper
