// One simulated process's segment file, made by the real encoder and segment writer: blocks, chunks,
// the ledger with its calls, and the end that the process came to. One thread at a time; memory is
// kept from process to process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/process_facts.h"
#include "dumper/segment/segment_writer.h"
#include "lockstep/status.h"

namespace lockstep::simulate {

enum class ProcessEnd : uint8_t {
  Finalized,  // it drained everything and said so
  Recovered,  // it was killed, and `lockstep recover` has saved what it left
  Running,    // somebody looks while it runs, or its host was lost: no end
};

struct ProcessThread {
  uint32_t tid = 0;
  const char* name = "";
  const std::vector<uint64_t>* words = nullptr;  // of records, in the order of time
};

struct ProcessRecords {
  dumper::ProcessFacts facts;
  uint64_t uid = 0, created_real_ns = 0;
  std::vector<ProcessThread> threads;
  std::vector<Anchor> anchors;
  ProcessEnd end = ProcessEnd::Finalized;
};

class ProcessFileWriter {
 public:
  ProcessFileWriter(std::string directory, const dumper::StringSource& strings);

  // `calls` gains what the file holds.
  Status write(const ProcessRecords& process, dumper::CallCounts* calls);

 private:
  struct Block;
  std::vector<Block> cut(const ProcessRecords& process) const;

  std::string directory_;
  const dumper::StringSource& strings_;
  dumper::ChunkEncoder encoder_;
  dumper::EncodedChunk chunk_;
};

}  // namespace lockstep::simulate
