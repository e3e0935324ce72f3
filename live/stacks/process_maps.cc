#include "live/stacks/process_maps.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/text.h"

namespace lockstep::live {
namespace {

// A process of a thousand libraries has some 1 MB of lines.
constexpr size_t kMapsBytes = 64 << 20;

std::string_view take_until(std::string_view* text, char mark) {
  const size_t end = text->find(mark);
  const std::string_view taken = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return taken;
}

// "start-end perms offset device inode   path"
bool parse_line(std::string_view line, Mapping* mapping) {
  const auto start = parse_number<uint64_t>(take_until(&line, '-'), 16);
  const auto end = parse_number<uint64_t>(take_until(&line, ' '), 16);
  take_until(&line, ' ');
  const auto offset = parse_number<uint64_t>(take_until(&line, ' '), 16);
  if (!start || !end || !offset || *start >= *end) return false;
  take_until(&line, ' ');
  take_until(&line, ' ');
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  *mapping = {*start, *end, *offset, std::string(line)};
  return true;
}

}  // namespace

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  Mapping mapping;
  while (!text.empty())
    if (parse_line(take_until(&text, '\n'), &mapping)) mappings.push_back(mapping);
  return mappings;
}

Result<std::vector<Mapping>> read_maps(uint32_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/maps";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             std::fclose);
  if (file == nullptr) return Status::error(std::strerror(errno));
  std::string text;
  char piece[1 << 16];
  while (text.size() < kMapsBytes) {
    const size_t got = std::fread(piece, 1, sizeof piece, file.get());
    if (got == 0) break;
    text.append(piece, got);
  }
  if (std::ferror(file.get()) != 0) return Status::error(std::strerror(errno));
  return parse_maps(text);
}

}  // namespace lockstep::live
