// One frame of a stack, and frames by number: the stacks of a thousand processes are made of a few
// hundred different functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lockstep::live {

constexpr const char* kPythonModule = "python";

struct Frame {
  std::string function;  // empty: not known, the offset says where
  std::string file;      // empty: no debug information
  uint32_t line = 0;     // 0: not known
  std::string module;    // base name of the ELF file; kPythonModule for a frame of Python code
  uint64_t offset = 0;   // in the module, in bytes; 0 in Python code
};

// "train_step (train.py:120)", "libcuda.so.1+0x1234"
std::string in_words(const Frame& frame);

// Functions by number. Function, module and file make a function; one whose name is not known is as
// much as its module, because nothing tells where in it one function ends. Line and offset tell
// frames of one function apart and are no part of this.
using FunctionNumber = uint32_t;

class FunctionTable {
 public:
  FunctionNumber number_of(const Frame& frame);

 private:
  std::map<std::tuple<std::string, std::string, std::string>, FunctionNumber> numbers_;
};

}  // namespace lockstep::live
