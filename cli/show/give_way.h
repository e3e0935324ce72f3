// For a command that works beside a running program, on its machines: it runs when nobody else wants a processor, is the
// first to be killed where memory runs out, and takes at most half of what is free now.
#pragma once

namespace lockstep::cli {

// For the rest of this process's life. What the kernel refuses is left as it is.
void give_way();

}  // namespace lockstep::cli
