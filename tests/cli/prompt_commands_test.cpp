// What the prompt prints of values and errors, and its commands.
#include "tests/cli/screen.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string typed(const std::string& lines, const RunOptions& how = {}) {
  RunOptions options = how;
  options.in = lines;
  Result r = run({"-i"}, options);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.out.substr(r.out.find('\n') + 1) + r.err;
}

TEST(PromptValues, LastResults) {
  EXPECT_EQ(typed("1\n2\nnil\n'x', true\n_, _1, _2, _3\n"), "1\n2\nnil\n'x'\ttrue\ntrue\t'x'\t2\t1\n");
  EXPECT_EQ(typed("4\n_\n_1\n_ + 1\n_\n"), "4\n4\nnil\n5\n5\n");
  EXPECT_EQ(typed("_ = 'mine'\n3\n_, _1\n"), "3\n'mine'\tnil\n");  // a variable of the user's
  EXPECT_EQ(typed("local _ <close> = setmetatable({}, {__close = function() print 'closed' end})\n3\n_\n"),
            "closed\n3\n3\n");
}

TEST(PromptValues, AScreenIsTheBound) {
  const std::string nested = typed(
      "u = {} for i = 1, 40 do u[i] = {} for j = 1, 40 do u[i][j] = {} for k = 1, 40 do u[i][j][k] = k end end "
      "end\nu\n");
  EXPECT_LE(std::count(nested.begin(), nested.end(), '\n'), 40) << nested;
  EXPECT_TRUE(has(nested, "… 35 more")) << nested;
  for (const char* name : {"_G", "torch", "nn"}) {
    const std::string shown = typed(std::string(name) + "\n");
    EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 40) << name;
    EXPECT_TRUE(has(shown, " more")) << shown;
  }
  EXPECT_TRUE(has(typed("torch\n"), "_addmm_activation = function, abs = function,"));  // in order
  EXPECT_EQ(typed("{[3] = 1, [-1] = 2, b = 3, [2.5] = 4, a = 5, [true] = 6}\n"),
            "{[-1] = 2, [2.5] = 4, [3] = 1, a = 5, b = 3, [true] = 6}\n");
  EXPECT_TRUE(has(typed("t = {} for i = 1, 200 do t[i] = i end\nt\n"), "26, 27,\n  28,"));
}

TEST(PromptValues, ObjectsSayWhatTheyAre) {
  EXPECT_EQ(
      typed("D = data.class('D') function D:len() return 3 end function D:get(i) return torch.ones(2) end\nD, D()\n"
            "data.DataLoader(D(), {batch_size = 2, shuffle = true})\n"),
      "class D\tD of 3 samples\nDataLoader, batches of 2: D of 3 samples\n");
}

TEST(PromptValues, StringsAreQuoted) {
  EXPECT_EQ(typed("'3', 3, 'a\\n\\t\\'\\\\'\n"), "'3'\t3\t'a\\n\\t\\'\\\\'\n");
  EXPECT_EQ(typed("'\\27[31m\\255'\n{'\\27'}\n"), "'\\x1b[31m\\xff'\n{'\\x1b'}\n");
  EXPECT_TRUE(has(typed("('x'):rep(100000)\n"), "…' (100000 bytes)\n"));
}

TEST(PromptValues, LargeTensorsHaveASummary) {
  EXPECT_TRUE(has(typed("torch.arange(2000)\n"), "\nint64[2000] on cpu: min 0, max 1999, mean 999.5\n"));
  EXPECT_TRUE(has(typed("x = torch.ones(40, 40) x[1][1] = 0/0\nx\n"),
                  "\nfloat32[40, 40] on cpu: min 1, max 1, mean 1, 1 nan\n"));
  EXPECT_TRUE(has(typed("torch.full({2000}, 0/0)\n"), ": all nan\n"));
  EXPECT_TRUE(has(typed("torch.ones(2000):gt(2)\n"), "bool[2000] on cpu: 0 true\n"));
  EXPECT_FALSE(has(typed("torch.ones(3)\n"), "on cpu"));
}

TEST(PromptErrors, ChunksHaveNumbers) {
  const std::string said = typed("function f()\n  error('deep')\nend\n1\nf()\n");
  EXPECT_TRUE(has(said, "[1]:2: deep\nstack traceback:")) << said;
  EXPECT_EQ(typed("error({code = 2})\n"), "error: {code = 2}\n");
  EXPECT_EQ(typed("function f()\n  return 1\nend\n?? [1]:2\n?? [1]\n"),
            "    1  function f()\n>   2    return 1\n    3  end\n    1  function f()\n    2    return 1\n    3  end\n");
  EXPECT_EQ(typed("1\n?? [7]\n?? [1]:9\n"), "1\nthere is no [7]\n[1] has 1 lines\n");
}

TEST(PromptErrors, FramesAreKept) {
  const std::string said = typed(
      "function f(a)\n  local b = a + 1\n  error('boom')\nend\nlocal q = 3\nfunction g(z) f(q) return z "
      "end\n:bt\ng('zz')\n"
      ":bt\n:locals\n:locals 2\n:locals 7\n");
  EXPECT_TRUE(has(said, "no error yet\n")) << said;
  EXPECT_TRUE(has(said, "1  [1]:3  global 'f'    error('boom')\n")) << said;
  EXPECT_TRUE(has(said, "  a                3\n  b                4\n")) << said;
  EXPECT_TRUE(has(said, "  z                \"zz\"\n  q                3   (from outside)\n")) << said;
  EXPECT_TRUE(has(said, ":locals expects the number of a frame, 1 to ")) << said;
}

TEST(PromptCommands, Measure) {
  EXPECT_TRUE(has(typed("local x = torch.ones(3)\n:time x:sum()\n"), "tensor(3.)\n"));
  EXPECT_TRUE(has(typed("local x = torch.ones(3)\n:time x:sum()\n"), " of processor time\n"));
  EXPECT_TRUE(has(typed("local x = 3\n:bench x + 1\n"), " (mean and standard deviation of "));
  EXPECT_TRUE(has(typed(":mem\n"), "process  "));
  EXPECT_EQ(typed("local a = 1\nb = 'x'\n:vars\n"), "  a                1\n  b                \"x\"\n");
  EXPECT_TRUE(has(typed(":time x = = 1\n"), "unexpected symbol near '='"));
}

TEST(PromptCommands, WhatStandsBehindThemCounts) {
  EXPECT_EQ(typed("local net1 = 1\nnet2 = 2\nb = 3\n:vars net\n:vars  zz\n"),
            "  net1             1\n  net2             2\nno variable has 'zz' in its name\n");
  EXPECT_EQ(typed(":mem x\n:bt 2\n"), ":mem stands alone, got 'x' behind it\n:bt stands alone, got '2' behind it\n");
}

TEST(PromptCommands, OnlyKnownWordsAtTheStartAreOnes) {
  EXPECT_EQ(typed(":tiem 3\n"), "':tiem' is no command; did you mean 'time'?\n");
  EXPECT_TRUE(has(typed(":eval()\n"), "`_:eval(…)` calls a method of the last result"));
}

TEST(PromptCommands, ExitUnlessItIsAVariable) {
  for (const char* word : {"exit", "quit", "exit()", "quit()"}) EXPECT_EQ(typed(std::string(word) + "\n1\n"), "");
  EXPECT_EQ(typed("exit = 5\nexit\n"), "5\n");
  EXPECT_EQ(typed("local quit = function() return 6 end\nquit()\n"), "6\n");
}

TEST(PromptCommands, FilesAndShell) {
  TempDir dir;
  dir.write("more.lua", "#!/usr/bin/env luth\nlocal loaded = 5\nreturn loaded + 1\n");
  dir.write("mod.lua", "return {version = 1}");
  const std::string edit = dir.write("edit.sh", "#!/bin/sh\necho 'print(\"from the editor\")' >\"$1\"\n");
  const std::string said = typed(
      ":load more.lua\nloaded\n1 + 1\nx = 7\nerror('no')\n:save all.lua\n!echo shell; exit 3\nmod = require 'mod' held "
      "= mod\n"
      "!echo 'return {version = 2}' >mod.lua\n:reload mod\nheld.version\n:reload nosuch\n:load nosuch.lua\n:save "
      "/nosuch/x\n:edit\n",
      {.env = {{"EDITOR", "sh " + edit}, {"VISUAL", ""}}, .dir = dir.path()});
  EXPECT_TRUE(has(said, "6\n5\n2\n4 blocks in all.lua\nshell\n")) << said;
  EXPECT_TRUE(has(said, "exit code 3\n") && has(said, "mod is loaded anew\n2\n")) << said;
  EXPECT_TRUE(has(said, "module 'nosuch' not found") && has(said, "nosuch.lua: No such file")) << said;
  EXPECT_TRUE(has(said, "/nosuch/x: No such file") && has(said, "from the editor\n")) << said;
  Result again = run({"all.lua"}, {.dir = dir.path()});
  EXPECT_EQ(again.out, "6\n5\n2\n") << again.err;
}

TEST(PromptCommands, WhatCannotBeSaysSo) {
  TempDir dir;
  const RunOptions here{.env = {{"EDITOR", "false"}, {"VISUAL", ""}}, .dir = dir.path()};
  EXPECT_EQ(typed(":edit\n:edit print\n??\n:reload string\n", here),
            "exit code 1\nthe source of 'print' is not Lua\n?? expects a name, `?? f`, or a place, `?? [1]:2`\n"
            "string is built in, or its file is gone: there is nothing to load anew\n");
}

// A function of an earlier block is edited by its block, which then runs.
TEST(PromptCommands, EditAFunctionOfABlock) {
  TempDir dir;
  const std::string edit = dir.write("edit.sh", "sed -i s/one/two/ \"$1\"\n");
  EXPECT_EQ(typed("function f() return 'one' end\n1\n:edit f\nf()\n",
                  {.env = {{"EDITOR", "sh " + edit}, {"VISUAL", ""}}, .dir = dir.path()}),
            "1\n'two'\n");
}

// Errors of what is measured, and of pictures, have the calls of the user's alone.
TEST(PromptErrors, TracebacksAreTheUsers) {
  EXPECT_EQ(typed(":time error('x')\n"),
            "[1]:1: x\nstack traceback:\n\t[C]: in function 'error'\n\t[1]:1: in local 'f'\n");
  EXPECT_TRUE(has(typed("function f()\n  error('deep')\nend\n:bench f()\n:bt\n"), "[1]:2: deep\n  1  [1]:2  "));
  EXPECT_EQ(typed("function f()\n  plot({1, 2}, {log = 'z'})\nend\nf()\n"),
            "[1]:2: plot: log is 'x', 'y' or 'xy', got 'z'\nstack traceback:\n\t[C]: in global 'plot'\n"
            "\t[1]:2: in function 'f'\n");
}

TEST(PromptErrors, AfterAScriptThatFailsThereIsAPrompt) {
  TempDir dir;
  const std::string script = dir.write("s.lua", "local inner = 5\nx = 7\nerror('no')\n");
  Result r = run({"-i", script}, {.in = "x\n:locals\n"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "s.lua:3: no") && has(r.out, "\n7\n") && has(r.out, "  inner            5\n"))
      << r.out << r.err;
  EXPECT_TRUE(has(run({"-i", "-e", "error('no')"}, {.in = "1 + 1\n"}).out, "\n2\n"));
  EXPECT_EQ(run({script}).code, 1);
}

TEST(PromptHelp, OfTheUsersValues) {
  const std::string define = "-- Doubles a number.\nfunction twice(x, y)\n  return x * 2\nend\n";
  TempDir dir;
  dir.write("d.lua", define);
  const RunOptions here{.dir = dir.path()};
  EXPECT_EQ(typed("dofile 'd.lua'\n? twice\n", here), "twice(x, y)    d.lua:2\n  Doubles a number.\n");
  EXPECT_EQ(typed("dofile 'd.lua'\n?? twice\n", here), "d.lua:2\n" + define);
  EXPECT_EQ(typed("local function f(a, ...)\n  return a\nend\n?? f\n"),
            "[1]:1\nlocal function f(a, ...)\n  return a\nend\n");
  EXPECT_TRUE(
      has(typed("m = nn.Linear(2, 3)\n? m\n"), "\n  9 parameters, 9 of them trained, 0 buffers, cpu, training mode\n"));
  EXPECT_TRUE(
      has(typed("D = data.class('D') function D:len() return 3 end function D:get(i) return i end d = D()\n? d\n"),
          "3 samples\n  1  1\n"));
  EXPECT_EQ(typed("t = {1, 2, a = 'x'}\n? t\n"), "table: 2 positions, 1 other keys\n  a                \"x\"\n");
  EXPECT_TRUE(has(typed("? nosuch\n"), "there is no help on 'nosuch'"));
  EXPECT_TRUE(has(typed("?? torch.sum\n"), "`? torch.sum` explains it"));
  EXPECT_TRUE(has(typed("Net = nn.class('Net')\nfunction Net:forward(x) return x end\nn = Net()\n?? n\n"),
                  "function Net:forward(x) return x end"));
}

}  // namespace
}  // namespace luth::testing
