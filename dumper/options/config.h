// Reads the options of include/lockstep/config.h: environment over JSON file over default, one by
// one. Whatever is wrong (a name that is none, a value out of range, a file that is not there)
// becomes a notice for the caller to log and costs only itself: that option keeps its default.
// Called once at the plugin's start, on NCCL's thread inside somebody else's process, and by the
// command: never throws, prints, exits or depends on the locale.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

enum class Origin : uint8_t { Default, File, Environment };
constexpr const char* kOriginNames[] = {"default", "file", "environment"};

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

struct LoadedConfig {
  Config config;
  std::vector<Notice> notices;
};

// `environment` as `environ` is: NAME=value strings, ended by a null pointer.
LoadedConfig load_config(const char* const* environment);

// For a process in which lockstep stays off: the sentence that names the options set in vain and
// how to switch it on. Empty when none is set, or when LOCKSTEP_ENABLE=0 says that off is meant.
std::string not_enabled_notice(const Config& config);

// What differs from the defaults and where it was set, in one line for the log: "configuration:
// LOCKSTEP_EVENTS=all (environment), LOCKSTEP_DIR=/runs (file); the rest is default".
std::string settings_in_words(const Config& config);

// {"name":{"value":"...","origin":"..."},...}: what every segment's facts and `lockstep config
// --json` show.
std::string config_json(const Config& config);

}  // namespace lockstep::dumper
