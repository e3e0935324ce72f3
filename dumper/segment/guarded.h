// Memory that runs out is an error like a full disk: the caller tries again later.
#pragma once

#include <new>

#include "lockstep/status.h"

namespace lockstep::dumper {

template <typename F>
Status guarded(F body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::error("out of memory");  // short enough to need none
  }
}

}  // namespace lockstep::dumper
