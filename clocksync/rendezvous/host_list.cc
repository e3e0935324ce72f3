#include "clocksync/rendezvous/host_list.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep::clocksync {
namespace {

// More names than any machine has: a range such as [0-999999999] is a mistake, not a list.
constexpr size_t kMostHosts = 1'000'000;

// Splits at commas that are outside of brackets.
std::vector<std::string> split_outside_brackets(const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

std::string padded(uint64_t value, size_t width) {
  const std::string digits = std::to_string(value);
  return digits.size() >= width ? digits : std::string(width - digits.size(), '0') + digits;
}

// "001-003" or "7" -> the numbers as text.
bool expand_range(const std::string& range, std::vector<std::string>* numbers) {
  const size_t dash = range.find('-');
  const std::string first_text = range.substr(0, dash);
  const auto first = parse_number<uint64_t>(first_text);
  const auto last =
      dash == std::string::npos ? first : parse_number<uint64_t>(range.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= kMostHosts) return false;
  for (uint64_t n = *first; n <= *last; ++n) numbers->push_back(padded(n, first_text.size()));
  return true;
}

bool expand_item(const std::string& item, std::vector<std::string>* names) {
  const size_t open = item.find('[');
  if (open == std::string::npos) {
    if (item.find(']') != std::string::npos) return false;
    names->push_back(item);
    return true;
  }
  const size_t close = item.find(']', open);
  if (close == std::string::npos) return false;
  std::vector<std::string> numbers;
  for (const std::string& range : split_outside_brackets(item.substr(open + 1, close - open - 1))) {
    if (!expand_range(range, &numbers)) return false;
  }
  std::vector<std::string> tails;
  if (!expand_item(item.substr(close + 1), &tails)) return false;
  if (numbers.size() * tails.size() > kMostHosts) return false;
  for (const std::string& number : numbers) {
    for (const std::string& tail : tails) names->push_back(item.substr(0, open) + number + tail);
  }
  return true;
}

}  // namespace

bool is_host_name(const std::string& name) {
  return !name.empty() && name[0] != '-' &&
         name.find_first_of(" \t\n'\"\\;&|<>$`()") == std::string::npos;
}

Result<std::vector<std::string>> expand_nodelist(const std::string& nodelist) {
  std::vector<std::string> names;
  for (const std::string& item : split_outside_brackets(nodelist)) {
    if (item.empty()) continue;
    if (!expand_item(item, &names) || names.size() > kMostHosts) {
      return Status::error("node list \"" + nodelist + "\": cannot expand \"" + item +
                           "\"; expected names such as gpu[001-003,7]");
    }
  }
  return names;
}

Result<HostPort> parse_host_port(const std::string& item) {
  HostPort result;
  std::string port;
  const auto colons = std::count(item.begin(), item.end(), ':');
  if (!item.empty() && item[0] == '[') {
    const size_t close = item.find(']');
    if (close == std::string::npos)
      return Status::error("\"" + item + "\": the bracket is not closed");
    result.host = item.substr(1, close - 1);
    if (close + 1 < item.size() && item[close + 1] == ':') port = item.substr(close + 2);
  } else if (colons == 1) {
    result.host = item.substr(0, item.find(':'));
    port = item.substr(item.find(':') + 1);
  } else {
    result.host = item;  // a name, an IPv4 address, or a bare IPv6 address
  }
  const auto number = port.empty() ? uint16_t{0} : parse_number<uint16_t>(port);
  if (result.host.empty() || !number)
    return Status::error("\"" + item + "\": expected host, host:port or [address]:port");
  result.port = *number;
  return result;
}

Result<std::vector<ListedHost>> parse_static_list(const std::string& list) {
  std::vector<ListedHost> hosts;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const std::string item = list.substr(at, comma - at);
    at = comma + 1;
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const bool named = equals != std::string::npos;
    const Result<HostPort> parsed = parse_host_port(named ? item.substr(equals + 1) : item);
    if (!parsed.ok()) return parsed.status();
    hosts.push_back({named ? item.substr(0, equals) : parsed.value().host, parsed.value()});
  }
  return hosts;
}

}  // namespace lockstep::clocksync
