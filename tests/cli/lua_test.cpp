// `luth` as an interpreter: Lua's own command-line conventions, exit codes, error texts, interrupts.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Lua, RunsCodeInOrder) {
  Result r = run({"-e", "x = 1", "-ex = x + 1", "-e", "print(x)"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "2\n");
  EXPECT_EQ(r.err, "");
}

TEST(Lua, EmptyCodeIsSilent) {
  Result r = run({"-e", ""});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
}

TEST(Lua, ScriptGetsArgTableAndVarargs) {
  TempDir dir;
  dir.write("a.lua", "print(...) print(arg[0], #arg, arg[1], arg[-1], arg[-2] == '-W')");
  Result r = run({"-W", "-e", "", "a.lua", "-i", "--threads", "x"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "-i\t--threads\tx\na.lua\t3\t-i\t\tfalse\n");
}

TEST(Lua, NegativeArgReachesTheProgram) {
  Result r = run({"-e", "print(arg[0] ~= nil, arg[1], arg[2])", "-W"});
  EXPECT_EQ(r.out, "true\t-e\tprint(arg[0] ~= nil, arg[1], arg[2])\n");
  TempDir dir;
  dir.write("n.lua", "local i = 0 while arg[i - 1] do i = i - 1 end print(i, arg[-1])");
  r = run({"--threads", "2", "-E", "n.lua"}, {.dir = dir.path()});
  EXPECT_EQ(r.out, "-4\t-E\n");
}

TEST(Lua, ModulesBesideTheScript) {
  TempDir dir, other;
  dir.write("its own.lua", "return 'beside'");
  other.write("its own.lua", "return 'in the working folder'");
  const std::string script = dir.write("a.lua", "print((require 'its own'))");
  EXPECT_EQ(run({script}, {.dir = other.path()}).out, "beside\n");
  EXPECT_EQ(run({"a.lua"}, {.dir = dir.path()}).out, "beside\n");
}

TEST(Lua, ShebangAndByteOrderMark) {
  TempDir dir;
  EXPECT_EQ(run({dir.write("s.lua", "#!/usr/bin/env luth\nprint(1)")}).out, "1\n");
  EXPECT_EQ(run({dir.write("b.lua", "\xEF\xBB\xBFprint(2)")}).out, "2\n");
  EXPECT_EQ(run({dir.write("bs.lua", "\xEF\xBB\xBF#!luth\nprint(3)")}).out, "3\n");
  Result r = run({dir.write("e.lua", "#!luth\nerror('x')")});
  EXPECT_TRUE(has(r.err, "e.lua:2: x")) << r.err;
}

TEST(Lua, StandardInput) {
  EXPECT_EQ(run({}, {.in = "print('in')"}).out, "in\n");
  EXPECT_EQ(run({"-", "a", "b"}, {.in = "print(arg[0], ...)"}).out, "-\ta\tb\n");
  EXPECT_EQ(run({"-e", "print(1)"}, {.in = "print('never')"}).out, "1\n");
  Result r = run({"-"}, {.in = "\n\nerror('x')"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "stdin:3: x")) << r.err;
  EXPECT_EQ(run({"-"}, {.in = "\xEF\xBB\xBF#!luth\nprint(3)"}).out, "3\n");
  r = run({"-"}, {.prepare = [] { return ::dup2(::open("/", O_RDONLY), 0) == 0; }});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "cannot read stdin: Is a directory")) << r.err;
  r = run({}, {.in = "local x = 1\nx += 1"});
  EXPECT_TRUE(has(r.err, "stdin:2:") && has(r.err, "hint: Lua has no +=")) << r.err;
}

TEST(Lua, RequireOption) {
  TempDir dir;
  dir.write("m.lua", "return {v = 7}");
  EXPECT_EQ(run({"-l", "m", "-e", "print(m.v)"}, {.dir = dir.path()}).out, "7\n");
  EXPECT_EQ(run({"-lg=m", "-e", "print(g.v, m)"}, {.dir = dir.path()}).out, "7\tnil\n");
  Result r = run({"-l", "missing_module"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "module 'missing_module' not found")) << r.err;
}

TEST(Lua, InitAndPathsFromTheEnvironment) {
  TempDir dir;
  dir.write("init.lua", "y = 5");
  dir.write("lib/m.lua", "return 'found'");
  Env init{{"LUA_INIT", "x = 4"}}, both{{"LUA_INIT", "x = 4"}, {"LUA_INIT_5_4", "@" + (dir / "init.lua")}};
  EXPECT_EQ(run({"-e", "print(x)"}, {.env = init}).out, "4\n");
  EXPECT_EQ(run({"-e", "print(x, y)"}, {.env = both}).out, "nil\t5\n");
  EXPECT_EQ(run({"-E", "-e", "print(x)"}, {.env = init}).out, "nil\n");
  Env path{{"LUA_PATH", dir / "lib/?.lua;;"}};
  EXPECT_EQ(run({"-e", "print(require 'm')"}, {.env = path}).out, "found\t" + (dir / "lib/m.lua") + "\n");
  EXPECT_EQ(run({"-E", "-e", "print(pcall(require, 'm'))"}, {.env = path}).out.substr(0, 5), "false");
  Result r = run({"-e", ""}, {.env = {{"LUA_INIT", "error('in init')"}}});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "LUA_INIT:1: in init")) << r.err;
}

TEST(Lua, ModulesOfTheInstallationComeLast) {
  TempDir dir;
  dir.write("m.lua", "return 'share'");
  dir.write("p/init.lua", "return 'package'");
  Env share{{"LUTH_SHARE", dir.path()}};
  EXPECT_EQ(run({"-e", "print((require 'm'), (require 'p'))"}, {.env = share}).out, "share\tpackage\n");
  TempDir own;
  own.write("m.lua", "return 'own'");
  EXPECT_EQ(run({"-e", "print((require 'm'))"}, {.env = share, .dir = own.path()}).out, "own\n");
}

TEST(Lua, NamesThatAreNoUtf8) {
  TempDir dir;
  Result r = run({dir.write("\xff\xfe.lua", "print(arg[0]:byte(-5), #'\xff') error('x')")});
  EXPECT_EQ(r.out, "254\t1\n");
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "\xff\xfe.lua:1: x")) << r.err;
  EXPECT_EQ(run({"\xff\xfe"}).code, 2);
}

TEST(Lua, VersionAndWarnings) {
  EXPECT_EQ(run({"-v"}).out.substr(0, 5), "luth ");
  EXPECT_EQ(run({"--version"}).out, run({"-v"}).out);
  EXPECT_EQ(run({"-W", "-e", "warn('careful')"}).err, "Lua warning: careful\n");
  EXPECT_EQ(run({"-e", "warn('careful')"}).err, "");
}

TEST(Lua, ErrorsHaveTextPlaceAndTraceback) {
  TempDir dir;
  Result r = run({dir.write("a.lua", "local function f()\n  error('boom')\nend\nf()")});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(has(r.err, "a.lua:2: boom\nstack traceback:\n")) << r.err;
  EXPECT_TRUE(has(r.err, "a.lua:4: in main chunk")) << r.err;
  r = run({"-e", "error(setmetatable({}, {__tostring = function() return 'an object' end}))"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "luth: an object")) << r.err;
  EXPECT_TRUE(has(run({"-e", "error({})"}).err, "(error object is a table value)"));
  EXPECT_TRUE(has(run({"-e", "error()"}).err, "(error object is a nil value)"));
  EXPECT_TRUE(has(run({"-e", "error(setmetatable({}, {__tostring = error}))"}).err, "luth: "));
  r = run({"-e", "x ="});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "(command line):1: unexpected symbol near <eof>")) << r.err;
}

TEST(Lua, OutputBeforeAnErrorIsKept) {
  Result r = run({"-e", "print('before') error('x')"});
  EXPECT_EQ(r.out, "before\n");
}

TEST(Lua, RecursionWithoutEnd) {
  Result r = run({"-e", "local function f() return 1 + f() end f()"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "stack overflow")) << r.err;
  EXPECT_LT(r.err.size(), 4000u);
  r = run({"-e", "local t = setmetatable({}, {__index = function(t, k) return t[k] end}) print(t.x)"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "C stack overflow")) << r.err;
  r = run({"-e", "local function f(e) f(e) end xpcall(error, f) print('alive')"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "alive\n");
}

TEST(Lua, OutOfMemory) {
  if (address_sanitizer) GTEST_SKIP() << "its shadow memory needs the address space";
  const RunOptions small{.prepare = limited(RLIMIT_AS, size_t(512) << 20)};
  Result r =
      run({"-e", "local t, s = {}, string.rep('x', 1 << 16) for i = 1, math.huge do t[i] = s:rep(256) end"}, small);
  EXPECT_EQ(r.code, 4);
  EXPECT_EQ(r.err, "luth: not enough memory\n");
  r = run({"-e", "print(pcall(string.rep, 'x', 1 << 30)) print('alive')"}, small);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "false\tnot enough memory\nalive\n");
}

TEST(Lua, FinalizersLeaveTheInputsOfAnOperatorThatWaitsForMemory) {
  if (address_sanitizer) GTEST_SKIP() << "its shadow memory needs the address space";
  const std::string script = R"lua(
collectgarbage 'stop'  -- but for want of memory
local x, kept, waits, answers = torch.ones(1000000), {}, false, {}
local moves = {
  data = function() x.data = torch.zeros(0) end,
  resize = function() x:resize_(4000000) end,
  set = function() x:set_() end,
}
local function collected()
  if not waits then return end
  for name, move in pairs(moves) do answers[name] = select(2, pcall(move)) end
end
print((pcall(function()
  while true do
    setmetatable({}, { __gc = collected })
    waits = true
    kept[#kept + 1] = x + 1
    waits = false
  end
end)))
waits, kept = false, nil
for name in pairs(moves) do
  print(name, tostring(answers[name]):find('a finalizer cannot give a tensor other memory here', 1, true) ~= nil)
end
x.data = torch.ones(3)
print(x:sum():item())
)lua";
  const Result r = run({"-e", script}, {.prepare = limited(RLIMIT_AS, size_t(512) << 20)});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* line : {"false\n", "data\ttrue\n", "resize\ttrue\n", "set\ttrue\n", "3.0\n"})
    EXPECT_TRUE(has(r.out, line)) << r.out;
}

TEST(Lua, ExitAndClosing) {
  EXPECT_EQ(run({"-e", "os.exit(7)"}).code, 7);
  EXPECT_EQ(run({"-e", "os.exit(true, true)"}).code, 0);
  EXPECT_EQ(run({"-e", "setmetatable({}, {__gc = function() print('closed') end})"}).out, "closed\n");
}

TEST(Lua, WordsThatAreNeither) {
  Result r = run({"hepl"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "did you mean 'help'?")) << r.err;
  EXPECT_FALSE(has(r.err, "traceback"));
  TempDir dir;
  dir.write("train_it.lua", "");
  r = run({"train_i.lua"}, {.dir = dir.path()});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "cannot open 'train_i.lua'")) << r.err;
  EXPECT_TRUE(has(r.err, "did you mean 'train_it.lua'?")) << r.err;
  EXPECT_TRUE(has(run({dir / "train_i.lua"}).err, "did you mean '" + (dir / "train_it.lua") + "'?"));
  r = run({dir.path()});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "it is a folder")) << r.err;
  for (std::vector<std::string> args : {std::vector<std::string>{"-x"},
                                        {"-e"},
                                        {"-l", "-e"},
                                        {"--thread", "2"},
                                        {"--threads"},
                                        {"--threads", "0"},
                                        {"--threads=two"},
                                        {"-vx"}})
    EXPECT_EQ(run(args).code, 2) << args[0];
  EXPECT_TRUE(has(run({"--thread", "2"}).err, "did you mean '--threads'?"));
}

TEST(Lua, SubcommandsBeatFilesAndPathsBeatSubcommands) {
  TempDir dir;
  dir.write("help", "print('the file')");
  EXPECT_TRUE(has(run({"help"}, {.dir = dir.path()}).out, "usage: luth"));
  EXPECT_EQ(run({"./help"}, {.dir = dir.path()}).out, "the file\n");
  EXPECT_EQ(run({"--", "help"}, {.dir = dir.path()}).out, "the file\n");
  EXPECT_EQ(run({"-W", "help"}, {.dir = dir.path()}).out, "the file\n");
  EXPECT_TRUE(has(run({"--threads", "1", "help"}, {.dir = dir.path()}).out, "usage: luth"));
}

TEST(Lua, HelpAndCompletion) {
  Result r = run({"--help"});
  EXPECT_EQ(r.code, 0);
  for (auto word : {"completion", "doctor", "--threads", "-l MODULE"}) EXPECT_TRUE(has(r.out, word)) << word;
  for (auto shell : {"bash", "zsh", "fish"}) {
    r = run({"completion", shell});
    EXPECT_EQ(r.code, 0) << shell;
    EXPECT_TRUE(has(r.out, "doctor")) << shell;
    EXPECT_FALSE(has(r.out, "@") && std::string(shell) == "bash") << "an unfilled place";
  }
  EXPECT_EQ(run({"completion", "csh"}).code, 2);
  EXPECT_EQ(run({"completion"}).code, 2);
}

TEST(Lua, LettersAreTheSameInEveryLanguage) {
  locale_t turkish = newlocale(LC_CTYPE_MASK, "tr_TR.UTF-8", nullptr);
  if (!turkish) GTEST_SKIP() << "the locale tr_TR.UTF-8 is not installed";
  freelocale(turkish);
  Result r = run({"-e",
                  "local x = torch.ones(2, {requires_grad = true})\n"
                  "print(('i'):upper(), x:index_select(1, torch.tensor {1}).grad_fn:name())"},
                 {.env = {{"LC_ALL", "tr_TR.UTF-8"}}});
  EXPECT_EQ(r.out, "I\tIndexSelectBackward0\n") << r.err;
}

TEST(Lua, Utf8ByDefault) {
  for (auto locale : {"C", "POSIX", "C.UTF-8", "xx_YY.nonsense"}) {
    Result r = run({"-e", "print(utf8.len('Zürich'), os.setlocale(nil, 'ctype'):upper():find('UTF') ~= nil)"},
                   {.env = {{"LC_ALL", locale}}});
    EXPECT_EQ(r.out, "6\ttrue\n") << locale;
  }
}

TEST(Interrupt, EndsLoops) {
  for (std::string loop :
       {"while true do end", "coroutine.wrap(function() while true do end end)()",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "local co = coroutine.wrap(function() for i = 1, math.huge do end end) while true do co() end",
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function(m) return m end) end"}) {
    Process p({"-e", "io.write('ready\\n'):flush() " + loop});
    ASSERT_TRUE(p.wait_for("ready")) << loop;
    p.signal(SIGINT);
    Result r = p.wait();
    EXPECT_EQ(r.code, 130) << loop;
    EXPECT_TRUE(has(r.err, "(command line):1: interrupted\n")) << r.err;
    EXPECT_FALSE(has(r.err, "traceback"));
  }
}

TEST(Interrupt, Terminate) {
  Process p({"-e", "io.write('ready\\n'):flush() while true do end"});
  ASSERT_TRUE(p.wait_for("ready"));
  p.signal(SIGTERM);
  Result r = p.wait();
  EXPECT_EQ(r.code, 143);
  EXPECT_TRUE(has(r.err, "terminated")) << r.err;
}

TEST(Interrupt, RunsClosingCode) {
  Process p({"-e",
             "local _ <close> = setmetatable({}, {__close = function() print('closed') end}) "
             "io.write('ready\\n'):flush() while true do end"});
  ASSERT_TRUE(p.wait_for("ready"));
  p.signal(SIGINT);
  Result r = p.wait();
  EXPECT_EQ(r.code, 130);
  EXPECT_TRUE(has(r.out, "closed")) << r.out;
}

TEST(Interrupt, SecondOneEndsAtOnce) {
  // after the first interrupt closing code may run as long as it likes; the second leaves no choice
  Process p(
      {"-e",
       "local _ <close> = setmetatable({}, {__close = function() io.write('closing\\n'):flush() while true do end "
       "end}) io.write('ready\\n'):flush() while true do end"});
  ASSERT_TRUE(p.wait_for("ready"));
  p.signal(SIGINT);
  ASSERT_TRUE(p.wait_for("closing"));
  p.signal(SIGINT);
  EXPECT_EQ(p.wait().code, 130);
}

TEST(Interrupt, WaitingForInputEnds) {
  TempDir dir;
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  const int keep = open((dir / "fifo").c_str(), O_RDWR);  // a writer that never writes
  Process p({"-e", "local f = io.open('fifo') io.write('ready\\n'):flush() f:read() print('never')"},
            {.dir = dir.path()});
  ASSERT_TRUE(p.wait_for("ready"));
  usleep(100000);
  p.signal(SIGINT);
  Result r = p.wait();
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_FALSE(has(r.out, "never"));
  close(keep);
}

// What was printed must have arrived.
TEST(Lua, OutputThatCannotBeWritten) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  setenv("PROGRAM", luth::testing::program().c_str(), 1);  // a path may have any quotes
  for (const std::string words :
       {"--help", "help", "--version", "-e 'print(1)'", "-e 'print(1) os.exit(0)'", "completion bash"}) {
    TempDir dir;
    const int status = system(("\"$PROGRAM\" " + words + " > /dev/full 2> '" + (dir / "err") + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_TRUE(has(read_file(dir / "err"), "luth: cannot write standard output")) << words;
  }
  EXPECT_EQ(system("\"$PROGRAM\" -e 'local x = 1' > /dev/full"), 0);
}

// A program that is started without standard descriptors opens no file in their places.
TEST(Lua, FilesDoNotBecomeStandardOutput) {
  const std::string code =
      "local f = assert(io.open('log', 'w')) print('printed') io.stdout:flush() io.stderr:write('said') "
      "f:write('mine', tostring(io.read())) f:close()";
  for (const std::vector<int>& closed : std::vector<std::vector<int>>{{1}, {2}, {0}, {0, 1, 2}}) {
    TempDir dir;
    const auto prepare = [&] { return std::all_of(closed.begin(), closed.end(), [](int fd) { return !close(fd); }); };
    const Result r = run({"-e", code}, {.in = "typed", .dir = dir.path(), .prepare = prepare});
    EXPECT_EQ(read_file(dir / "log"), closed[0] == 0 ? "minenil" : "minetyped");
    EXPECT_EQ(r.code, has(r.out, "printed") ? 0 : 1) << r.err;
  }
}

// A hint on a syntax error reads the file again, which a pipe would not give.
TEST(Lua, SyntaxErrorsInAPipe) {
  TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(dir / "pipe") << "x = = 1\n"; });
  const Result r = run({dir / "pipe"}, {.timeout = 60});
  writer.join();
  EXPECT_FALSE(r.timed_out);
  EXPECT_TRUE(has(r.err, "pipe:1: unexpected symbol near '='")) << r.err;
}

TEST(Lua, ThreadsOfTheEnvironment) {
  Result r = run({"-e", "print(torch.get_num_threads())"}, {.env = {{"LUTH_THREADS", "abc"}}});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "LUTH_THREADS expects a count of 1 to 4096, got 'abc'")) << r.err;
  EXPECT_EQ(run({"--threads", "3", "-e", "print(torch.get_num_threads())"}, {.env = {{"LUTH_THREADS", "abc"}}}).out,
            "3\n");
  EXPECT_EQ(run({"-e", ""}, {.env = {{"LUTH_THREADS", ""}}}).code, 0);
  EXPECT_EQ(run({"--help"}, {.env = {{"LUTH_THREADS", "abc"}}}).code, 0);
}

}  // namespace
}  // namespace luth::testing
