#include "cli/live/stacks_view.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "analysis/say/words.h"
#include "base/quantile.h"

namespace lockstep::cli {
namespace {

using live::StackClass;
using live::StackNode;
using live::StackRow;
using live::StackTree;

constexpr size_t kMostOperations = 4;  // of one place

std::string counted(size_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string heading(const std::vector<StackRow>& rows) {
  std::set<std::string> hosts;
  std::vector<int64_t> stops_ns;
  size_t samples = 0, unread = 0, others = 0;
  for (const StackRow& row : rows) {
    hosts.insert(row.host);
    stops_ns.insert(stops_ns.end(), row.stacks.stops_ns.begin(), row.stacks.stops_ns.end());
    for (const live::ThreadStacks& thread : row.stacks.threads)
      samples = std::max(samples, thread.samples.size());
    unread += row.stacks.unread.empty() ? 0 : 1;
    others += row.stacks.other_threads;
  }
  std::string text = counted(rows.size(), "process", "processes") + " on " +
                     counted(hosts.size(), "host", "hosts") + ", " +
                     counted(samples, "sample", "samples");
  if (unread != 0) text += "; " + std::to_string(unread) + " could not be read";
  text += "\n";
  if (!stops_ns.empty()) {
    text += counted(stops_ns.size(), "stop of one thread", "stops, each of one thread") + ": " +
            analysis::duration(median_of(stops_ns)) + " in the median, " +
            analysis::duration(*std::max_element(stops_ns.begin(), stops_ns.end())) + " at most\n";
  }
  size_t without_python = 0;
  std::string why;
  for (const StackRow& row : rows) {
    if (row.stacks.python.empty()) continue;
    if (without_python++ == 0) why = row.stacks.python;
  }
  if (without_python != 0)
    text += "the Python code of " + counted(without_python, "process", "processes") +
            " could not be read: " + why + "\n";
  if (others != 0)
    text += counted(others, "thread", "threads") +
            " without frames of NCCL or CUDA not shown (--threads all)\n";
  return text;
}

std::string place_line(const StackClass& place, const std::vector<StackRow>& rows) {
  std::string line = in_words(place.members, rows);
  if (place.members.size() > 1) line += " (" + std::to_string(place.members.size()) + ")";
  line += ": ";
  const live::Frame* frame = live::telling_frame(place.frames);
  if (frame == nullptr && !place.frames.empty()) frame = &place.frames.back();
  if (frame != nullptr) {
    line += in_words(*frame) + (place.moved ? ", moving below it" : "");
  } else if (place.moved) {
    line += "moving, with nothing in common";
  } else {
    line += place.state;
  }
  if (place.threads > place.members.size())
    line += ", " + counted(place.threads, "thread", "threads");
  return line + "\n";
}

std::string place_text(const StackClass& place, const std::vector<StackRow>& rows) {
  std::string text = "  " + place_line(place, rows);
  if (!place.unread.empty()) text += "      no frames: " + place.unread + "\n";
  for (size_t i = 0; i < place.operations.size() && i < kMostOperations; ++i) {
    const StackClass::Operation& operation = place.operations[i];
    text +=
        "      " + operation.words + ", " + analysis::duration(operation.called_ago_ns) + " ago";
    if (operation.members.size() < place.members.size())
      text += ": " + in_words(operation.members, rows);
    text += "\n";
  }
  if (place.operations.size() > kMostOperations)
    text += "      and " + std::to_string(place.operations.size() - kMostOperations) +
            " other operations (--json lists them)\n";
  const StackRow& example = rows[place.example_row];
  text += "      for example thread " + std::to_string(place.example_tid) + " of process " +
          std::to_string(example.stacks.pid) + " on " + example.host;
  if (!place.frames.empty() || place.moved) text += ", " + place.state;
  return text + "\n";
}

// One line a frame; a line with who is there wherever that changes, and a step to the right where the
// ways part.
void add_node(const StackTree& tree, const std::vector<StackRow>& rows, uint32_t number,
              const std::string& indent, std::string* text) {
  for (;;) {
    const StackNode& node = tree.nodes[number];
    *text += indent + in_words(node) + "\n";
    if (node.children.size() == 1 &&
        tree.nodes[node.children[0]].members.size() == node.members.size()) {
      number = node.children[0];
      continue;
    }
    for (const uint32_t child : node.children) {
      *text += indent + "- " + in_words(tree.nodes[child].members, rows) + "\n";
      add_node(tree, rows, child, indent + "    ", text);
    }
    return;
  }
}

}  // namespace

std::string stacks_text(const std::vector<StackRow>& rows, const std::vector<StackTree>& trees) {
  std::string text = heading(rows);
  for (const StackTree& tree : trees) {
    const std::string kind = tree.kind == "main" ? "Main threads" : "Threads " + tree.kind;
    text += "\n" + kind + ", in " + counted(tree.classes.size(), "place", "places") + ":\n";
    for (const StackClass& place : tree.classes) text += place_text(place, rows);
    if (tree.roots.empty()) continue;
    text += "  all frames, from outside in:\n";
    for (const uint32_t root : tree.roots) {
      text += "    " + in_words(tree.nodes[root].members, rows) + "\n";
      add_node(tree, rows, root, "      ", &text);
    }
  }
  return text;
}

}  // namespace lockstep::cli
