#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "dumper/options/config.h"

namespace lockstep::dumper {

std::string config_json(const Config& config) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> out(buffer);
  out.StartObject();
  for (size_t i = 0; i < kOptionCount; ++i) {
    const auto option = static_cast<Option>(i);
    out.Key(option_row(option).name);
    out.StartObject();
    out.Key("value");
    out.String(config.text(option));
    out.Key("origin");
    out.String(kOriginNames[static_cast<size_t>(config.origin(option))]);
    out.EndObject();
  }
  out.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace lockstep::dumper
