// JSON to trees and back, and text that is none.
#include "core/io/json.h"

#include <limits>

#include "tests/core/io/io_util.h"

namespace luth::io::testing {
namespace {

std::string refusal(const std::string& text) {
  const Failure f = failure([&] { from_json(text); });
  EXPECT_EQ(f.code, int(ErrorCode::usage)) << text.substr(0, 80);
  return f.text;
}
std::string repeated(const char* text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

TEST(Json, RoundTrips) {
  for (const char* text : {"null", "true", "-7", "9223372036854775807", "1.0", "0.1", "\"\"", R"("a\"\\\n\u0001ü")",
                           "[]", "{}", R"([1,[2,[]],{"a":{"b":null}},"x"])", R"({"z":1,"a":[false],"":{}})"})
    EXPECT_EQ(to_json(from_json(text)), text);
  EXPECT_EQ(to_json(from_json(" { \"a\" : [ 1 , 2.5e1 ] } ")), R"({"a":[1,25.0]})");
}

TEST(Json, WhatHasNoForm) {
  EXPECT_EQ(to_json(Item(List{std::numeric_limits<double>::infinity(), std::nan("")})), "[null,null]");
  EXPECT_EQ(to_json(Item("\xff")), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(to_json(map_of({{Key(int64_t(3)), 4}})), R"({"3":4})");
  EXPECT_TRUE(contains(failure([] { to_json(Item(Tensor::empty({1}, Dtype::f32, host()))); }).text, "tensor"));
}

TEST(Json, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "1 2", "'a'", "\"\xff\""})
    EXPECT_TRUE(contains(refusal(text), "no JSON")) << text;
  EXPECT_TRUE(contains(refusal(R"({"a":1,"b":{},"a":2})"), "key 'a' twice"));
  EXPECT_TRUE(contains(refusal("9223372036854775808"), "63 bits"));
  EXPECT_TRUE(contains(refusal(repeated("[", 200000)), "nested deeper"));
  EXPECT_TRUE(contains(refusal(repeated("{\"a\":", 200000)), "nested deeper"));
}

}  // namespace
}  // namespace luth::io::testing
