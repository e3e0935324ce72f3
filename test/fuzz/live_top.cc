// What `lockstep top` makes of the rows that agents send for `ps` and `progress`, line by line of the input: the processes,
// then `progress` of one look after the other. There are always a title and a line about the processes.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "cli/live/top_page.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  std::string rows;
  std::getline(input, rows);
  cli::TopLook look;
  look.processes.hosts.push_back({"n1", rows});
  look.progress.failed.push_back({"n2", rows});
  cli::TopPage page("run");
  do {
    std::getline(input, rows);
    look.mono_ns += 500'000'000;
    look.progress.hosts = {{"n1", rows}, {"n3", rows}};
    if (page.lines(look).size() < 3) std::abort();
  } while (input);
  return 0;
}
