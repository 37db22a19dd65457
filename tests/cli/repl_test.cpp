// The prompt, at a pseudo-terminal and from a pipe.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/cli/run.h"

namespace luth::testing {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string typed(const std::string& lines) {
  Result r = run({"-i"}, {.in = lines});
  EXPECT_EQ(r.code, 0) << r.err;
  const size_t banner = r.out.find('\n') + 1;
  return r.out.substr(banner) + r.err;
}

TEST(Prompt, PrintsExpressions) {
  EXPECT_EQ(typed("1 + 1\n'a', nil, true\nx = 5\nx\n= x\n(function() end)()\n"), "2\n'a'\tnil\ttrue\n5\n5\n");
}

TEST(Prompt, PrintsWhatPlainTablesHold) {
  EXPECT_EQ(typed("{1, 2, a = 3, ['b c'] = 'x'}\n{}\n"), "{1, 2, a = 3, ['b c'] = 'x'}\n{}\n");
  EXPECT_EQ(typed("torch.zeros(2, 3):stride()\n"), "{3, 1}\n");
  EXPECT_EQ(typed("t = {1} t.me = t\nt\n"), "{1, me = {…: itself}}\n");
  EXPECT_EQ(typed("{{{{{{{}}}}}}}\n"), "{{{{{{…}}}}}}\n");
  EXPECT_EQ(typed("setmetatable({}, {__tostring = function() return 'own' end})\n"), "own\n");
  const std::string dict = typed("nn.Linear(3, 4):state_dict()\n");
  EXPECT_TRUE(has(dict, "weight = float32[4, 3] tensor, bias = tensor([")) << dict;
  const std::string many = typed("t = {} for i = 1, 1000 do t[i] = i end\nt\n");
  EXPECT_TRUE(has(many, "… 600 more") && many.size() < 2000) << many;
  EXPECT_EQ(typed("{['end'] = 1, fine = 2}\n"), "{['end'] = 1, fine = 2}\n");
  // Names share lines where there are many, also where a bound leaves most of them out; no line is too wide.
  const std::string nested =
      typed("u = {} for i = 1, 60 do u[('n%02d'):format(i)] = print end\n{a = u, b = {c = u}}\n");
  EXPECT_TRUE(has(nested, "    n01 = function, n02 = function, ")) << nested;
  EXPECT_TRUE(has(nested, "      n01 = function, n02 = function, ")) << nested;
  std::istringstream lines(nested);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(has(typed("setmetatable({}, {__pairs = function() error('no') end})\n1\n"), "\n1\n"));
}

TEST(Warnings, OncePerPlace) {
  Result r = run({"-e",
                  "for i = 1, 3 do nn.MSELoss()(torch.zeros(2, 1), torch.ones(2)) end\n"
                  "F.l1_loss(torch.zeros(2, 1), torch.ones(2))\nF.mse_loss(torch.zeros(2), torch.ones(2))"});
  EXPECT_EQ(r.code, 0) << r.err;
  size_t lines = 0;
  for (char c : r.err) lines += c == '\n';
  EXPECT_EQ(lines, 2u) << r.err;
  EXPECT_TRUE(has(r.err, "1: mse_loss: input has shape [2, 1] and target [2]")) << r.err;
  EXPECT_TRUE(has(r.err, "2: l1_loss: input has shape")) << r.err;
}

TEST(Interrupt, InACoroutineHasOnePlace) {
  Result r = run({"-e",
                  "local co = coroutine.wrap(function()\nio.popen('kill -INT ' .. io.open('/proc/self/stat'):read('n'))"
                  "\nwhile true do end\nend)\nco()"});
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_EQ(r.err.find("interrupted"), r.err.rfind("interrupted")) << r.err;
  const std::string place = "(command line):";
  EXPECT_EQ(r.err.find(place), r.err.rfind(place)) << r.err;
}

// Tab: one way to go on is typed, several are listed; in tables, objects, locals of the prompt, and words of Lua.
TEST_F(AtTerminal, CompletesNames) {
  Terminal t;
  ASSERT_TRUE(t.expect("> "));
  t.send("local my_variable = torch.ones(2)\n");
  ASSERT_TRUE(t.expect("> "));
  t.send("torch.is_tens\t(my_va\t)\n");
  EXPECT_TRUE(t.expect("true")) << t.seen();
  t.send("my_variable:is_contig\t() and 'con' .. 'tiguous'\n");
  EXPECT_TRUE(t.expect("contiguous'\r\n")) << t.seen();
  t.send("my_variable.requi\t\t");
  EXPECT_TRUE(t.expect("requires_grad_")) << t.seen();
  t.send("\n");
  EXPECT_TRUE(t.expect("false")) << t.seen();
  t.send("type(torch.linalg.multi_\t), 'first'\n");
  EXPECT_TRUE(t.expect("function'\t'first") || t.expect("function'      'first", 1)) << t.seen();
  t.send("type(F.cross_entr\t), 'second'\n");
  EXPECT_TRUE(t.expect("function'\t'second") || t.expect("function'      'second", 1)) << t.seen();
  t.send("func\t f() retu\t 6 * 7 end\nf()\n");
  EXPECT_TRUE(t.expect("42")) << t.seen();
  ASSERT_TRUE(t.expect("> ")) << t.seen();  // an end of file that comes before the editor reads is lost
  t.send("\x04");
  EXPECT_EQ(t.wait(), 0) << t.seen();
}

TEST(Prompt, MultiLineInput) {
  EXPECT_EQ(typed("for i = 1, 2 do\nprint(i)\nend\n"), "1\n2\n");
  EXPECT_EQ(typed("#{1,\n2,\n3}\n"), "3\n");
  EXPECT_EQ(typed("x = [[a\n\nb]]\n#x\n"), "4\n");
  EXPECT_TRUE(has(typed("for i = 1, 2 do\n"), "ended inside a statement"));
}

TEST(Prompt, LocalsLiveOn) {
  EXPECT_EQ(typed("local x = 1\nx = x + 1\nx, _G.x\n"), "2\tnil\n");
  EXPECT_EQ(typed("local a, b <const> = 1, 2 -- comment\na + b\n"), "3\n");
  EXPECT_EQ(typed("local n = 0\nlocal function inc() n = n + 1 return n end\ninc()\nn = 10\ninc(), n\n"),
            "1\n11\t11\n");
  EXPECT_EQ(typed("local n = 0 function inc() n = n + 1 end\ninc() inc()\nn\n"), "2\n");
  EXPECT_EQ(typed("local print2 = print\nlocal print = nil\nprint2(print)\n"), "nil\n");
  EXPECT_EQ(typed("local x = 1\nlocal x = x + 1\nx\n"), "2\n");
  EXPECT_EQ(typed("local function f(n) return n < 2 and 1 or n * f(n - 1) end\nf(5)\n"), "120\n");
  EXPECT_EQ(typed("do local y = 1 end\ny\n"), "nil\n");
  EXPECT_EQ(typed("local f = function() local inner = 1 return inner end\ninner, f()\n"), "nil\t1\n");
  EXPECT_EQ(typed("local z = 3 return z\nz\n"), "3\n3\n");
  EXPECT_EQ(typed("local s, t = 'local q = 1', [[local w = 2]] --[[ local v = 1 ]]\nq, w, v, s\n"),
            "nil\tnil\tnil\t'local q = 1'\n");
}

TEST(Prompt, ClosedVariablesCloseWithTheirLine) {
  EXPECT_EQ(typed("local c <close> = setmetatable({}, {__close = function() print('closed') end})\nc\n"),
            "closed\nnil\n");
}

TEST(Prompt, ManyLocals) {
  std::string lines, names;
  for (int i = 0; i < 150; ++i) {
    lines += "local v" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    names += (i ? "+v" : "v") + std::to_string(i);
  }
  EXPECT_EQ(typed(lines + names + "\n"), "11175\n");
  std::string one = "local w0", values = "0";
  for (int i = 1; i < 120; ++i) one += ",w" + std::to_string(i), values += "," + std::to_string(i);
  EXPECT_EQ(typed(one + " = " + values + "\nw0 + w119\n"), "119\n");
}

TEST(Prompt, LabelsAtTheEndOfAChunk) {
  EXPECT_EQ(typed("for i = 1, 2 do goto continue print('never') ::continue:: end 'x'\n").substr(0, 6), "[1]:1:");
  EXPECT_EQ(typed("do goto over; local u = 1; ::over:: end\n'fine'\n"), "'fine'\n");
  EXPECT_EQ(typed("goto over; local u = 1; ::over::\n'fine'\n"), "'fine'\n");
}

TEST(Prompt, ErrorsKeepTheSession) {
  EXPECT_EQ(typed("x = 7\nerror('boom')\nx\n"), "7\n[2]:1: boom\n");
  EXPECT_EQ(typed("x = = 1\n'alive'\n"), "'alive'\n[1]:1: unexpected symbol near '='\n");
  EXPECT_EQ(typed("local a = error('no')\na\n"), "nil\n[1]:1: no\n");
  const std::string deep = typed("function f()\nerror('deep')\nend\nf()\n");
  EXPECT_TRUE(has(deep, "[1]:2: deep\nstack traceback:\n")) << deep;
  EXPECT_TRUE(has(deep, "in function 'f'")) << deep;
  EXPECT_FALSE(has(deep, "in function <[")) << deep;
  EXPECT_TRUE(has(typed("setmetatable({}, {__tostring = function() error('unprintable') end})\n'on'\n"), "'on'\n"));
}

TEST(Prompt, HelpGetsValueAndName) {
  const std::string define = "function help(...) print('help', select('#', ...), ...) end\n";
  EXPECT_EQ(typed(define + "? nothing.here\n?\n"), "help\t1\tnothing.here\nhelp\t0\n");
  EXPECT_EQ(typed(define + "local t = {f = 5}\n? t:f\n?t.f\n"), "help\t2\t5\tt:f\nhelp\t2\t5\tt.f\n");
}

// Waits for the prompt before Ctrl-D: one that is typed ahead is lost in the terminal's line discipline.
int leave(Terminal& t) {
  EXPECT_TRUE(t.expect("> ")) << t.seen();
  t.send("\x04");
  return t.wait();
}

TEST_F(AtTerminal, EditsAndLeaves) {
  Terminal t;
  ASSERT_TRUE(t.expect("> ")) << t.seen();
  t.send("1 + 41\n");
  ASSERT_TRUE(t.expect("42\r\n")) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("for i = 1, 1 do\n");
  ASSERT_TRUE(t.expect(">> ")) << t.seen();
  t.send("print('in', i) end\n");
  ASSERT_TRUE(t.expect("in\t1\r\n") || t.expect("in      1\r\n", 1)) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("#'Zürich', 'Zürich'\n");
  ASSERT_TRUE(t.expect("7\t'Zürich'\r\n") || t.expect("7       'Zürich'\r\n", 1)) << t.seen();
  EXPECT_EQ(leave(t), 0) << t.seen();
}

TEST_F(AtTerminal, InterruptsLoopsAndLines) {
  Terminal t;
  ASSERT_TRUE(t.expect("> "));
  t.send("print('loo' .. 'ping') while true do end\n");
  ASSERT_TRUE(t.expect("looping")) << t.seen();
  t.send("\x03");
  ASSERT_TRUE(t.expect("interrupted")) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("some garbage\x03");
  ASSERT_TRUE(t.expect("^C")) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("\x03");
  ASSERT_TRUE(t.expect("> ")) << t.seen();
  t.send("do\n");
  ASSERT_TRUE(t.expect(">> "));
  t.send("\x03");
  ASSERT_TRUE(t.expect("> "));
  t.send("6 * 7\n");
  ASSERT_TRUE(t.expect("42\r\n")) << t.seen();
  t.send("error('kept')\n");
  ASSERT_TRUE(t.expect("]:1: kept")) << t.seen();
  EXPECT_EQ(leave(t), 0) << t.seen();
}

TEST_F(AtTerminal, TerminateLeaves) {
  Terminal t;
  ASSERT_TRUE(t.expect("> "));
  usleep(100000);
  ::kill(t.pid(), SIGTERM);
  EXPECT_EQ(t.wait(), 143) << t.seen();
}

TEST_F(AtTerminal, HistoryLivesOn) {
  TempDir state;
  const Env env{{"XDG_STATE_HOME", state.path()}};
  {
    Terminal t({}, env);
    ASSERT_TRUE(t.expect("> "));
    t.send("'first' .. ' session'\n");
    ASSERT_TRUE(t.expect("first session'\r\n")) << t.seen();
    EXPECT_EQ(leave(t), 0);
  }
  EXPECT_EQ(read_file(state / "luth/history"), "'first' .. ' session'\n");
  struct stat st {};
  ASSERT_EQ(stat((state / "luth/history").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  Terminal t({}, env);
  ASSERT_TRUE(t.expect("> "));
  t.send("\x1b[A\n");  // the up arrow
  ASSERT_TRUE(t.expect("first session'\r\n")) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("\x12ses\n");  // Ctrl-R
  ASSERT_TRUE(t.expect("first session'\r\n")) << t.seen();
  EXPECT_EQ(leave(t), 0);
}

// A link means that none is wanted; a file that is not the user's own alone, and a pipe, are left as they are.
TEST_F(AtTerminal, HistoryIsAFileOfItsOwn) {
  for (const char* kind : {"link", "hard link", "pipe"}) {
    TempDir state;
    state.write("precious", "precious\n");
    std::filesystem::permissions(state / "precious", std::filesystem::perms(0644));
    std::filesystem::create_directory(state / "luth");
    const std::string history = state / "luth/history";
    if (kind == std::string("link"))
      std::filesystem::create_symlink(state / "precious", history);
    else if (kind == std::string("hard link"))
      std::filesystem::create_hard_link(state / "precious", history);
    else
      ASSERT_EQ(mkfifo(history.c_str(), 0644), 0);
    Terminal t({}, {{"XDG_STATE_HOME", state.path()}});
    ASSERT_TRUE(t.expect("> ", 20)) << kind << t.seen();
    EXPECT_EQ(t.seen().find("history is not kept") == std::string::npos, kind == std::string("link")) << t.seen();
    t.send("1 + 1\n");
    ASSERT_TRUE(t.expect("2\r\n")) << t.seen();
    EXPECT_EQ(leave(t), 0);
    EXPECT_EQ(read_file(state / "precious"), "precious\n") << kind;
    struct stat st {};
    ASSERT_EQ(stat(history.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0644u) << kind;
  }
}

TEST_F(AtTerminal, UnwritableHistoryIsOnlyAWarning) {
  TempDir dir;
  Terminal t({}, {{"XDG_STATE_HOME", dir.write("file", "")}});
  ASSERT_TRUE(t.expect("history is not kept")) << t.seen();
  ASSERT_TRUE(t.expect("> "));
  t.send("1 + 1\n");
  ASSERT_TRUE(t.expect("2\r\n")) << t.seen();
  EXPECT_EQ(leave(t), 0);
  EXPECT_EQ(t.seen().find("history is not kept"), t.seen().rfind("history is not kept"));
}

}  // namespace
}  // namespace luth::testing
