// That a run is being served, for whoever would serve it again, list it or end it: serve/HOST.PID.json in
// the run's place (place.h), mode 0600, written when the server listens and removed at its end. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "dumper/run/process_state.h"
#include "lockstep/status.h"

namespace lockstep::serve {

struct ServiceNote {
  dumper::ProcessIdentity process;
  std::string url;  // without the token
  std::string token_file;
  bool ours = false;  // written by this user: only such a note's words are followed
};

// Of this process.
ServiceNote own_service(const std::string& url, const std::string& token_file);
Status write_service(const std::string& place, const ServiceNote& note);
void remove_service(const std::string& place, const ServiceNote& note);

// Those that serve the run now: of this machine, those that live; of others, those that have not said
// their end.
std::vector<ServiceNote> services_of(const std::string& run);
bool is_here(const ServiceNote& note);

}  // namespace lockstep::serve
