// What a plugin must survive: each scenario makes calls that NCCL has been seen to make, or could,
// and that a plugin with pointers for handles dies of. A scenario returns when it is done; the
// plugin's process must still be there and its recording complete. Used by the abuse driver, once
// per scenario and table.
#pragma once

#include <string>
#include <vector>

#include "lockstep/event.h"
#include "test/drivers/common/plugin.h"

namespace lockstep::driver {

// One loaded plugin, called through one table; knows no rules.
class Victim {
 public:
  // Ends the program with a sentence when the plugin cannot be loaded.
  Victim(const std::string& path, int version);

  void* init(uint64_t comm_id) const;
  void finalize(void* context) const { table_->finalize(context); }
  void* start(Kind kind, void* context, void* parent) const;
  void* start(void* context, const abi::v7::EventDescr& d, void* before) const;
  void record(void* handle, unsigned state, const abi::StateArgsV4* args) const {
    table_->record(handle, static_cast<abi::State>(state), args);
  }
  void stop(void* handle) const { table_->stop(handle); }
  // One all-reduce of two channels with a network step; returns the Coll's handle.
  void* operation(void* context) const;

  int version() const { return table_->version(); }
  // Drops the library as NCCL does after the last finalize, and takes it again.
  void unload();
  void load();

 private:
  std::string path_;
  int version_;
  void* library_ = nullptr;
  std::unique_ptr<TableCall> table_;
};

struct Scenario {
  const char* name;
  void (*run)(Victim& victim);
};
extern const std::vector<Scenario> kCallScenarios;     // call_scenarios.cc
extern const std::vector<Scenario> kProcessScenarios;  // process_scenarios.cc

// Legal and illegal calls in random order from several threads, reproducible by the seed;
// `operations` per thread.
void random_calls(Victim& victim, uint64_t seed, unsigned threads, uint64_t operations);

}  // namespace lockstep::driver
