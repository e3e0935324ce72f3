#include "analysis/sql/narrow.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "analysis/hostload/load_columns.h"
#include "analysis/sql/query_session.h"
#include "analysis/sql/sql_split.h"
#include "base/json.h"
#include "base/text.h"
#include "lockstep/event.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

using Numbers = std::pair<int64_t, int64_t>;
constexpr uint32_t kAllKinds = ~uint32_t{0};
constexpr Numbers kAllNumbers = {std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};

// Columns whose values other processes take part in: row numbers of this and other tables, and what
// is counted or found across ranks.
constexpr std::string_view kSharedColumns[] = {"operation", "process", "communicator", "match",
                                               "assembled", "ordinal", "position",     "flags"};
// Of an operation too, where its process marks no steps; of a network step it is its own number.
constexpr std::string_view kSharedOfOperations = "step";
constexpr const char* kLoadTables[] = {kThreadLoadTable, kHostLoadTable, kNicCountersTable,
                                       kGpuStateTable};

class FirstCell : public SqlRows {
 public:
  void columns(const std::vector<SqlColumn>& /*columns*/) override {}
  void row(const std::vector<SqlCell>& cells) override { text = cells.at(0).text; }
  std::string text;
};

// The optimised plan as JSON; empty where there is none, as for what is no SELECT.
std::string plan_of(const std::string& statement) {
  const RunTables nothing;
  const ExportInput input{&nothing, nullptr, ""};
  QueryOptions options;
  options.threads = 1;
  options.plans_only = true;
  auto session = QuerySession::open(&input, options);
  std::string quoted;
  for (const char c : statement) quoted += c == '\'' ? "''" : std::string(1, c);
  FirstCell plan;
  const std::string asked = "SELECT json_serialize_plan('" + quoted + "', optimize := true)";
  if (!session.ok() || !session.value()->query(asked, &plan).ok()) return {};
  return std::move(plan.text);
}

void find_scans(const json::Value& node, std::vector<const json::Value*>* scans) {
  if (node.IsObject() && text_member(node, "type") == "LOGICAL_GET") scans->push_back(&node);
  if (node.IsObject()) {
    for (const auto& one : node.GetObject()) find_scans(one.value, scans);
  } else if (node.IsArray()) {
    for (const json::Value& one : node.GetArray()) find_scans(one, scans);
  }
}

Numbers compared(const json::Value& filter) {
  const json::Value* constant = member(filter, "constant");
  const auto number = constant == nullptr ? std::nullopt : known_int(*constant, "value");
  if (!number) return kAllNumbers;
  const std::string how = text_member(filter, "comparison_type");
  if (how == "COMPARE_EQUAL") return {*number, *number};
  if (starts_with(how, "COMPARE_GREATERTHAN")) return {*number, kAllNumbers.second};
  if (starts_with(how, "COMPARE_LESSTHAN")) return {kAllNumbers.first, *number};
  return kAllNumbers;
}

// rank IN (...), say
Numbers listed(const json::Value& filter) {
  const json::Value* values = list_member(filter, "values");
  if (values == nullptr || values->Empty()) return kAllNumbers;
  Numbers ranks{kAllNumbers.second, kAllNumbers.first};
  for (const json::Value& value : values->GetArray()) {
    const auto number = known_int(value, "value");
    if (!number) return kAllNumbers;
    ranks = {std::min(ranks.first, *number), std::max(ranks.second, *number)};
  }
  return ranks;
}

uint32_t kind_named(const json::Value& constant) {
  const std::string name = text_member(constant, "value");
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if (name == kKindNames[kind]) return uint32_t{1} << kind;
  }
  return kAllKinds;
}

// No fewer than those that pass a filter of the column `kind`.
uint32_t kinds_passing(const json::Value& filter) {
  const std::string type = text_member(filter, "filter_type");
  const json::Value* constant = member(filter, "constant");
  if (type == "CONSTANT_COMPARISON" && constant != nullptr)
    return text_member(filter, "comparison_type") == "COMPARE_EQUAL" ? kind_named(*constant)
                                                                     : kAllKinds;
  if (const json::Value* child = member(filter, "child_filter");
      type == "OPTIONAL_FILTER" && child != nullptr)
    return kinds_passing(*child);
  const json::Value* values = list_member(filter, "values");
  if (type == "IN_FILTER" && values != nullptr) {
    uint32_t kinds = 0;
    for (const json::Value& value : values->GetArray()) kinds |= kind_named(value);
    return kinds;
  }
  uint32_t kinds = kAllKinds;
  if (type != "CONJUNCTION_AND") return kinds;
  for (const json::Value& child : elements_of(filter, "child_filters"))
    kinds &= kinds_passing(child);
  return kinds;
}

// No fewer than those that pass.
Numbers passing(const json::Value& filter) {
  const std::string type = text_member(filter, "filter_type");
  if (type == "CONSTANT_COMPARISON") return compared(filter);
  if (type == "IN_FILTER") return listed(filter);
  // The plan checks it once more above the table.
  if (const json::Value* child = member(filter, "child_filter");
      type == "OPTIONAL_FILTER" && child != nullptr)
    return passing(*child);
  if (type != "CONJUNCTION_AND") return kAllNumbers;
  Numbers ranks = kAllNumbers;
  for (const json::Value& child : elements_of(filter, "child_filters")) {
    const Numbers one = passing(child);
    ranks = {std::max(ranks.first, one.first), std::min(ranks.second, one.second)};
  }
  return ranks;
}

// The filters that the table itself checks for this column.
std::vector<const json::Value*> filters_of(const json::Value& scan, const json::Value& names,
                                           const char* column_name) {
  std::vector<const json::Value*> found;
  const json::Value* all = member(scan, "table_filters");
  if (all == nullptr) return found;
  for (const json::Value& filter : elements_of(*all, "filters")) {
    const uint64_t column = uint_member(filter, "key");
    const json::Value* value = member(filter, "value");
    const bool is_it = member(filter, "key") != nullptr && column < names.Size() &&
                       names[static_cast<json::SizeType>(column)] == column_name;
    if (is_it && value != nullptr) found.push_back(value);
  }
  return found;
}

Numbers numbers_of(const json::Value& scan, const json::Value& names, const char* column) {
  Numbers numbers = kAllNumbers;
  for (const json::Value* filter : filters_of(scan, names, column)) {
    const Numbers one = passing(*filter);
    numbers = {std::max(numbers.first, one.first), std::min(numbers.second, one.second)};
  }
  return numbers;
}

uint32_t kinds_of(const json::Value& scan, const json::Value& names, const std::string& table) {
  if (table == kProxyStepsTable) return kind_bit(Kind::ProxyOp) | kind_bit(Kind::ProxyStep);
  uint32_t kinds = kAllKinds;
  if (table != kEventsTable) return kinds;
  for (const json::Value* filter : filters_of(scan, names, "kind")) kinds &= kinds_passing(*filter);
  return kinds;
}

// Whether every column that is read is a process's own; also says whether there are times among them.
bool are_own(const json::Value& scan, const json::Value& names, bool of_operations,
             bool* has_times) {
  const json::Value* columns = list_member(scan, "column_indexes");
  if (columns == nullptr || columns->Empty()) return false;
  return std::all_of(columns->Begin(), columns->End(), [&](const json::Value& column) {
    const uint64_t index = uint_member(column, "index");
    if (member(column, "index") == nullptr || index >= names.Size()) return false;
    const std::string name = text_of(names[static_cast<json::SizeType>(index)]);
    *has_times = *has_times || has_ending(name, "_ns");
    if (of_operations && name == kSharedOfOperations) return false;
    return !name.empty() && std::find(std::begin(kSharedColumns), std::end(kSharedColumns), name) ==
                                std::end(kSharedColumns);
  });
}

void narrow_by_plan(const std::string& plan, NarrowQuestion* question) {
  json::Document document;
  if (!parse_json(plan, &document)) return;
  std::vector<const json::Value*> scans;
  find_scans(document, &scans);
  if (scans.size() != 1) return;
  const json::Value* function = member(*scans[0], "function_data");
  const json::Value* names = list_member(*scans[0], "names");
  const std::string table = function == nullptr ? "" : text_member(*function, "table");
  const bool of_operations = table == "operations";
  if (!of_operations && table != kEventsTable && table != kProxyStepsTable) return;
  if (names == nullptr) return;
  bool has_times = false;
  if (!are_own(*scans[0], *names, of_operations, &has_times)) return;
  const Numbers ranks = numbers_of(*scans[0], *names, "rank");
  if (ranks != kAllNumbers) question->ranks = ranks;
  // All records of an event come after its start; a network step needs its network operation too.
  const int64_t from_ns = numbers_of(*scans[0], *names, "start_ns").first;
  if (table == kEventsTable && from_ns != kAllNumbers.first) question->from_ns = from_ns;
  const int64_t to_ns = numbers_of(*scans[0], *names, "stop_ns").second;
  if (table == kEventsTable && to_ns != kAllNumbers.second) question->to_ns = to_ns;
  question->kinds = kinds_of(*scans[0], *names, table);
  question->has_times = has_times;
  question->is_of_operations = of_operations;
}

}  // namespace

NarrowQuestion narrow_question(const std::string& statements) {
  NarrowQuestion question;
  if (is_blank_statement(statements)) return question;  // they come later
  const std::set<std::string> tables = tables_of_statement(statements);
  question.host_load = std::any_of(std::begin(kLoadTables), std::end(kLoadTables),
                                   [&](const char* table) { return tables.count(table) != 0; });
  std::string rest = statements, statement;
  const bool ended = take_statement(&rest, &statement);
  if (ended && !is_blank_statement(rest)) return question;
  if (ended) statement.erase(statement.rfind(';'));
  narrow_by_plan(plan_of(ended ? statement : statements), &question);
  return question;
}

}  // namespace lockstep::analysis
