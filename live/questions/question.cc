#include "live/questions/question.h"

#include <algorithm>

namespace lockstep::live {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') ||
         std::string_view("._-=+").find(c) != std::string_view::npos;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace

bool is_part_name(std::string_view name) {
  constexpr size_t kLongest = 255;
  constexpr int kMostFolders = 4;
  if (name.size() > kLongest) return false;
  for (int folders = 0; folders <= kMostFolders; ++folders) {
    const size_t slash = name.find('/');
    if (!is_plain_name(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace lockstep::live
