// Where the symbols and sections of a program or library lie, read from its file. Only what a loader of
// the same machine would take: 64 bits, its byte order. Addresses are the file's own: a mapped copy has
// them moved by load_bias(). Any thread. Every number in the file is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/stacks/process_maps.h"
#include "lockstep/status.h"

namespace lockstep::live {

class ElfFile {
 public:
  // The error is the reason alone.
  static Result<ElfFile> open(const std::string& path);

  // Of a defined symbol in .dynsym, else in .symtab. Its value; nothing where it has none.
  std::optional<uint64_t> symbol(std::string_view name) const;
  std::optional<uint64_t> section(std::string_view name) const;

  // What to add to the file's addresses for the copy whose first mapping this is, the one with the
  // lowest offset: a later one's first page may hold the end of the segment before. Nothing where the
  // file has no segment at that place.
  std::optional<uint64_t> load_bias(const Mapping& mapping) const;

 private:
  struct Section {
    std::string name;
    uint64_t address = 0;
  };
  struct Segment {
    uint64_t address = 0, offset = 0, bytes = 0;
  };
  // Symbols and their names, as they stand in the file.
  struct SymbolTable {
    std::vector<char> symbols;
    std::string names;
  };
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
  std::vector<SymbolTable> tables_;  // .dynsym first

  struct Loader;
};

}  // namespace lockstep::live
