#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <sstream>

#include "analysis/export/torch_names.h"
#include "analysis/tables/wall_time.h"
#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

using Export = Status (*)(const ExportInput&, const ExportOptions&, ExportSummary*);

Status write_out(const TempDir& dir, const RunTables& run, Export write,
                 ExportSummary* summary = nullptr) {
  ExportOptions options;
  options.output = dir / "out";
  ExportSummary nobodys;
  return write(sample_input(run), options, summary == nullptr ? &nobodys : summary);
}

ExportSummary export_to(const TempDir& dir, Export write) {
  ExportSummary summary;
  const Status status = write_out(dir, *sample_run(), write, &summary);
  EXPECT_TRUE(status.ok()) << status.message();
  return summary;
}

rapidjson::Document json_of(const std::string& path) {
  rapidjson::Document json;
  json.Parse(read_text(path).c_str());
  EXPECT_FALSE(json.HasParseError()) << path;
  return json;
}

// Of the first kernel in a Kineto file, in microseconds.
double kernel_ts(const std::string& path) {
  const rapidjson::Document json = json_of(path);
  for (const auto& event : json["traceEvents"].GetArray()) {
    if (event.HasMember("cat") && event["cat"] == "kernel") return event["ts"].GetDouble();
  }
  return 0;
}

TEST(Csv, QuotesWhatNeedsItAndLeavesTheUnknownEmpty) {
  const TempDir dir;
  export_to(dir, export_csv);

  std::istringstream rows(read_text(dir / "out/processes.csv"));
  std::string header, first;
  std::getline(rows, header);
  std::getline(rows, first);
  EXPECT_EQ(header.substr(0, 33), "process,host,uid,boot_id,job,nccl");
  EXPECT_EQ(first.substr(0, 28), "0,\"node\"\"0\",77,,,,,,,,0,4242");
}

TEST(Csv, WritesAHashAsTheUnsignedNumberItIs) {
  const TempDir dir;
  export_to(dir, export_csv);
  const std::string rows = read_text(dir / "out/communicators.csv");
  EXPECT_NE(rows.find("0,18364758544493064720,"), std::string::npos) << rows;
}

TEST(Inspector, CountsTheOperationThatDidNotEndInsteadOfInventingItsTime) {
  const TempDir dir;
  const ExportSummary summary = export_to(dir, export_inspector);
  EXPECT_EQ(summary.written.at(0).count, kSampleOperations - 1);
  ASSERT_EQ(summary.left_out.size(), 1u);
  EXPECT_EQ(summary.left_out[0].count, 1u);
}

TEST(Inspector, WritesTimesAndBandwidthsOfTheKernel) {
  const TempDir dir;
  export_to(dir, export_inspector);

  std::istringstream lines(read_text(dir / "out/node1-pid4242.log"));
  std::string line;
  std::getline(lines, line);  // says what the dump holds
  EXPECT_NE(line.find("\"dump_stats\""), std::string::npos) << line;
  std::getline(lines, line);
  rapidjson::Document json;
  json.Parse(line.c_str());
  EXPECT_STREQ(json["header"]["id"].GetString(), "0xfedcba9876543210");
  EXPECT_EQ(json["metadata"]["dump_timestamp_us"].GetInt64(), 1700000000001050);
  EXPECT_STREQ(json["coll_perf"]["coll_timing_source"].GetString(), "kernel_gpu");
  EXPECT_EQ(json["coll_perf"]["coll_exec_time_us"].GetInt64(), 40);
  // 16384 bytes in 40 us, and 2(n-1)/n = 1 for two ranks.
  EXPECT_NE(line.find("\"coll_algobw_gbs\":0.4096,\"coll_busbw_gbs\":0.4096"), std::string::npos)
      << line;
}

TEST(Inspector, GivesSendsALineOfTheirOwnKind) {
  const TempDir dir;
  export_to(dir, export_inspector);
  const std::string lines = read_text(dir / "out/node1-pid4242.log");
  EXPECT_NE(lines.find("\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":1,\"p2p_peer\":0,"),
            std::string::npos)
      << lines;
}

TEST(Kineto, GivesTheOperationInFlightItsCallButNoKernel) {
  const TempDir dir;
  const ExportSummary summary = export_to(dir, export_kineto);
  EXPECT_EQ(summary.written.at(0).count, kSampleOperations);
  EXPECT_EQ(summary.written.at(1).count, kSampleOperations - 1);

  const rapidjson::Document json = json_of(dir / "out/rank1.json");
  unsigned calls = 0, kernels = 0;
  for (const auto& event : json["traceEvents"].GetArray()) {
    if (!event.HasMember("cat")) continue;
    calls += event["cat"] == "cpu_op";
    kernels += event["cat"] == "kernel";
  }
  EXPECT_EQ(calls, 4u);
  EXPECT_EQ(kernels, 3u);
}

TEST(Kineto, CountsAllFilesFromTheTimeThatKinetoCountsFrom) {
  const TempDir dir;
  const auto run = sample_run();
  run->processes[1].real_offset_ns += 5000000;  // the wall clock of its host is 5 ms ahead
  EXPECT_TRUE(write_out(dir, *run, export_kineto).ok());

  for (const char* file : {"out/rank0.json", "out/rank1.json"}) {
    const rapidjson::Document json = json_of(dir / file);
    EXPECT_EQ(json["baseTimeNanoseconds"].GetInt64() % (int64_t{7889238} * 1000000000), 0) << file;
  }
  // Its third operation starts 700 ns after that of rank 0, as on the run's axis.
  const double first = kernel_ts(dir / "out/rank0.json"),
               second = kernel_ts(dir / "out/rank1.json");
  EXPECT_NEAR(second - first, 0.7, 1e-3);
}

TEST(Kineto, CallsAnAllToAllWithPartsOfSeveralSizesByItsNameOnAllRanks) {
  const TempDir dir;
  const auto run = sample_run();
  run->operations.resize(6);               // without the send
  for (const uint32_t whole : {0u, 3u}) {  // the first operation of each rank
    run->operations[whole].kind = OpKind::Assembled;
    run->operations[whole].func = run->strings.intern("AlltoAll");
    for (const char* func : {"Send", "Recv"}) {
      for (const int32_t peer : {0, 1}) {
        OperationRow part = run->operations[whole];
        part.kind = OpKind::PointToPoint;
        part.func = run->strings.intern(func);
        part.assembled = whole;
        part.match = kNoRow;
        part.peer = peer;
        part.count = whole == 0 && peer == 1 ? 30 : 10;  // rank 1 alone looks even
        run->operations.push_back(part);
      }
    }
  }
  EXPECT_TRUE(write_out(dir, *run, export_kineto).ok());

  const std::string uneven[] = {"all_to_allv 40 40 [10, 30] [10, 30]",
                                "all_to_allv 20 20 [10, 10] [10, 10]"};
  for (const int rank : {0, 1}) {
    std::string told;
    const auto json = json_of(dir / ("out/rank" + std::to_string(rank) + ".json"));
    for (const auto& event : json["traceEvents"].GetArray()) {
      if (!event.HasMember("cat") || event["cat"] != "kernel" || !told.empty()) continue;
      const auto& args = event["args"];
      told = std::string(args["Collective name"].GetString()) + " " +
             std::to_string(args["In msg nelems"].GetInt()) + " " +
             std::to_string(args["Out msg nelems"].GetInt()) + " " +
             args["In split size"].GetString() + " " + args["Out split size"].GetString();
    }
    EXPECT_EQ(told, uneven[rank]);
  }
}

TEST(Kineto, TellsStreamAndDeviceOfKernelsOnly) {
  const TempDir dir;
  export_to(dir, export_kineto);
  for (const auto& event : json_of(dir / "out/rank1.json")["traceEvents"].GetArray()) {
    if (!event.HasMember("cat")) continue;
    EXPECT_EQ(event["args"].HasMember("stream"), event["cat"] == "kernel");
    EXPECT_EQ(event["args"].HasMember("correlation"), event["cat"] != "cpu_op");
  }
}

TEST(Kineto, WritesTheRankSoThatHtaFindsIt) {
  const TempDir dir;
  export_to(dir, export_kineto);
  EXPECT_NE(read_text(dir / "out/rank1.json").find("\"rank\": 1,"), std::string::npos);
}

TEST(FlightRecorder, SaysHowFarEachOperationGot) {
  const TempDir dir;
  export_to(dir, export_flight_recorder);

  const rapidjson::Document json = json_of(dir / "out/nccl_trace_rank_1.json");
  const auto& entries = json["entries"];
  EXPECT_STREQ(entries[0]["state"].GetString(), "completed");
  EXPECT_STREQ(entries[2]["state"].GetString(), "scheduled") << "it did not end";
  EXPECT_EQ(entries[2]["time_discovered_started_ns"].GetInt64(), 1700000000001205700)
      << "but its kernel began";
  EXPECT_TRUE(entries[2]["time_discovered_completed_ns"].IsNull());
  EXPECT_EQ(json["pg_status"]["0"]["last_completed_collective"].GetInt(), 2);
  EXPECT_EQ(json["pg_status"]["0"]["last_started_collective"].GetInt(), 3);
}

TEST(FlightRecorder, ClosesTheSendsOfAGroupAsPyTorchClosesACoalescedOne) {
  const TempDir dir;
  const auto run = sample_run();
  run->operations.back().group_id = 7;
  for (const uint64_t group :
       {uint64_t{7}, uint64_t{8}}) {  // one more of the same group, and one of the next
    run->operations.push_back(run->operations.back());
    run->operations.back().group_id = group;
  }
  run->operations.back().state = OpState::InFlight;
  run->operations.back().finish_ns = kNoTime;
  EXPECT_TRUE(write_out(dir, *run, export_flight_recorder).ok());

  const rapidjson::Document json = json_of(dir / "out/nccl_trace_rank_1.json");
  std::string told;
  for (const auto& entry : json["entries"].GetArray()) {
    if (!entry["is_p2p"].GetBool()) continue;
    told += std::string(entry["profiling_name"].GetString()) + " " +
            std::to_string(entry["p2p_seq_id"].GetInt()) + " " + entry["state"].GetString() + "; ";
  }
  EXPECT_EQ(told,
            "nccl:send 1->0 1 completed; nccl:send 1->0 1 completed; nccl:coalesced 1 completed; "
            "nccl:send 1->0 2 scheduled; nccl:coalesced 2 scheduled; ");
}

TEST(FlightRecorder, LeavesOutWhatBelongsToNoKnownGroup) {
  const TempDir dir;
  const auto run = sample_run();
  run->operations.back().communicator = kNoRow;
  ExportSummary summary;
  EXPECT_TRUE(write_out(dir, *run, export_flight_recorder, &summary).ok());
  ASSERT_EQ(summary.left_out.size(), 1u);
  EXPECT_EQ(summary.left_out[0].what, "operations whose communicator was not recorded");
}

TEST(ProcessFiles, AreNamedAsAskedAndNeverOverEachOther) {
  const TempDir dir;
  const auto run = sample_run();
  ExportOptions options;
  options.output = dir / "out";
  options.name = "%h_%p_%r.json";
  ExportSummary summary;
  ASSERT_TRUE(export_kineto(sample_input(*run), options, &summary).ok());
  EXPECT_FALSE(read_text(dir / "out/node1_4242_1.json").empty());

  options.output = dir / "other";
  options.name = "%p.json";
  const Status status = export_kineto(sample_input(*run), options, &summary);
  EXPECT_EQ(status.message(),
            "two processes would have the file 4242.json; put %r, the rank, into the name");
}

TEST(TorchNames, CountElementsAsTheFunctionMovesThem) {
  const auto run = sample_run();
  OperationRow row = sample_operation(&run->strings, 0, 0);
  row.func = run->strings.intern("AllGather");
  EXPECT_EQ(element_counts(*run, row).in, 4096u);
  EXPECT_EQ(element_counts(*run, row).out, 8192u);
  row.func = run->strings.intern("ReduceScatter");
  EXPECT_EQ(element_counts(*run, row).in, 8192u);
  EXPECT_EQ(element_counts(*run, row).out, 4096u);
}

TEST(TorchNames, FillInTheRanksThatWereNotRecordedOnlyWhereTheyAreKnown) {
  const auto run = sample_run();
  run->communicators[0].nranks = 4;  // two of four were recorded, under the job's ranks
  EXPECT_EQ(torch_groups(*run)[0].ranks, "[0, 1, 2, 3]");
  run->members[1].rank = 3;  // rank 1 of the job is rank 3 here: the others could be anyone
  EXPECT_EQ(torch_groups(*run)[0].ranks, "[0, 1]");
}

TEST(TorchNames, ShortenRanksInEventsAsPyTorchDoes) {
  const auto run = sample_run();
  run->communicators[0].nranks = 30;
  EXPECT_EQ(torch_groups(*run)[0].some_ranks, torch_groups(*run)[0].ranks);
  run->communicators[0].nranks = 256;
  const std::string some = torch_groups(*run)[0].some_ranks;
  EXPECT_EQ(some.substr(some.size() - 21), "26, 27, 28, ..., 255]") << some;
  EXPECT_EQ(torch_groups(*run)[0].ranks.size(), 1170u) << "all of them where it is said once";
}

TEST(WallTime, WritesTimesBeforeTheOriginAsNumbersToo) {
  EXPECT_EQ(microseconds_text(1234567), "1234.567");
  EXPECT_EQ(microseconds_text(-1), "-0.001");
  EXPECT_EQ(microseconds_text(-1500), "-1.500");
}

TEST(Export, NamesTheFormatsWhenTheOneAskedForIsUnknown) {
  const auto run = sample_run();
  ExportOptions options;
  options.format = "vhs";
  ExportSummary summary;
  const Status status = export_run(sample_input(*run), options, &summary);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("perfetto"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::analysis
