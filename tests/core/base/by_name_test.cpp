// Lists of classes in order of name.
#include "core/base/by_name.h"

#include <gtest/gtest.h>

#include <string>

namespace luth {
namespace {

struct Class {
  std::string name, brief;
};

// The later of two would be found or not by the order of files.
TEST(ByName, TwoOfOneNameAreAnError) {
  const Class a{"Linear", "the first"}, b{"Bilinear", ""}, c{"Linear", "the second"};
  std::vector<const Class*> list;
  insert_by_name(list, &a);
  insert_by_name(list, &b);
  EXPECT_EQ(list[0], &b);
  EXPECT_EQ(find_by_name(list, "Linear"), &a);
  EXPECT_EQ(find_by_name(list, "Lin"), nullptr);
  insert_by_name(list, &c);
  try {
    find_by_name(list, "Linear");
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "two classes are named 'Linear': \"the first\" and \"the second\"");
  }
  EXPECT_EQ(find_by_name(list, "Bilinear"), &b);
}

}  // namespace
}  // namespace luth
