// The JSON that a process answers with about captures (docs/control.md lists the keys). Plain functions of
// their arguments.
#pragma once

#include <string>

#include "plugin/capture/capture_session.h"

namespace lockstep::plugin {

// armed, started, stopped, late, cancelled or none.
const char* capture_state(CapturePhase phase);
// `capture`: the id of the one that is in the way, if any.
std::string capture_error(const std::string& sentence, const std::string& capture = "");
std::string capture_armed_answer(const CaptureSession& session);
// `costs_now`: of the process, as CaptureSession::at_start.
std::string capture_status_answer(const CaptureSession& session, uint32_t kinds_now,
                                  const CaptureCosts& costs_now);

}  // namespace lockstep::plugin
