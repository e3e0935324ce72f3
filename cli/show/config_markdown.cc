#include "cli/show/config_markdown.h"

#include <string_view>

#include "dumper/options/event_mask.h"
#include "dumper/options/option_names.h"

namespace lockstep::cli {
namespace {

constexpr const char* kIntroduction = R"(# Configuration

*Made by `lockstep config --markdown` from the table in include/lockstep/config.h.*

Every option is an environment variable. `LOCKSTEP_CONFIG` can name a JSON file that sets the same options by the names
in the second column:

```json
{"dir": "/scratch/%j", "dump_interval_us": 250000, "events": "step"}
```

For each option the environment wins over the file, the file over what `LOCKSTEP_CLOCK_PRESET` sets, and that over the
default. An empty variable counts as unset. A file named by `XLA_DIST_PROF_CONFIG` is read the same way, but ranks below
`LOCKSTEP_CONFIG`. `lockstep-clockd` reads the same file and variables; its own flags win over both.
`lockstep config --origin` shows what is in force and where each value comes from, `lockstep config --check FILE` checks
a file. Every segment stores all values with their origins.

No option can stop a job. A misspelled name, a value out of range, a missing file or one that is not JSON produces one
line in NCCL's log, with line and column and the nearest real name. Only that option is affected: it keeps its other
value or its default. A file that is not JSON is ignored entirely.
)";

constexpr const char* kEventsIntroduction = R"(
## What `LOCKSTEP_EVENTS` takes

A preset; kind names joined by commas, as in `Coll,ProxyOp` or `api,KernelCh` (case matters: `coll` is the preset, `Coll`
the one kind); or a number, NCCL's activation mask. `NCCL_PROFILE_EVENT_MASK` is honoured when `LOCKSTEP_EVENTS` is not
set in the environment.

With `:1/N` behind it, as in `step:1/16`, the deep kinds among them (ProxyStep, NetPlugin, KernelPhase) are recorded of one
operation in N, the same ones on all ranks ([capture.md](capture.md#one-operation-in-so-many)).

| preset | mask | kinds |
|---|---|---|
)";

std::string values(const OptionRow& row) {
  if (row.type == OptionType::Flag) return "0, 1";
  if (row.type == OptionType::Kinds || row.type == OptionType::Events) return "see below";
  if (row.type == OptionType::Text) return "text";
  std::string range = row.range;
  for (size_t at = 0; (at = range.find('|', at)) != std::string::npos; at += 2)
    range.replace(at, 1, ", ");
  const size_t dots = range.find("..");
  return dots == std::string::npos ? range : range.replace(dots, 2, " to ");
}

std::string option_line(Option option) {
  const OptionRow& row = option_row(option);
  const std::string value = *row.value == '\0' ? "unset" : std::string("`") + row.value + "`";
  const std::string key = dumper::environment_only(option) ? "" : std::string("`") + row.name + "`";
  return "| `" + option_name(option, dumper::NameStyle::Environment) + "` | " + key + " | " +
         value + " | " + values(row) + " | " + row.help + " |\n";
}

std::string section_title(std::string_view section) {
  std::string title(section);
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return "\n## " + title +
         "\n\n| variable | in JSON | default | values | meaning |\n|---|---|---|---|---|\n";
}

}  // namespace

std::string configuration_markdown() {
  std::string text = kIntroduction;
  std::string_view section;
  for (size_t i = 0; i < kOptionCount; ++i) {
    if (section != kOptions[i].section) text += section_title(section = kOptions[i].section);
    text += option_line(static_cast<Option>(i));
  }
  text += kEventsIntroduction;
  for (const char* preset : {"api", "coll", "kernel", "proxy", "step", "all"}) {
    const uint32_t mask = dumper::parse_events(preset).value();
    text += std::string("| `") + preset + "` | " + std::to_string(mask) + " | " +
            dumper::event_names(mask) + " |\n";
  }
  return text;
}

}  // namespace lockstep::cli
