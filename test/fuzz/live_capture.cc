// What processes say to a capture, through agents: the first line of the input are the rows of `ps` that say who is
// asked, the second those that answer when they are armed, each further one those that tell how it goes. Whatever they
// say, each process asked has a state, none is there that was not asked, and the file of the capture is read again
// as it was written.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/capture/capture_replies.h"
#include "cli/capture/capture_rules.h"
#include "cli/capture/capture_text.h"
#include "cli/capture/job_look.h"
#include "dumper/run/capture_file.h"

namespace {

using namespace lockstep;

void check(bool holds) {
  if (!holds) std::abort();
}

live::Answers said(const std::string& rows) {
  live::Answers answers;
  answers.hosts_asked = answers.hosts_answered = 2;
  answers.hosts = {{"n1", rows}, {"n2", "[]"}};
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  std::string rows;
  std::getline(input, rows);
  const std::vector<cli::ProcessLook> processes = cli::job_look(rows);
  const cli::CommChoice choice(processes);
  cli::Rules rules = {{{"n1", 1}, "position:0xa1:50:10"}, {{"n2", 2}, "instant:5000:100"}};
  for (const cli::ProcessLook& process : processes) {
    rules[{process.host, process.pid}] = "position:" + choice.of(process) + ":7:3";
    check(choice.members(process).size() <= process.members.size());
  }
  const auto positions = cli::position_rules({processes, processes, 0.5}, {std::nullopt, 2, 0.5});
  check(!positions.ok() || positions.value().size() <= processes.size());
  cli::CaptureReplies replies("c1", rules);
  std::getline(input, rows);
  replies.heard_arming(said(rows));
  while (std::getline(input, rows)) replies.heard_status(said(rows));
  check(replies.replies().size() == rules.size());
  check(replies.armed() <= rules.size() && replies.late() <= rules.size());
  check(replies.refusals().size() <= rules.size());

  dumper::Capture capture;
  capture.id = dumper::new_capture_id();
  replies.fill(processes, &capture);
  std::set<std::pair<std::string, uint32_t>> filled;
  for (const dumper::CaptureRank& rank : capture.ranks) filled.insert({rank.host, rank.pid});
  check(filled.size() == rules.size());
  check(cli::missing_ranks(capture).size() <= capture.ranks.size());
  static_cast<void>(cli::host_lines(capture));
  const auto again = dumper::parse_capture(dumper::capture_json(capture));
  check(again.ok() && again.value().ranks.size() == capture.ranks.size());
  return 0;
}
