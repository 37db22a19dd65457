#include "core/base/visible.h"

#include <gtest/gtest.h>

namespace luth {
namespace {

TEST(Visible, LeavesTextAsItIs) {
  for (const char* text : {"", "a\n\tb", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}) EXPECT_EQ(visible(text), text);
}

TEST(Visible, ShowsWhatATerminalObeys) {
  EXPECT_EQ(visible("a\x1b[2Jb\r\x7f"), R"(a\x1b[2Jb\x0d\x7f)");
  EXPECT_EQ(visible(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(visible("\xc2\x9b"), R"(\xc2\x9b)");
  EXPECT_EQ(visible("\xe2\x80\xae\xe2\x81\xa9\xd8\x9c"), R"(\xe2\x80\xae\xe2\x81\xa9\xd8\x9c)");
}

TEST(Visible, ShowsBytesThatAreNoText) {
  EXPECT_EQ(visible("\x9b\xff\xc3"), R"(\x9b\xff\xc3)");
  EXPECT_EQ(visible("\xed\xa0\x80\xc0\x80"), R"(\xed\xa0\x80\xc0\x80)");
}

TEST(Visible, ForeignTextIsAShortLine) {
  EXPECT_EQ(foreign("weight"), "weight");
  EXPECT_EQ(foreign("a\nb\tc\x1b"), R"(a\x0ab\x09c\x1b)");
  EXPECT_EQ(foreign(std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(foreign(std::string(1 << 20, 'x')), std::string(100, 'x') + "…");
  EXPECT_EQ(foreign("ééé", 2), "éé…");
}

}  // namespace
}  // namespace luth
