#include "live/stacks/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::live {
namespace {

// The largest interpreters have some 30,000 symbols; a limit for damaged files.
constexpr uint64_t kTableBytes = 256 << 20;
constexpr size_t kSections = 1 << 16;

}  // namespace

// One opened file, while it is read.
struct ElfFile::Loader {
  int file = -1;
  uint64_t size = 0;
  ElfFile* elf = nullptr;

  ~Loader() {
    if (file >= 0) ::close(file);
  }

  bool read(uint64_t offset, void* to, uint64_t bytes) const {
    if (offset > size || bytes > size - offset || bytes > kTableBytes) return false;
    return ::pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }
  template <class Bytes>
  bool read_section(const Elf64_Shdr& section, Bytes* to) const {
    if (section.sh_size > kTableBytes || section.sh_size > size) return false;
    to->resize(section.sh_size);
    return read(section.sh_offset, to->data(), section.sh_size);
  }
  template <class Entry>
  bool read_entries(uint64_t offset, size_t count, size_t entry_bytes,
                    std::vector<Entry>* to) const {
    if (entry_bytes != sizeof(Entry) || count > kSections) return false;
    to->resize(count);
    return read(offset, to->data(), count * sizeof(Entry));
  }

  Status load() {
    Elf64_Ehdr head{};
    if (!read(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
      return Status::error("it is no ELF file");
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
      return Status::error("it is no ELF file of 64 bits in little-endian order");
    std::vector<Elf64_Phdr> segments;
    if (!read_entries(head.e_phoff, head.e_phnum, head.e_phentsize, &segments))
      return Status::error("its program headers lie outside of it");
    for (const Elf64_Phdr& segment : segments)
      if (segment.p_type == PT_LOAD)
        elf->segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    load_sections(head);
    return {};
  }

  // A file without section headers has no symbols for us, and that is no error.
  void load_sections(const Elf64_Ehdr& head) {
    std::vector<Elf64_Shdr> sections;
    std::string names;
    if (!read_entries(head.e_shoff, head.e_shnum, head.e_shentsize, &sections) ||
        head.e_shstrndx >= sections.size() || !read_section(sections[head.e_shstrndx], &names))
      return;
    for (const Elf64_Shdr& section : sections)
      if (section.sh_name < names.size())
        elf->sections_.push_back({names.c_str() + section.sh_name, section.sh_addr});
    for (const uint32_t type : {uint32_t{SHT_DYNSYM}, uint32_t{SHT_SYMTAB}})
      for (const Elf64_Shdr& section : sections)
        if (section.sh_type == type && section.sh_link < sections.size())
          add_table(section, sections[section.sh_link]);
  }
  void add_table(const Elf64_Shdr& symbols, const Elf64_Shdr& names) const {
    SymbolTable table;
    if (read_section(symbols, &table.symbols) && read_section(names, &table.names))
      elf->tables_.push_back(std::move(table));
  }
};

Result<ElfFile> ElfFile::open(const std::string& path) {
  ElfFile elf;
  Loader loader;
  loader.elf = &elf;
  loader.file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat facts {};
  if (loader.file < 0 || fstat(loader.file, &facts) != 0)
    return Status::error(std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return Status::error("it is no file");
  loader.size = static_cast<uint64_t>(facts.st_size);
  if (const Status status = loader.load(); !status.ok()) return status;
  return elf;
}

std::optional<uint64_t> ElfFile::symbol(std::string_view name) const {
  for (const SymbolTable& table : tables_)
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.symbols.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, table.symbols.data() + at, sizeof symbol);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) continue;
      // c_str() ends the last name of a damaged table, too.
      if (symbol.st_name < table.names.size() && name == table.names.c_str() + symbol.st_name)
        return symbol.st_value;
    }
  return std::nullopt;
}

std::optional<uint64_t> ElfFile::section(std::string_view name) const {
  for (const Section& section : sections_)
    if (section.name == name && section.address != 0) return section.address;
  return std::nullopt;
}

std::optional<uint64_t> ElfFile::load_bias(const Mapping& mapping) const {
  // The loader maps whole pages, so that a mapping begins up to a page before its segment.
  constexpr uint64_t kPage = 1 << 16;  // the largest page of the machines we know
  for (const Segment& segment : segments_) {
    const uint64_t first = segment.offset - segment.offset % kPage;
    if (mapping.offset < first || mapping.offset >= segment.offset + segment.bytes) continue;
    return mapping.start - (segment.address + mapping.offset - segment.offset);
  }
  return std::nullopt;
}

}  // namespace lockstep::live
