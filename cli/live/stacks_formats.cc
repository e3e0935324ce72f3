#include "cli/live/stacks_formats.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/json.h"

namespace lockstep::cli {
namespace {

using live::Frame;
using live::StackRow;
using live::StackTree;

// The format's separator; a line's last blank stands before the count, so blanks may stay.
std::string folded_name(const Frame& frame) {
  std::string name = frame.function.empty() ? in_words(frame) : frame.function;
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

// Each different stack of one kind of thread, and in how many samples it was seen.
using Counted = std::map<std::vector<uint32_t>, uint64_t>;

// Frames as this format tells them apart: with their lines.
class FrameList {
 public:
  uint32_t number_of(const Frame& frame) {
    const auto key = std::tuple(in_words(frame), frame.module, frame.file);
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(frames_.size()));
    if (is_new) frames_.push_back(frame);
    return found->second;
  }
  const std::vector<Frame>& frames() const { return frames_; }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t> numbers_;
  std::vector<Frame> frames_;
};

Counted count(const std::string& kind, const std::vector<StackRow>& rows, FrameList* frames) {
  Counted stacks;
  for (const StackRow& row : rows) {
    for (const live::ThreadStacks& thread : row.stacks.threads) {
      if (live::kind_of(row, thread) != kind) continue;
      for (const std::vector<Frame>& sample : thread.samples) {
        std::vector<uint32_t> stack;
        for (const Frame& frame : sample) stack.push_back(frames->number_of(frame));
        ++stacks[stack];
      }
    }
  }
  return stacks;
}

void put_profile(JsonFields& out, const std::string& kind, const Counted& stacks) {
  uint64_t total = 0;
  for (const auto& [stack, samples] : stacks) total += samples;
  out.object([&] {
    out.string("type", "sampled");
    out.string("name", kind);
    out.string("unit", "none");
    out.number("startValue", 0);
    out.number("endValue", total);
    out.list("samples", stacks, [&](const auto& one) {
      out.writer().StartArray();
      for (const uint32_t frame : one.first) out.writer().Uint(frame);
      out.writer().EndArray();
    });
    out.list("weights", stacks, [&](const auto& one) { out.writer().Uint64(one.second); });
  });
}

}  // namespace

std::string folded_stacks(const std::vector<StackTree>& trees, const std::vector<StackRow>& rows) {
  std::map<std::string, uint64_t> lines;
  for (const StackTree& tree : trees) {
    FrameList frames;
    for (const auto& [stack, samples] : count(tree.kind, rows, &frames)) {
      std::string line = tree.kind;
      for (const uint32_t frame : stack) line += ";" + folded_name(frames.frames()[frame]);
      lines[line] += samples;
    }
  }
  std::string text;
  for (const auto& [line, samples] : lines) text += line + " " + std::to_string(samples) + "\n";
  return text;
}

std::string speedscope_json(const std::vector<StackTree>& trees,
                            const std::vector<StackRow>& rows) {
  FrameList frames;
  std::vector<std::pair<std::string, Counted>> profiles;
  for (const StackTree& tree : trees)
    profiles.emplace_back(tree.kind, count(tree.kind, rows, &frames));
  JsonFields out;
  out.object([&] {
    out.string("$schema", "https://www.speedscope.app/file-format-schema.json");
    out.string("exporter", "lockstep");
    out.string("name", "stacks of " + std::to_string(rows.size()) + " processes");
    out.object("shared", [&] {
      out.list("frames", frames.frames(), [&](const Frame& frame) {
        out.object([&] {
          out.string("name", frame.function.empty() ? in_words(frame) : frame.function);
          if (!frame.file.empty()) out.string("file", frame.file);
          if (frame.line != 0) out.number("line", frame.line);
        });
      });
    });
    out.list("profiles", profiles,
             [&](const auto& profile) { put_profile(out, profile.first, profile.second); });
  });
  return std::string(out.text());
}

}  // namespace lockstep::cli
