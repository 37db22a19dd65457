// What the prompt reads out of a chunk's text.
#include "lang/hints/lua_tokens.h"

#include <gtest/gtest.h>

namespace luth::lang {
namespace {

using Names = std::vector<std::string>;

TEST(Chunk, FindsTopLevelLocals) {
  EXPECT_EQ(scan_chunk("local a").locals, Names({"a"}));
  EXPECT_EQ(scan_chunk("local a, b <const>, c = 1, 2").locals, Names({"a", "b", "c"}));
  EXPECT_EQ(scan_chunk("local a = function() local b end local c").locals, Names({"a", "c"}));
  EXPECT_EQ(scan_chunk("local function f(x) local y end local z = f{1}").locals, Names({"f", "z"}));
  EXPECT_EQ(scan_chunk("local a; local b; local a").locals, Names({"b", "a"}));
  EXPECT_EQ(scan_chunk("local a <close>, b = x, y").locals, Names({"b"}));
}

TEST(Chunk, SkipsBlocks) {
  for (auto block :
       {"do local x end", "if a then local x elseif b then local x else local x end", "while a do local x end",
        "for i = 1, 2 do local x end", "for k in p() do local x end", "repeat local x until x",
        "function f() local x end", "f(function() local x end)", "if a then do local x end end"})
    EXPECT_EQ(scan_chunk(std::string(block) + " local y").locals, Names({"y"})) << block;
}

TEST(Chunk, SkipsStringsAndComments) {
  for (auto text :
       {"s = 'local x'", "s = \"local x\"", "s = 'it\\'s local x'", "s = [[local x]]", "s = [==[ ]] local x]==]",
        "-- local x\n", "--[[ local x ]]", "--[=[ ]] local x ]=] ", "s = t[ [[local x]] ]", "s = 'a\\\\' "})
    EXPECT_EQ(scan_chunk(std::string(text) + " local y").locals, Names({"y"})) << text;
  EXPECT_EQ(scan_chunk("local y -- local x").locals, Names({"y"}));
  EXPECT_EQ(scan_chunk("n = 0x1p4 + 3e5 + 1..2 local y").locals, Names({"y"}));
}

TEST(Chunk, FindsWhereStatementsEnd) {
  EXPECT_EQ(scan_chunk("local a return a").end, 8u);
  EXPECT_EQ(scan_chunk("local f = function() return 1 end").end, 33u);
  EXPECT_EQ(scan_chunk("x = 1").end, 5u);
}

TEST(Chunk, ListsNamesUsed) {
  const ChunkNames names = scan_chunk("a.b = c 'd' -- e");
  EXPECT_TRUE(names.used.contains("a") && names.used.contains("c"));
  EXPECT_FALSE(names.used.contains("d") || names.used.contains("e"));
}

}  // namespace
}  // namespace luth::lang
