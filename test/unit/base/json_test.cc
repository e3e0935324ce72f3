#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lockstep {
namespace {

TEST(Json, ThrowsInsteadOfFollowingTheNullPointerOfAFailedAllocation) {
  // Kept, because a compiler may leave out an allocation that nobody looks at.
  [[maybe_unused]] void* volatile kept = nullptr;
  EXPECT_THROW(kept = json::ThrowingAllocator::Malloc(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_THROW(kept = json::ThrowingAllocator::Realloc(nullptr, 0, SIZE_MAX / 2), std::bad_alloc);
}

TEST(Json, ReadsMembersOfAnotherTypeAsAbsent) {
  json::Document document;
  ASSERT_TRUE(parse_json(R"({"n":7,"t":"x","list":[1]})", &document));

  EXPECT_EQ(uint_member(document, "n"), 7u);
  EXPECT_EQ(uint_member(document, "t"), 0u);
  EXPECT_EQ(text_member(document, "t"), "x");
  EXPECT_EQ(text_member(document, "list"), "");
  EXPECT_EQ(member(document, "none"), nullptr);
  EXPECT_FALSE(parse_json("[1]", &document));
}

TEST(Json, TellsAMemberThatIsThereFromOneOfAnotherType) {
  json::Document document;
  ASSERT_TRUE(parse_json(R"({"n":7,"minus":-7,"yes":true,"t":"x","list":[1,2]})", &document));

  EXPECT_EQ(known_uint(document, "n"), 7u);
  EXPECT_EQ(known_uint(document, "minus"), std::nullopt);
  EXPECT_EQ(known_int(document, "minus"), -7);
  EXPECT_EQ(known_int(document, "t"), std::nullopt);
  EXPECT_EQ(int_member(document, "none", -1), -1);
  EXPECT_TRUE(bool_member(document, "yes"));
  EXPECT_FALSE(bool_member(document, "n"));
  EXPECT_TRUE(bool_member(document, "t", true));
  EXPECT_EQ(list_member(document, "t"), nullptr);
  ASSERT_NE(list_member(document, "list"), nullptr);
  EXPECT_EQ(elements_of(document, "list").Size(), 2u);
  EXPECT_TRUE(elements_of(document, "t").Empty());
  EXPECT_TRUE(elements_of(document["list"], "list").Empty());
}

TEST(Json, ReadsWhatIsNoListAsAnEmptyOne) {
  json::Document document;
  EXPECT_TRUE(parse_json_list("[1]", &document));
  EXPECT_EQ(document.Size(), 1u);
  for (const char* text : {"{}", "[1", "", "7"}) {
    EXPECT_FALSE(parse_json_list(text, &document)) << text;
    ASSERT_TRUE(document.IsArray()) << text;
    EXPECT_TRUE(document.Empty()) << text;
  }
}

TEST(Json, TellsAListOfObjectsFromAnythingElse) {
  for (const char* text : {"[]", "[{}]", R"([{"a":[1,[2,{"b":null}]]},{"c":"]"}])"})
    EXPECT_TRUE(is_list_of_objects(text)) << text;
  for (const char* text : {"", "[", "]", "{}", "7", "[7]", "[{},7]", "[[]]", "[{},[{}]]", "[null]",
                           R"(["x"])", " []", "[]\n", "[{}", "[{}],[{}]", "[{}] [{}]", "[{},]"})
    EXPECT_FALSE(is_list_of_objects(text)) << text;
}

TEST(Json, ReadsEachNumberAsExactlyAsItsTypeCan) {
  json::Document document;
  ASSERT_FALSE(parse_exact_json(
      R"({"list":[0.1,-2.2250738585072014e-308,18446744073709551615,-9223372036854775808,7,-7,
                     36893488147419103232]})",
      &document));

  const json::Value& list = document["list"];
  EXPECT_EQ(list[0].GetDouble(), 0.1);
  EXPECT_EQ(list[1].GetDouble(), -2.2250738585072014e-308);
  EXPECT_EQ(list[2].GetUint64(), UINT64_MAX);
  EXPECT_EQ(list[3].GetInt64(), INT64_MIN);
  EXPECT_EQ(list[4].GetUint(), 7u);
  EXPECT_EQ(list[5].GetInt(), -7);
  EXPECT_EQ(list[6].GetDouble(), 36893488147419103232.0);
}

TEST(Json, WritesWhatIsNotFiniteAsNull) {
  JsonFields out;
  out.object([&] {
    out.number("infinite", std::numeric_limits<double>::infinity());
    out.number("no_number", std::numeric_limits<double>::quiet_NaN());
    out.number("number", 0.5);
  });
  EXPECT_EQ(std::string(out.text()), R"({"infinite":null,"no_number":null,"number":0.5})");
}

TEST(Json, ReadsANumberOfHundredsOfDigits) {
  const std::string digits(1000, '2');
  json::Document document;
  ASSERT_FALSE(
      parse_exact_json("[0." + digits + ",0." + std::string(500, '0') + "25e500]", &document));
  EXPECT_EQ(document[0].GetDouble(), 2.0 / 9);
  EXPECT_EQ(document[1].GetDouble(), 0.25);
}

TEST(Json, RefusesANumberThatNoDoubleHolds) {
  for (const char* text : {"[1e400]", "[1.9e308]", "[-1.9e308]"}) {
    json::Document document;
    const auto error = parse_exact_json(text, &document);
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->what, "Number too big to be stored in double.");
  }
}

TEST(Json, SaysWhereTheTextIsNoJson) {
  json::Document document;
  const auto error = parse_exact_json(R"({"a":1,})", &document);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->byte, 7u);
  EXPECT_FALSE(error->what.empty());
}

}  // namespace
}  // namespace lockstep
