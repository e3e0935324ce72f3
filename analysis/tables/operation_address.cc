#include "analysis/tables/operation_address.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostListed = 8;

std::string process_text(const RunTables& run, const ProcessRow& process) {
  return run.text(process.host) + "." + std::to_string(process.pid);
}

std::string event_name(const RunTables& run, const OperationRow& operation) {
  return std::to_string(operation.event_id) + "@" +
         process_text(run, run.processes[operation.process]);
}

// Of one communicator alone.
std::string communicator_text(const RunTables& run, uint32_t communicator) {
  const CommunicatorRow& row = run.communicators[communicator];
  const bool named = row.name != 0 && row.shares_name == 0;
  std::string text = named ? run.text(row.name) : hex_text(row.comm_id);
  if (row.incarnation != 0) text += "#" + std::to_string(row.incarnation);
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_called(const RunTables& run, const OperationRow& operation, const std::string& name) {
  const std::string& func = run.text(operation.func);
  return name.compare(0, func.size(), func) == 0 && operation_address(run, operation) == name;
}

// By number, with or without the process.
bool is_event(const RunTables& run, const OperationRow& operation, const std::string& name) {
  const size_t at = name.find('@');
  if (operation.event_id != std::strtoull(name.c_str(), nullptr, 10)) return false;
  return at == std::string::npos ||
         name.substr(at + 1) == process_text(run, run.processes[operation.process]);
}

Status not_found(const RunTables& run, const std::string& name, bool by_event) {
  std::string text = name + ": this run has no such operation";
  if (by_event) {
    text += "; the numbers are those of `event_id` in the table operations";
  } else if (name.find('#') == std::string::npos || name.find('@') == std::string::npos) {
    text += "; give FUNC#ORDINAL@COMM:RANK or an event id";
  }
  if (!run.operations.empty())
    text += "; it has, for example, " + operation_address(run, run.operations.back());
  return Status::error(text);
}

}  // namespace

std::string operation_address(const RunTables& run, const OperationRow& operation) {
  if (operation.communicator >= run.communicators.size()) return event_name(run, operation);
  std::string text = run.text(operation.func);
  const bool between_two = text == "Send" || text == "Recv";
  if (between_two && operation.peer >= 0) text += "/" + std::to_string(operation.peer);
  text += "#" + std::to_string(operation.ordinal);
  if (operation.replay != 0) text += "." + std::to_string(operation.replay);
  return text + "@" + communicator_text(run, operation.communicator) + ":" +
         std::to_string(operation.rank);
}

Result<uint32_t> find_operation(const RunTables& run, const std::string& name) {
  const bool by_event = is_number(name.substr(0, name.find('@')));
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& operation = run.operations[i];
    if (by_event ? is_event(run, operation, name) : is_called(run, operation, name))
      found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return not_found(run, name, by_event);
  std::string text = name + ": " + std::to_string(found.size()) + " operations; name one of ";
  for (size_t i = 0; i < found.size() && i < kMostListed; ++i)
    text += (i == 0 ? "" : ", ") + event_name(run, run.operations[found[i]]);
  return Status::error(text + (found.size() > kMostListed ? ", ..." : ""));
}

}  // namespace lockstep::analysis
