// The prompt as a terminal shows it: editing by block, pastes, history, resizing, interrupts.
#include "tests/cli/screen.h"

namespace luth::testing {
namespace {

const std::string up = "\x1b[A", down = "\x1b[B", left = "\x1b[D", paste = "\x1b[200~", end_of_paste = "\x1b[201~";

class Editor : public AtTerminal {};

// Waits for an empty prompt after which nothing comes.
bool asks(Screen& s) {
  for (int i = 0; i < 100; ++i) {
    s.settle();
    if (s.before_cursor() == "> ") return true;
  }
  return false;
}

void leave(Screen& s) {
  EXPECT_TRUE(asks(s)) << s.text();
  s.type("\x04");
  EXPECT_EQ(s.terminal.wait(), 0) << s.text();
}

TEST_F(Editor, RecallsBlocks) {
  Screen s;
  ASSERT_TRUE(asks(s));
  s.type("function f()\rreturn 'wr' .. 'ong'\rend\rf()\r");
  ASSERT_TRUE(s.shows("\n'wrong'\n") && asks(s)) << s.text();
  EXPECT_TRUE(s.has("\n> function f()\n>>   return 'wr' .. 'ong'\n>> end\n> f()\n")) << s.text();
  s.type(up + up);
  ASSERT_TRUE(s.shows("\n> function f()\n>>   return 'wr' .. 'ong'\n>> end\n> f()\n'wrong'\n> function f()", 5))
      << s.text();
  s.type(left + "\x1b[A\x05\x17'ite'\r");  // into the second line, its last word anew
  s.type("f()\r");
  EXPECT_TRUE(s.shows("\n'write'\n")) << s.text();
  leave(s);
  EXPECT_EQ(read_file(s.terminal.state_dir() + "/luth/history"),
            "function f()\x1e  return 'wr' .. 'ong'\x1e"
            "end\nf()\nfunction f()\x1e  return 'wr' .. 'ite'\x1e"
            "end\nf()\n");
}

TEST_F(Editor, TakesPastesVerbatim) {
  Screen s;
  s.type("\r");
  ASSERT_TRUE(asks(s));
  EXPECT_TRUE(s.brackets_pastes());
  s.type(paste + "net = nn.Linear(2, 2)\r  .. nn.ReLU()\r\r\tprint('a\tb', net\r:eval()\r.training)\r" + end_of_paste);
  EXPECT_TRUE(s.shows("\n>>   .. nn.ReLU()\n>>\n>>         print('a", 5)) << s.text();
  s.type("\r");
  EXPECT_TRUE(s.shows("\na       b       false\n")) << s.text();
  ASSERT_TRUE(asks(s));
  s.type(paste + "tor\tb \x03\x1b[A\xff" + end_of_paste);
  EXPECT_TRUE(s.shows("> tor     b ^C^[[A\\xff")) << s.text();
  s.type("\x03");
  ASSERT_TRUE(asks(s));
  s.type("#'" + paste + "\xff\x01" + end_of_paste + "'\r");
  EXPECT_TRUE(s.shows("\n2\n")) << s.text();
  leave(s);
}

// Without brackets a line that cannot begin a statement goes on.
TEST_F(Editor, TakesPastesWithoutBrackets) {
  Screen s;
  s.type("'ab'\r  .. 'cd'\rnn.Linear(2, 2)\r:eval()\r");
  EXPECT_TRUE(s.shows("\n'abcd'\n")) << s.text();
  EXPECT_TRUE(s.shows("\n>> :eval()\nLinear(")) << s.text();
  leave(s);
}

TEST_F(Editor, WrapsAndResizes) {
  Screen s({}, {}, 20, 12);
  s.type("x = '日本語 e\xcc\x81 abcdefghijklmnopqrstuvwxyz'");
  ASSERT_TRUE(s.shows("\n> x = '日本語 e\xcc\x81 abc\ndefghijklmnopqrstuv\nwxyz'", 5)) << s.text();
  s.resize(30, 12);
  EXPECT_TRUE(s.shows("\n> x = '日本語 e\xcc\x81 abcdefghijklm\nnopqrstuvwxyz'", 5)) << s.text();
  s.resize(12, 12);
  EXPECT_TRUE(s.shows("\n> x = '日本\n語 e\xcc\x81 abcdef\nghijklmnopq\nrstuvwxyz'", 5)) << s.text();
  s.type(left + left + "\x7f");
  EXPECT_TRUE(s.shows("\nrstuvwxz'", 5)) << s.text();
  EXPECT_EQ(s.text().find("> x = "), s.text().rfind("> x = ")) << s.text();
  s.type("\r#x\r");
  EXPECT_TRUE(s.shows("\n39\n")) << s.text();
  leave(s);
}

TEST_F(Editor, ScrollsInBlocksThatAreHigherThanTheScreen) {
  Screen s({}, {}, 40, 8);
  std::string block = "x = {", line;
  for (int i = 1; i <= 20; ++i) block += "\n" + std::to_string(i) + ",";
  s.type(paste + block + "\n}" + end_of_paste);
  ASSERT_TRUE(s.shows("\n>> 19,\n>> 20,\n>> }", 5)) << s.text();
  for (int i = 0; i < 21; ++i) line += up;
  s.type(line);
  ASSERT_TRUE(s.shows("> x = {\n>> 1,\n", 5)) << s.text();
  s.type("\r#x\r");
  EXPECT_TRUE(s.shows("\n>> }\n> #x\n20\n")) << s.text();
  leave(s);
}

TEST_F(Editor, SearchesTheHistory) {
  Screen s;
  s.type("alpha = 1\rbeta = 2\ralpha = 3\rgamma = 4\r");
  ASSERT_TRUE(asks(s));
  s.type("\x12lph");
  EXPECT_TRUE(s.shows("\n(search) 'lph': alpha = 3", 5)) << s.text();
  s.type("\x12");
  EXPECT_TRUE(s.shows("\n(search) 'lph': alpha = 1", 5)) << s.text();
  s.type("x");
  EXPECT_TRUE(s.shows("\n(not found) 'lphx': alpha = 1", 5)) << s.text();
  s.type("\x07");
  EXPECT_TRUE(asks(s)) << s.text();
  s.type("al" + up);
  EXPECT_TRUE(s.shows("\n> alpha = 3", 5)) << s.text();
  s.type(up);
  EXPECT_TRUE(s.shows("\n> gamma = 4\n> alpha = 1", 5)) << s.text();
  s.type(down + down);
  EXPECT_TRUE(s.shows("\n> gamma = 4\n> al\n", 5)) << s.text();
  s.type(
      "\x15\x12"
      "beta\rbeta\r");
  EXPECT_TRUE(s.shows("\n2\n")) << s.text();
  leave(s);
}

TEST_F(Editor, ColoursAreWantedOrNot) {
  const std::string keys = "local x = 'a'\r", keyword = "\x1b[35mlocal";
  Screen s;
  s.type(keys);
  EXPECT_TRUE(s.terminal.expect(keyword, 5)) << s.terminal.seen();
  for (const Env& env : {Env{{"NO_COLOR", "1"}}, Env{{"CLICOLOR", "0"}}, Env{{"TERM", "vt100"}}}) {
    Screen plain({}, env);
    plain.type(keys);
    EXPECT_TRUE(asks(plain));
    EXPECT_EQ(plain.terminal.seen().find(keyword), std::string::npos) << env[0].first;
    EXPECT_TRUE(plain.has("\n> local x = 'a'\n")) << plain.text();
  }
  Terminal dumb({}, {{"TERM", "dumb"}});
  dumb.send("1 + 1\n");
  EXPECT_TRUE(dumb.expect("> 2\r\n> ", 20) || dumb.expect("2\r\n> ", 1)) << dumb.seen();
  EXPECT_EQ(dumb.seen().find('\x1b'), std::string::npos) << dumb.seen();
}

TEST_F(Editor, OutputWithoutNewlineStays) {
  Screen s;
  s.type("x = io.write('no new' .. 'line')\r");
  EXPECT_TRUE(s.shows("\nno newline\n>", 5)) << s.text();
  leave(s);
}

TEST_F(Editor, HistoryOfAnotherKindIsRead) {
  TempDir state;
  state.write("luth/history", "one line\nbad \xff\x01 bytes\n" + std::string("\0zero", 5) + "\n\nlast");
  Screen s({}, {{"XDG_STATE_HOME", state.path()}});
  ASSERT_TRUE(asks(s));
  s.type(up);
  EXPECT_TRUE(s.shows("\n> last", 5)) << s.text();
  s.type(up);
  EXPECT_TRUE(s.shows("\n> ^@zero", 5)) << s.text();
  s.type(up);
  EXPECT_TRUE(s.shows("\n> bad \\xff^A bytes", 5)) << s.text();
  s.type("\x15");
  leave(s);
}

TEST_F(Editor, SuspendsAndGoesOn) {
  Screen s;
  ASSERT_TRUE(asks(s));
  s.type("x = 4");
  s.settle();
  s.type("\x1a");
  usleep(300000);
  ::kill(s.terminal.pid(), SIGCONT);
  s.settle();
  EXPECT_EQ(s.before_cursor(), "> x = 4") << s.text();
  s.type("2\rx\r");
  EXPECT_TRUE(s.shows("\n42\n")) << s.text();
  leave(s);
}

TEST_F(Editor, InterruptsKeepTheSession) {
  Screen s;
  s.type("x = 42\r");
  ASSERT_TRUE(asks(s));
  ::kill(s.terminal.pid(), SIGINT);
  usleep(100);
  ::kill(s.terminal.pid(), SIGINT);
  ASSERT_TRUE(asks(s)) << s.text();  // before, Ctrl-C is a signal
  s.type("\x03\x03x + 1\x03x + 2\r");
  EXPECT_TRUE(s.shows("\n> x + 1^C\n> x + 2\n44\n")) << s.text();
  s.type("while true do pcall(function() while true do end end) end\r");
  s.settle(1);
  s.type("\x03");
  EXPECT_TRUE(s.shows("interrupted\n")) << s.text();
  s.type("x\r");
  EXPECT_TRUE(s.shows("\n42\n")) << s.text();
  ASSERT_TRUE(asks(s)) << s.text();
  s.type("while true do end\r\x03x + 3\r");  // all at once
  EXPECT_TRUE(s.shows("\n45\n")) << s.text();
  leave(s);
}

TEST_F(Editor, CtrlBackslashKeepsTheSession) {
  Terminal dumb({}, {{"TERM", "dumb"}});
  dumb.send("x = 5\n");
  ASSERT_TRUE(dumb.expect("> > ", 20)) << dumb.seen();
  dumb.send("\x1c");
  EXPECT_TRUE(dumb.expect("does not leave luth", 20)) << dumb.seen();
  dumb.send("x + 1\n");
  EXPECT_TRUE(dumb.expect("6\r\n", 20)) << dumb.seen();
  Screen s;  // while Lua runs
  s.type("x = 5 print('be' .. 'gins') while true do end\r");
  ASSERT_TRUE(s.shows("\nbegins\n", 20)) << s.text();
  s.type("\x1c");
  EXPECT_TRUE(s.shows("does not leave luth", 20)) << s.text();
  s.type("\x03");
  EXPECT_TRUE(s.shows("interrupted", 20)) << s.text();
  s.type("x + 1\r");
  EXPECT_TRUE(s.shows("\n6\n", 20)) << s.text();
  leave(s);
}

// What closes runs after the first Ctrl-C; the second one stops that, too, and says what the third would do.
TEST_F(Editor, TheThirdInterruptLeaves) {
  const std::string block =
      "local c <close> = setmetatable({}, {__close = function() print('clo' .. 'sing') while true do end end}) "
      "while true do end\r";
  Screen s;
  ASSERT_TRUE(asks(s));
  s.type(block);
  s.settle(1);
  s.type("\x03");
  ASSERT_TRUE(s.shows("closing\n")) << s.text();
  usleep(400000);
  s.type("\x03");
  EXPECT_TRUE(s.terminal.expect("the next Ctrl-C leaves luth")) << s.text();
  EXPECT_TRUE(asks(s)) << s.text();
  s.type("string.find(('a'):rep(40), ('a?'):rep(40) .. ('a'):rep(40))\r");  // no Lua runs in it
  for (int i = 0; i < 2; ++i) s.settle(1), s.type("\x03"), usleep(400000);
  EXPECT_TRUE(s.terminal.expect("the next Ctrl-C leaves luth")) << s.text();
  EXPECT_FALSE(s.terminal.drops_typed());
  s.type("\x03");
  EXPECT_EQ(s.terminal.wait(), 130) << s.text();
  EXPECT_TRUE(s.terminal.drops_typed());
}

TEST_F(Editor, ExitGivesTheTerminalBack) {
  Screen s;
  ASSERT_TRUE(asks(s));
  s.type("os.exit(3)\r");
  EXPECT_EQ(s.terminal.wait(), 3) << s.text();
  EXPECT_TRUE(s.terminal.drops_typed());
}

TEST_F(Editor, OperatorsStop) {
  Screen s;
  s.type("a = torch.ones(3000, 3000) b = a print('rea' .. 'dy') for i = 1, 3000 do b = a:matmul(a) end\r");
  ASSERT_TRUE(s.shows("ready")) << s.text();
  s.type("\x03");
  EXPECT_TRUE(s.shows("interrupted\n")) << s.text();
  s.type("a:sum():item()\r");
  EXPECT_TRUE(s.shows("\n9000000.0\n")) << s.text();
  leave(s);
}

// The whole product would take minutes.
TEST_F(Editor, AProductOfOneThreadStops) {
  Screen s({}, {{"LUTH_THREADS", "1"}});
  s.type("a = torch.ones(1, 1):expand(2000, 4000000) x = 42 print('rea' .. 'dy') a:matmul(a:t())\r");
  ASSERT_TRUE(s.shows("ready")) << s.text();
  s.settle();
  s.type("\x03");
  EXPECT_TRUE(s.shows("interrupted\n")) << s.text();
  s.type("x\r");
  EXPECT_TRUE(s.shows("\n42\n")) << s.text();
  leave(s);
}

TEST_F(Editor, AStringThatIsNotEndedIsAnError) {
  Screen s;
  s.type("print \"a\r");
  EXPECT_TRUE(s.shows("unfinished string")) << s.text();
  s.type("'a\\\rb' .. '\\z\r c'\r");  // a line may go on behind a backslash
  EXPECT_TRUE(s.shows("\n'a\\nbc'\n")) << s.text();
  leave(s);
}

// Lines that wrap count: the whole table is on the screen, below what was typed.
TEST_F(Editor, TablesFitANarrowScreen) {
  Screen s({}, {}, 50, 20);
  s.type("t = {} for i = 1, 15 do t[i] = ('x'):rep(95) end\rt\r");
  EXPECT_TRUE(s.shows(" more\n}\n", 5)) << s.text();
  EXPECT_TRUE(s.has("\n> t\n{")) << s.text();
  leave(s);
}

TEST_F(Editor, EndlessOutputStops) {
  Screen s;
  s.type("while true do print(('ab'):rep(100)) end\r");
  s.shows("abab", 5);
  s.type("\x03");
  for (int i = 0; i < 400 && !s.has("interrupted"); ++i) s.terminal.read_more(0.1);
  EXPECT_TRUE(asks(s)) << s.text();
  leave(s);
}

// A history below the folder in which luth happens to start would be another one each time.
TEST_F(Editor, KeepsNoHistoryInARelativeHome) {
  Screen s({}, {{"HOME", "relative_home"}, {"XDG_STATE_HOME", ""}});
  s.type("1 + 1\r");
  EXPECT_TRUE(s.shows("\n2\n")) << s.text();
  leave(s);
  EXPECT_NE(access("relative_home", F_OK), 0);
}

TEST_F(Editor, LivesWithoutHome) {
  Screen s({}, {{"HOME", ""}, {"XDG_STATE_HOME", ""}});
  s.type("1 + 1\r");
  EXPECT_TRUE(s.shows("\n2\n")) << s.text();
  leave(s);
}

}  // namespace
}  // namespace luth::testing
