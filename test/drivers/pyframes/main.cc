// lockstep-pyframes PID [--repeat N]: prints the Python frames of each thread of that process, N times one after
// the other, nearly as faulthandler does: "Thread ID (Whole)", then, innermost first, `  File "F", line N in
// FUNCTION`, with a * before each that a call of the C evaluator began with. The first line is the version.
// Exit 3 with a sentence where the process cannot be read or runs no Python that we can read.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/text.h"
#include "live/stacks/python_frames.h"

namespace {

using namespace lockstep;
using namespace lockstep::live;

const char* name_of(PythonStackState state) {
  switch (state) {
    case PythonStackState::Whole:
      return "Whole";
    case PythonStackState::Torn:
      return "Torn";
    case PythonStackState::Cut:
      return "Cut";
  }
  return "";
}

void print(const PythonStack& stack) {
  std::printf("Thread %u (%s)\n", stack.thread, name_of(stack.state));
  for (size_t i = stack.frames.size(); i-- > 0;) {
    const PythonFrame& frame = stack.frames[i];
    std::printf("%s File \"%s\", line %d in %s\n", frame.entry ? "*" : " ", frame.file.c_str(),
                frame.line, frame.function.c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto pid = parse_number<uint32_t>(count > 1 ? arguments[1] : "");
  const bool repeats = count == 4 && std::string(arguments[2]) == "--repeat";
  const auto repeat = parse_number<uint32_t>(repeats ? arguments[3] : "1");
  if (!pid || !repeat || (count != 2 && !repeats)) {
    std::fprintf(stderr, "usage: lockstep-pyframes PID [--repeat N]\n");
    return 2;
  }
  const ProcessMemory memory(*pid);
  std::string unknown;
  auto reader = PythonReader::open(*pid, memory, &unknown);
  if (!reader.ok() || !reader.value()) {
    if (unknown.empty()) unknown = "process " + std::to_string(*pid) + " runs no CPython";
    std::fprintf(stderr, "%s\n", reader.ok() ? unknown.c_str() : reader.message().c_str());
    return 3;
  }
  std::printf("CPython %s\n", reader.value()->version().c_str());
  for (uint32_t n = 0; n < *repeat; ++n)
    for (const PythonThread& thread : reader.value()->threads())
      print(reader.value()->stack(thread));
  return 0;
}
