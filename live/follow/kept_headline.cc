#include "live/follow/kept_headline.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"
#include "dumper/run/run_files.h"
#include "live/http/place.h"

namespace lockstep::serve {
namespace {

constexpr const char* kName = "headline.json";
constexpr const char* kFolder = "findings";
constexpr size_t kMostBytes = 64 << 10;

// Of the files that a verdict is made of their names and sizes, wherever the run lies: nothing is opened.
std::string made_of(const std::string& directory) {
  std::string text;
  const auto add = [&](const std::string& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    const std::string name = std::filesystem::path(path).filename().string();
    if (!error) text += name + " " + std::to_string(bytes) + "\n";
  };
  const auto files = dumper::run_files(directory);
  if (files.ok()) {
    for (const std::string& file : files.value()) {
      if (dumper::is_recording(file) || has_ending(file, "/clock_model.json")) add(file);
    }
  }
  return std::to_string(XXH3_64bits(text.data(), text.size()));
}

std::string json_of(const std::string& directory, const KeptHeadline& headline) {
  JsonFields out;
  out.object([&] {
    out.string("made_of", made_of(directory));
    out.string("kind", headline.kind);
    out.string("text", headline.text);
    out.number("cost_share", headline.cost_share);
    out.boolean("last_part_only", headline.last_part_only);
  });
  return std::string(out.text()) + "\n";
}

std::optional<KeptHeadline> parsed(const std::string& text, const std::string& directory) {
  json::Document document;
  if (!parse_json(text, &document) || text_member(document, "made_of") != made_of(directory))
    return std::nullopt;
  KeptHeadline headline;
  headline.kind = text_member(document, "kind");
  headline.text = text_member(document, "text");
  const json::Value* share = member(document, "cost_share");
  if (share != nullptr && share->IsNumber()) headline.cost_share = share->GetDouble();
  headline.last_part_only = bool_member(document, "last_part_only");
  const bool known =
      std::any_of(std::begin(analysis::kHeadlineKindNames), std::end(analysis::kHeadlineKindNames),
                  [&](const char* kind) { return headline.kind == kind; });
  return known && !headline.text.empty() ? std::make_optional(headline) : std::nullopt;
}

}  // namespace

KeptHeadline headline_of(const analysis::Report& report, bool last_part_only) {
  const analysis::Headline& line = report.headline;
  return {analysis::kHeadlineKindNames[static_cast<size_t>(line.kind)], line.text, line.cost_share,
          last_part_only};
}

void keep_headline(const std::string& directory, const KeptHeadline& headline) {
  const auto place = place_beside(directory, kFolder);
  if (!place.ok()) return;
  static_cast<void>(write_file(place.value() + "/" + kName, json_of(directory, headline),
                               IfExists::Replace, {0600}));
}

std::optional<KeptHeadline> kept_headline(const std::string& directory) {
  for (const std::string& place :
       {own_place(directory, kFolder), cache_place(directory, kFolder)}) {
    const auto text = read_small_file(place + "/" + kName, kMostBytes);
    if (!text.ok()) continue;
    if (auto headline = parsed(text.value(), directory)) return headline;
  }
  return std::nullopt;
}

}  // namespace lockstep::serve
