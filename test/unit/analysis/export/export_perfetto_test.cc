#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>

#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

struct DrawnSlice {
  uint64_t start_ns, stop_ns;
  std::string name;
};
struct Drawn {
  std::map<uint64_t, std::string> tracks;
  std::map<uint64_t, std::vector<DrawnSlice>> slices;  // by track
  std::map<uint64_t, unsigned> flows, flow_ends;
  std::set<int32_t> pids;
  unsigned begins = 0, ends = 0, counters = 0;
};

void read_descriptor(protozero::pbf_reader descriptor, Drawn* drawn) {
  uint64_t uuid = 0;
  while (descriptor.next()) {
    if (descriptor.tag() == 1) {
      uuid = descriptor.get_uint64();
    } else if (descriptor.tag() == 2) {
      drawn->tracks[uuid] = descriptor.get_string();
    } else if (descriptor.tag() == 3) {
      protozero::pbf_reader process = descriptor.get_message();
      while (process.next()) {
        if (process.tag() == 1) {
          drawn->pids.insert(process.get_int32());
        } else {
          process.skip();
        }
      }
    } else {
      descriptor.skip();
    }
  }
}

void read_event(protozero::pbf_reader event, uint64_t at_ns, Drawn* drawn) {
  int32_t type = 0;
  uint64_t track = 0;
  std::string name;
  while (event.next()) {
    switch (event.tag()) {
      case 9:
        type = event.get_enum();
        break;
      case 11:
        track = event.get_uint64();
        break;
      case 23:
        name = event.get_string();
        break;
      case 47:
        ++drawn->flows[event.get_fixed64()];
        break;
      case 48:
        ++drawn->flow_ends[event.get_fixed64()];
        break;
      default:
        event.skip();
    }
  }
  EXPECT_TRUE(drawn->tracks.count(track)) << "an event on a track that nobody described";
  if (type == 4) {
    ++drawn->counters;
  } else if (type == 1) {
    ++drawn->begins;
    drawn->slices[track].push_back({at_ns, UINT64_MAX, name});
  } else {
    ++drawn->ends;
    drawn->slices[track].back().stop_ns = at_ns;
  }
}

Drawn read_perfetto(const std::string& path) {
  Drawn drawn;
  const std::string bytes = read_text(path);
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    uint64_t at_ns = 0;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8:
          at_ns = packet.get_uint64();
          break;
        case 11:
          read_event(packet.get_message(), at_ns, &drawn);
          break;
        case 60:
          read_descriptor(packet.get_message(), &drawn);
          break;
        default:
          packet.skip();
      }
    }
  }
  return drawn;
}

Drawn export_and_read(const RunTables& run, const StreamDetails& details) {
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "trace";
  ExportSummary summary;
  const Status status = export_perfetto({&run, details}, options, &summary);
  EXPECT_TRUE(status.ok()) << status.message();
  return read_perfetto(options.output);
}

unsigned overlaps(const Drawn& drawn) {
  unsigned found = 0;
  for (auto [track, slices] : drawn.slices) {
    std::sort(slices.begin(), slices.end(),
              [](const DrawnSlice& a, const DrawnSlice& b) { return a.start_ns < b.start_ns; });
    for (size_t i = 1; i < slices.size(); ++i) found += slices[i].start_ns < slices[i - 1].stop_ns;
  }
  return found;
}

TEST(Perfetto, KeepsEveryOperationAndEveryDetail) {
  const auto run = sample_run();

  const Drawn drawn = export_and_read(*run, sample_details);

  EXPECT_EQ(drawn.begins, kSampleOperations + kSampleDetailSlices);
  EXPECT_EQ(drawn.ends, drawn.begins - 1) << "only the operation in flight has no end";
  EXPECT_EQ(drawn.counters, 4 * 2u + 3 * 1u + 13u)
      << "points of the clock, what lies between them, changes of what is in flight";
  unsigned all_reduces = 0, sends = 0;
  for (const auto& [track, slices] : drawn.slices) {
    for (const DrawnSlice& slice : slices) {
      all_reduces += slice.name == "AllReduce";
      sends += slice.name == "Send";
    }
  }
  EXPECT_EQ(all_reduces, 6u);
  EXPECT_EQ(sends, 1u);
}

TEST(Perfetto, NeverDrawsOverlappingSlicesOnOneTrack) {
  const auto run = sample_run();
  EXPECT_EQ(overlaps(export_and_read(*run, sample_details)), 0u);
}

TEST(Perfetto, NeverDrawsOverlappingSlicesHoweverLateADetailArrives) {
  const auto run = sample_run();
  const auto shuffled = [](uint32_t process, DetailSink* sink) {
    if (process != 0) return Status();
    for (int64_t i = 0; i < 100000; ++i) {  // more than the window that is sorted
      const int64_t start_ns = 1000000 + (i * 7919) % 100000 * 10;
      sample_event(sink, 0, Kind::KernelCh, static_cast<uint64_t>(100 + i), start_ns,
                   start_ns + 5 + i % 40);
    }
    return Status();
  };

  const Drawn drawn = export_and_read(*run, shuffled);

  EXPECT_EQ(drawn.begins, kSampleOperations + 100000u);
  EXPECT_EQ(overlaps(drawn), 0u);
}

TEST(Perfetto, JoinsTheOperationsOfOneMatchByAFlow) {
  const auto run = sample_run();

  const Drawn drawn = export_and_read(*run, sample_details);

  ASSERT_EQ(drawn.flow_ends.size(), 3u);
  for (const auto& [flow, ends] : drawn.flow_ends) {
    EXPECT_EQ(ends, 1u);
    EXPECT_EQ(drawn.flows.at(flow), 1u) << "of two ranks, one begins and one ends the flow";
  }
}

TEST(Perfetto, NamesTheTracksOfThreadsByThem) {
  const auto run = sample_run();
  const auto named = [](uint32_t process, DetailSink* sink) {
    if (process == 0) sink->thread(100, "pt_main_thread");
    return sample_details(process, sink);
  };
  std::set<std::string> names;
  for (const auto& [track, name] : export_and_read(*run, named).tracks) names.insert(name);
  EXPECT_EQ(names.count("calls thread 100 (pt_main_thread)"), 1u);
  EXPECT_EQ(names.count("calls thread 101"), 1u)
      << "the name of another process's thread is its own";
}

TEST(Perfetto, KeepsProcessesOfTwoHostsApartThatHaveOnePid) {
  const auto run = sample_run();
  EXPECT_EQ(export_and_read(*run, sample_details).pids, (std::set<int32_t>{4242, 4242 + 4194304}));
  run->processes[1].pid = 4343;
  EXPECT_EQ(export_and_read(*run, sample_details).pids, (std::set<int32_t>{4242, 4343}));
}

TEST(Perfetto, KeepsAnOperationOfWhichNoTimeIsKnown) {
  const auto run = sample_run();
  OperationRow unknown;
  unknown.func = run->strings.intern("Broadcast");
  run->operations.push_back(unknown);

  EXPECT_EQ(export_and_read(*run, sample_details).begins,
            kSampleOperations + 1 + kSampleDetailSlices);
}

TEST(Perfetto, WritesNothingWhenTheDetailsCannotBeRead) {
  const auto run = sample_run();
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "trace";
  ExportSummary summary;

  const Status status = export_perfetto(
      {run.get(), [](uint32_t, DetailSink*) { return Status::error("node1.lks is gone"); }},
      options, &summary);

  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "node1.lks is gone");
  EXPECT_EQ(dir.entries(), 0u);
}

}  // namespace
}  // namespace lockstep::analysis
