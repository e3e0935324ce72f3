#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdint>

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

}  // namespace
}  // namespace lockstep
