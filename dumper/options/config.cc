#include "dumper/options/config.h"

#include "base/json.h"
#include "dumper/options/config_value.h"
#include "dumper/options/option_names.h"

namespace lockstep::dumper {

Config::Config() {
  for (size_t i = 0; i < kOptionCount; ++i) {
    const Result<ParsedValue> parsed = parse_value(kOptions[i], kOptions[i].value);
    if (!parsed.ok()) continue;  // an empty default: unset
    values_[i].number = parsed.value().number;
    values_[i].real = parsed.value().real;
  }
}

Status Config::set(Option option, std::string_view text, Origin origin) {
  const Result<ParsedValue> parsed = parse_value(option_row(option), text);
  if (!parsed.ok()) return parsed.status();
  values_[static_cast<size_t>(option)] = {origin, parsed.value().number, parsed.value().real,
                                          std::string(text)};
  return Status();
}

const char* Config::text(Option option) const {
  return is_set(option) ? value(option).text.c_str() : option_row(option).value;
}

std::string settings_in_words(const Config& config) {
  std::string set;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    if (!config.is_set(option)) continue;
    set += (set.empty() ? "" : ", ") + option_name(option, NameStyle::Environment) + "=" +
           config.text(option) + " (" + kOriginNames[static_cast<size_t>(config.origin(option))] +
           ")";
  }
  return "configuration: " + (set.empty() ? "all default" : set + "; the rest is default");
}

std::string config_json(const Config& config) {
  JsonFields out;
  out.object([&] {
    for (size_t i = 0; i < kOptionCount; ++i) {
      const auto option = static_cast<Option>(i);
      out.object(option_row(option).name, [&] {
        out.string("value", config.text(option));
        out.string("origin", kOriginNames[static_cast<size_t>(config.origin(option))]);
      });
    }
  });
  return std::string(out.text());
}

void fill_in_preset(Config* config) {
  const std::string_view chosen = config->text(Option::ClockPreset);
  for (const OptionPreset& preset : kClockPresets) {
    if (chosen == preset.preset && !config->is_set(preset.option))
      config->set(preset.option, preset.value, Origin::Preset);
  }
}

}  // namespace lockstep::dumper
