#include "live/stacks/elf_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "test/unit/temp_dir.h"

// What the tests look for in their own program.
extern "C" {
int lockstep_elf_file_test_symbol = 42;
}

namespace lockstep::live {
namespace {

std::string own_bytes() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(ElfFile, FindsASymbolWhereTheProcessHasIt) {
  const Result<ElfFile> elf = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(elf.ok()) << elf.message();
  const auto maps = read_maps(static_cast<uint32_t>(getpid()));
  ASSERT_TRUE(maps.ok());
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  ASSERT_GT(size, 0);
  const auto first =
      std::find_if(maps.value().begin(), maps.value().end(), [&](const Mapping& map) {
        return map.path == std::string(path, static_cast<size_t>(size)) && map.offset == 0;
      });
  ASSERT_NE(first, maps.value().end());
  const auto bias = elf.value().load_bias(*first);
  const auto symbol = elf.value().symbol("lockstep_elf_file_test_symbol");
  ASSERT_TRUE(bias && symbol);
  EXPECT_EQ(*bias + *symbol, reinterpret_cast<uint64_t>(&lockstep_elf_file_test_symbol));
}

TEST(ElfFile, KnowsNoSymbolOrSectionThatIsNotThere) {
  const Result<ElfFile> elf = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  EXPECT_FALSE(elf.value().symbol("no_such_symbol"));
  EXPECT_FALSE(elf.value().symbol("process_vm_readv")) << "another file's";
  EXPECT_FALSE(elf.value().section(".PyRuntime"));
  EXPECT_TRUE(elf.value().section(".text"));
}

TEST(ElfFile, SaysWhatAFileIsThatIsNone) {
  const TempDir dir;
  std::ofstream(dir / "text") << std::string(200, 'x');
  EXPECT_EQ(ElfFile::open(dir / "text").message(), "it is no ELF file");
  EXPECT_EQ(ElfFile::open(dir.path()).message(), "it is no file");
  EXPECT_EQ(ElfFile::open(dir / "none").message(), "No such file or directory");
}

TEST(ElfFile, SurvivesAFileThatIsCutOrDamaged) {
  const TempDir dir;
  const std::string whole = own_bytes();
  std::mt19937_64 random(3);  // NOLINT: the same each time
  // The headers of the file and of its sections, where its numbers are.
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    const size_t sections = bytes.size() - std::min<size_t>(bytes.size(), 3000);
    for (int n = 0; n < 4; ++n) {
      bytes[random() % 400] = static_cast<char>(random());
      bytes[sections + random() % (bytes.size() - sections)] = static_cast<char>(random());
    }
    bytes.replace(0, 5, whole, 0, 5);
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    const std::string path = dir / "damaged";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const Result<ElfFile> elf = ElfFile::open(path);
    if (!elf.ok()) continue;
    (void)elf.value().symbol("lockstep_elf_file_test_symbol");
    (void)elf.value().section(".text");
    (void)elf.value().load_bias({0x1000, 0x2000, 0, path});
  }
}

}  // namespace
}  // namespace lockstep::live
