#include "dumper/run/process_note.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.h"
#include "base/system.h"

namespace lockstep::dumper {
namespace {

std::string note_of(const ProcessIdentity& process) {
  JsonFields out;
  out.object([&] {
    put_process(process, &out);
    out.string("url", "http://n1");
  });
  return std::string(out.text());
}

TEST(ProcessNote, NamesTheProcessThatWroteIt) {
  const ProcessIdentity here = process_here("n1", static_cast<uint32_t>(getpid()));
  const auto read = process_of_note(note_of(here));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read.value().host, "n1");
  EXPECT_EQ(read.value().boot_id, this_boot_id());
  EXPECT_EQ(read.value().pid, here.pid);
  EXPECT_EQ(read.value().start, here.start);
  EXPECT_EQ(process_state(read.value()), ProcessState::Running);
}

TEST(ProcessNote, OfAProcessThatIsGoneIsToldByItsStartAndItsBoot) {
  ProcessIdentity process = process_here(this_host(), static_cast<uint32_t>(getpid()));
  ++process.start;  // the number is another process's now
  EXPECT_EQ(process_state(process_of_note(note_of(process)).value()), ProcessState::Dead);
  process.boot_id = "an earlier boot";
  EXPECT_EQ(process_state(process_of_note(note_of(process)).value()), ProcessState::Dead);
  process.host = "another host";
  EXPECT_EQ(process_state(process_of_note(note_of(process)).value()), ProcessState::Elsewhere);
}

TEST(ProcessNote, WithoutAProcessIsNone) {
  for (const char* text :
       {"", "[]", "{}", R"({"pid":0})", R"({"pid":-1})", R"({"pid":2147483648})", R"({"pid":"7"})"})
    EXPECT_FALSE(process_of_note(text).ok()) << text;
}

}  // namespace
}  // namespace lockstep::dumper
