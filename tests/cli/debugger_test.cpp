// breakpoint() and `luth --debug`.
#include <gtest/gtest.h>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string script = R"lua(local Net = nn.class('Net')
function Net:init() self.fc = nn.Linear(2, 2) end
function Net:forward(x)
  local y = self.fc(x)
  local z = y:relu()
  return z
end
local net, total = Net(), 0
for i = 1, 3 do
  local out = net(torch.ones(1, 2))
  total = total + i
end
print('total', total)
error('the end')
)lua";

// What the debugger says to these commands.
std::string debugged(const std::string& commands, const std::string& code = script, bool from_start = true) {
  TempDir dir;
  dir.write("d.lua", code);
  Result r = run(from_start ? std::vector<std::string>{"--debug", "d.lua"} : std::vector<std::string>{"d.lua"},
                 {.in = commands, .dir = dir.path()});
  EXPECT_FALSE(r.timed_out);
  return r.out;
}

TEST(Debugger, StopsAtBreakpointsWithinForward) {
  const std::string said =
      debugged("b 11\nb d.lua:5\nb\nc\nx:sum():item()\nl\nu\ntotal\ni\nd\nc\nc\ndel 2\ndel 1\nb\nc\nq\n");
  EXPECT_TRUE(has(said, "d.lua:1  main chunk\n>   1  local Net")) << said;
  EXPECT_TRUE(has(said, "breakpoint 2\nd.lua:5  function <d.lua:3>\n>   5    local z = y:relu()\n")) << said;
  EXPECT_TRUE(has(said, "(debug) 2.0\n") && has(said, "  y                float32[1, 2] on cpu\n")) << said;
  EXPECT_TRUE(has(said, "d.lua:10  main chunk\n") && has(said, "(debug) 0\n(debug) 1\n")) << said;
  EXPECT_TRUE(has(said, "breakpoint 1\nd.lua:11  main chunk\n") && has(said, "(debug) no breakpoints\n")) << said;
  EXPECT_TRUE(has(said, "total\t6\n")) << said;
  EXPECT_TRUE(has(said, "d.lua:14: the end\nd.lua:14  main chunk\n>  14  error('the end')\n")) << said;
}

TEST(Debugger, StepsIntoOverAndOut) {
  const std::string code =
      "local function inner(a)\n  local b = a + 1\n  return b\nend\nlocal x = inner(1)\nx = inner(x)\nprint(x)\n";
  EXPECT_TRUE(has(debugged("b 5\nc\ns\nl\ns\n\nw\nc\n", code), "d.lua:2  "));
  const std::string over = debugged("b 5\nc\nn\nn\nc\n", code);
  EXPECT_TRUE(has(over, "d.lua:6  main chunk") && has(over, "d.lua:7  main chunk") && !has(over, "d.lua:2  ")) << over;
  const std::string out = debugged("b 2\nc\nf\nx\nw\nq\n", code);
  EXPECT_TRUE(has(out, "d.lua:6  main chunk") && has(out, "(debug) 2\n")) << out;
  EXPECT_TRUE(has(debugged("p nothing\n1, nil\nq\n", code), "(debug) nil\n(debug) 1\tnil\n"));
  EXPECT_TRUE(has(debugged("b 3\nc\nb = 50\ndel 1\nc\n", code), "(debug) 51\n"));
  // of two variables of one name the nearer one is set
  const std::string shadowed = "local x = 1\ndo\n  local x = 2\n  print('inner', x)\nend\nprint('outer', x)\n";
  const std::string said = debugged("b 4\nc\nx = 7\nc\n", shadowed);
  EXPECT_TRUE(has(said, "inner\t7\n") && has(said, "outer\t1\n")) << said;
}

TEST(Debugger, StopsInCoroutines) {
  const std::string code =
      "local function items(n)\n  for i = 1, n do\n    local twice = 2 * i\n    coroutine.yield(twice)\n  end\nend\n"
      "local item = coroutine.wrap(items)\nlocal total = item(3)\nbreakpoint()\nfor _ = 1, 2 do\n"
      "  total = total + item()\nend\nprint('total', total)\n";
  // one that was made, and has run, before there was a breakpoint
  const std::string said = debugged("b 3\nc\ni\nw\nu\ntotal\ntotal = 100\nd\nn\ntwice\ntwice = 7\nc\nc\n", code, false);
  EXPECT_TRUE(has(said, "breakpoint 1\nd.lua:3  function <d.lua:1>\n>   3      local twice = 2 * i\n(debug) 2\n"))
      << said;
  EXPECT_TRUE(has(said, "> 1  d.lua:3  function <d.lua:1>\n  2  d.lua:11  main chunk\n")) << said;
  EXPECT_TRUE(has(said, "d.lua:11  main chunk\n>  11    total = total + item()\n(debug) 2\n")) << said;
  EXPECT_TRUE(has(said, "d.lua:4  function <d.lua:1>\n>   4      coroutine.yield(twice)\n(debug) 4\n")) << said;
  EXPECT_TRUE(has(said, "total\t113\n")) << said;
  const std::string over = debugged("b 11\nc\nc\nn\nn\ndel 1\nc\n", code);
  EXPECT_FALSE(has(over, "d.lua:3  ") || has(over, "d.lua:4  ")) << over;
  const std::string into = debugged("b 11\nc\nc\ndel 1\ns\nf\nc\n", code);
  EXPECT_TRUE(has(into, "d.lua:5  function <d.lua:1>\n") || has(into, "d.lua:2  function <d.lua:1>\n")) << into;
  EXPECT_TRUE(has(into, "d.lua:10  main chunk\n")) << into;
}

TEST(Debugger, BreakpointsThatCannotBe) {
  const std::string said = debugged("b 99\nb nosuch.lua:3\nb 2\nb d.lua:3\nb ./d.lua:4\nb\nc\nq\n",
                                    "local a = 1\n\n-- a comment\nlocal b = 2\nprint(a, b)\n");
  EXPECT_TRUE(has(said, "(debug) d.lua has 5 lines\n")) << said;
  EXPECT_TRUE(
      has(said, "breakpoint 1 at nosuch.lua:3; no such file is here, so it waits until one of that name runs\n"))
      << said;
  EXPECT_TRUE(has(said, "(debug) breakpoint 2 at d.lua:4, since line 2 has no code\n")) << said;
  EXPECT_TRUE(has(said, "breakpoint 2\nd.lua:4  main chunk\n")) << said;
  const std::string moved = debugged("b 2\nb 7\nb 9\nc\nq\n",
                                     "local a = 1\n--[[ no\ncode = 1 ]]\nif a then\n  a = 2\n"
                                     "  a = 3\nend\nprint(a)\n-- the end\n");
  EXPECT_TRUE(has(moved, "1 at d.lua:4, since line 2 has no code\n(debug) breakpoint 2 at d.lua:8, since line 7 has"))
      << moved;
  EXPECT_TRUE(has(moved, "d.lua has no code from line 9 on\n") && has(moved, "breakpoint 1\nd.lua:4  main")) << moved;
}

TEST(Debugger, StopsInHooks) {
  const std::string said = debugged(
      "seen\nseen = 41\nn\nn\nseen\nc\n",
      "local net = nn.Linear(2, 2)\nnet:register_forward_hook(function(m, input, output)\n"
      "  local seen = 1\n  breakpoint()\n  seen = seen + 1\n  print('saw', seen)\nend)\nnet(torch.ones(1, 2))\n",
      false);
  EXPECT_TRUE(has(said, "d.lua:4  function <d.lua:2>\n>   4    breakpoint()\n(debug) 1\n")) << said;
  EXPECT_TRUE(has(said, "(debug) 42\n") && has(said, "saw\t42\n")) << said;
}

TEST(Debugger, BadCommandsAreAnswered) {
  const std::string said = debugged("b x\ndel 9\nx = = 1\nnosuch.field\nh\nq\n");
  EXPECT_TRUE(has(said, "b expects a line") && has(said, "del expects the number")) << said;
  EXPECT_TRUE(has(said, "unexpected symbol near '='") && has(said, "attempt to index a nil value")) << said;
  EXPECT_TRUE(has(said, "s, step     to the next line")) << said;
}

}  // namespace
}  // namespace luth::testing
