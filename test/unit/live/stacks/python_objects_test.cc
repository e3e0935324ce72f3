#include "live/stacks/python_objects.h"

#include <gtest/gtest.h>

#include "test/unit/live/stacks/fake_python.h"
#include "test/unit/live/stacks/published_offsets.h"

namespace lockstep::live {
namespace {

class PythonObjectsTest : public ::testing::Test {
 protected:
  FakePython python_{*table_layout({0x030b0000, false})};
  PythonObjects objects_{python_.memory, python_.layout};
};

TEST_F(PythonObjectsTest, ReadsCharactersOfEachWidth) {
  EXPECT_EQ(objects_.text(python_.text("ascii"), 100), "ascii");
  EXPECT_EQ(objects_.text(python_.text(U"größe", 1), 100), "größe");
  EXPECT_EQ(objects_.text(python_.text(U"函数", 2), 100), "函数");
  EXPECT_EQ(objects_.text(python_.text(U"𐎠x", 4), 100), "𐎠x");
  EXPECT_EQ(objects_.text(python_.text(""), 100), "");
}

TEST_F(PythonObjectsTest, PutsAReplacementForALoneSurrogate) {
  const std::u32string name{U'a', char32_t{0xdcff}};
  EXPECT_EQ(objects_.text(python_.text(name, 2), 100), "a\xef\xbf\xbd");
}

TEST_F(PythonObjectsTest, CutsALongNameAndSaysSo) {
  EXPECT_EQ(objects_.text(python_.text("abcdef"), 3), "abc...");
  EXPECT_EQ(objects_.text(python_.text("abc"), 3), "abc");
}

TEST_F(PythonObjectsTest, BelievesNoStringOfAnImpossibleState) {
  const uint64_t text = python_.text("name");
  const auto with_state = [&](uint32_t state) {
    python_.memory.put(text + python_.layout.text.state, state);
    return objects_.text(text, 100).has_value();
  };
  EXPECT_TRUE(with_state(1 << 2 | 1 << 5 | 1 << 6));
  EXPECT_FALSE(with_state(3 << 2 | 1 << 5 | 1 << 6)) << "no width of 3";
  EXPECT_FALSE(with_state(0 << 2 | 1 << 5 | 1 << 6)) << "no width";
  EXPECT_FALSE(with_state(2 << 2 | 1 << 5 | 1 << 6)) << "ASCII of two bytes";
  EXPECT_FALSE(with_state(1 << 2 | 1 << 6)) << "not compact";
}

TEST_F(PythonObjectsTest, BelievesNoStringWhoseCharactersCannotBe) {
  const uint64_t ascii = python_.text("name");
  python_.memory.put(ascii + python_.layout.text.ascii_data, char{'\x80'});
  EXPECT_FALSE(objects_.text(ascii, 100)) << "not ASCII";
  const uint64_t wide = python_.text(U"𐎠", 4);
  python_.memory.put(wide + python_.layout.text.other_data, uint32_t{0x110000});
  EXPECT_FALSE(objects_.text(wide, 100)) << "beyond Unicode";
}

TEST_F(PythonObjectsTest, BelievesNoImpossibleLength) {
  const uint64_t text = python_.text("name");
  for (const uint64_t length : {UINT64_MAX, uint64_t{1} << 40, uint64_t{1} << 20}) {
    python_.memory.put(text + python_.layout.text.length, length);
    EXPECT_FALSE(objects_.text(text, 1 << 21)) << length;
  }
  python_.memory.put(text + python_.layout.text.length, uint64_t{1} << 40);
  EXPECT_FALSE(objects_.text(text, 2)) << "not even its beginning";
  const uint64_t bytes = python_.bytes("table");
  for (const int64_t length : {int64_t{-1}, int64_t{1} << 40, int64_t{1} << 20}) {
    python_.memory.put(bytes + python_.layout.object.size, length);
    EXPECT_FALSE(objects_.bytes(bytes)) << length;
  }
}

TEST_F(PythonObjectsTest, TakesNoObjectForOneOfAnotherType) {
  EXPECT_FALSE(objects_.text(python_.bytes("text"), 100));
  EXPECT_FALSE(objects_.bytes(python_.text("text")));
  EXPECT_FALSE(objects_.code(python_.text("text")));
  EXPECT_FALSE(objects_.text(python_.object("str2", 100), 100))
      << "a name that only begins the same";
  EXPECT_FALSE(objects_.text(0, 100));
  EXPECT_EQ(objects_.text(python_.text("text"), 100), "text")
      << "and knows the right one afterwards";
}

TEST_F(PythonObjectsTest, ReadsACodeObjectOnlyWithAllItsParts) {
  const uint64_t code = python_.code("train", 10);
  ASSERT_TRUE(objects_.code(code));
  EXPECT_EQ(objects_.code(code)->function, "train");
  EXPECT_EQ(objects_.code(code)->first_line, 10);
  EXPECT_EQ(objects_.code(code)->code_bytes, 16U);
  python_.memory.put(code + python_.layout.code.lines, uint64_t{0});
  EXPECT_FALSE(objects_.code(code));
}

TEST(PythonObjects, FindsTheStateOf314WhereverTheBuildHasIt) {
  FakePython python(published_layout(published_3_14()).value());
  const PythonObjects objects(python.memory, python.layout);
  for (const uint32_t shift : {2U, 8U, 16U}) {
    EXPECT_EQ(objects.text(python.text(U"name", 1, shift), 100), "name") << shift;
    EXPECT_EQ(objects.text(python.text(U"größe", 1, shift), 100), "größe") << shift;
    EXPECT_EQ(objects.text(python.text(U"函数", 2, shift), 100), "函数") << shift;
  }
}

}  // namespace
}  // namespace lockstep::live
