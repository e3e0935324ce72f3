// exit() while threads are in the middle of their operations: they go on when the plugin's exit
// handler is through, and end before the process does. One such exit per process.
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace lockstep::driver::exit_amid_calls {

// Before the plugin's first init: exit handlers run in reverse order.
void prepare();
// In a calling thread: until the plugin's exit handler is through.
void wait();
// Exits once all threads wait; `last` runs when they have ended.
[[noreturn]] void exit_now(std::vector<std::thread>* threads, std::function<void()> last);

}  // namespace lockstep::driver::exit_amid_calls
