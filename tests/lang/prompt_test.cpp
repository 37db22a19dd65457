// The parts of the prompt's editor, without a terminal.
#include <gtest/gtest.h>
#include <locale.h>

#include "lang/hints/lua_lexer.h"
#include "lang/prompt/buffer.h"
#include "lang/prompt/glyphs.h"
#include "lang/prompt/history.h"
#include "lang/prompt/keys.h"

namespace luth::lang {
namespace {

class PromptParts : public ::testing::Test {
 protected:
  void SetUp() override { setlocale(LC_CTYPE, "C.UTF-8"); }
};

// The keys in the bytes: "t:text", "p:pasted" or the name; "…" where more bytes are needed.
std::vector<std::string> keys(std::string_view bytes, bool pause = false) {
  KeyDecoder decoder;
  decoder.feed(bytes);
  std::vector<std::string> list;
  for (Key key; decoder.next(key, pause);)
    list.push_back((key.kind == Key::Kind::text ? "t:" : key.kind == Key::Kind::paste ? "p:" : "") + key.value);
  if (!decoder.waiting().empty()) list.push_back("…");
  return list;
}
using Keys = std::vector<std::string>;

TEST_F(PromptParts, KeysHaveNames) {
  EXPECT_EQ(keys("ab\x01\x1b[A\x1bOB\x1b[1;5C\x1b[3~\r\n\t\x7f"),
            Keys({"t:ab", "C-a", "up", "down", "C-right", "delete", "enter", "enter", "tab", "backspace"}));
  EXPECT_EQ(keys("\x1b"
                 "f\x1b\x7f\x1b\r\x1b<x\x1b\x1b[D\x1b[1;3D"),
            Keys({"M-f", "M-backspace", "M-enter", "M-<", "t:x", "M-left", "M-left"}));
  EXPECT_EQ(keys("\x18\x15\x1f"), Keys({"C-x C-u", "C-_"}));
  EXPECT_EQ(keys("\x1b[200~a\tb\r\r\n:c\x03\x1b[201~d"), Keys({"p:a\tb\n\n:c\x03", "t:d"}));
}

TEST_F(PromptParts, UnknownSequencesAreNoText) {
  EXPECT_EQ(keys("\x1b[<0;1;2Mx"), Keys({"enter", "t:x"}));  // a letter that a known key has
  EXPECT_EQ(keys("\x1b[99~\x1b[?62;1cx\x1b[5u"), Keys({"unknown", "unknown", "t:x", "unknown"}));
  EXPECT_EQ(keys("\x1b[1;\x01y"), Keys({"unknown", "C-a", "t:y"}));
}

// That of a slow terminal, to plot's question.
TEST_F(PromptParts, AnswersAboutPicturesAreNoText) {
  EXPECT_EQ(keys("\x1b_Gi=31;OK\x1b\\\x1b[?62;4cx"), Keys({"unknown", "unknown", "t:x"}));
  EXPECT_EQ(keys("\x1b_Gi=3"), Keys({"…"}));
  EXPECT_EQ(keys("\x1b_"), Keys({"…"}));
  EXPECT_EQ(keys("\x1b_", true), Keys({"M-_"}));
  EXPECT_EQ(keys("\x1b_x"), Keys({"M-_", "t:x"}));
}

TEST_F(PromptParts, KeysWaitForTheirEnd) {
  EXPECT_EQ(keys("\x1b"), Keys({"…"}));
  EXPECT_EQ(keys("\x1b", true), Keys({"escape"}));
  EXPECT_EQ(keys("\x1b[1;5"), Keys({"…"}));
  EXPECT_EQ(keys("a\xe6\x97"), Keys({"t:a", "…"}));
  EXPECT_EQ(keys("a\xe6\x97", true), Keys({"t:a\xe6\x97"}));
  EXPECT_EQ(keys("\xff\xfe z"), Keys({"t:\xff\xfe z"}));
  EXPECT_EQ(keys("\x1b[200~never ends"), Keys({"…"}));
  EXPECT_EQ(keys("\x1b[200~never ends", true), Keys({"p:never ends"}));
}

TEST_F(PromptParts, InterruptsAreTakenOutsideOfPastes) {
  KeyDecoder decoder;
  decoder.feed("1\x03+1\r\x1b[200~\x03\x1b[201~");
  EXPECT_TRUE(decoder.take_interrupt());
  EXPECT_FALSE(decoder.take_interrupt());
  EXPECT_EQ(decoder.waiting(), "1+1\r\x1b[200~\x03\x1b[201~");
}

TEST_F(PromptParts, GlyphsHaveColumns) {
  EXPECT_EQ(glyph_at("e\xcc\x81x", 0).bytes, 3u);  // e and a combining accent
  EXPECT_EQ(glyph_at("日", 0).columns, 2);
  EXPECT_EQ(glyph_at("\xff", 0).shown, "\\xff");
  EXPECT_EQ(glyph_at("\x1b", 0).shown, "^[");
  EXPECT_EQ(glyph_at("\x7f", 0).shown, "^?");
  EXPECT_EQ(glyph_at("\t", 0, 3).columns, 5);
  EXPECT_EQ(glyph_at("\xe2\x80\xae", 0).shown, "\\xe2\\x80\\xae");  // would turn the text around
  EXPECT_EQ(glyph_at("\xcc\x81", 0).columns, 1);                    // a mark without a letter
  const std::string text = "a\n日e\xcc\x81\xff";
  std::vector<size_t> back;
  for (size_t at = text.size(); at > 0;) back.push_back(at = previous_glyph(text, at));
  EXPECT_EQ(back, std::vector<size_t>({8, 5, 2, 1, 0}));
  EXPECT_EQ(cut_to("日本", 3), "日");
}

TEST_F(PromptParts, BufferKillsAndYanks) {
  Buffer b;
  b.set("one two three");
  b.kill_word_left();
  b.kill_word_left();
  EXPECT_EQ(b.text(), "one ");
  b.home();
  b.kill_to_end();
  EXPECT_EQ(b.text(), "");
  b.yank();
  EXPECT_EQ(b.text(), "one ");
  b.yank_older();
  EXPECT_EQ(b.text(), "two three");
  EXPECT_TRUE(b.undo() && b.undo());
  EXPECT_EQ(b.text(), "");
  b.undo();
  EXPECT_EQ(b.text(), "one ");
}

TEST_F(PromptParts, BufferUndoesRunsOfTyping) {
  Buffer b;
  for (const char* s : {"a", "b", "c"}) b.insert(s);
  b.left();
  b.insert("d");
  EXPECT_EQ(b.text(), "abdc");
  b.undo();
  EXPECT_EQ(b.text(), "abc");
  b.undo();
  EXPECT_EQ(b.text(), "");
  EXPECT_FALSE(b.undo());
}

TEST_F(PromptParts, BufferMovesBetweenLines) {
  Buffer b;
  b.set("long line\n日本\nlast one");
  EXPECT_TRUE(b.up());
  EXPECT_EQ(b.cursor(), 16u);  // the end of the short line
  EXPECT_TRUE(b.up());
  EXPECT_EQ(b.cursor(), 8u);  // the column where it began
  EXPECT_FALSE(b.up());
  EXPECT_TRUE(b.down() && b.down());
  EXPECT_EQ(b.cursor(), b.text().size());
  EXPECT_FALSE(b.down());
}

TEST_F(PromptParts, BufferChangesWords) {
  Buffer b;
  b.set("hello wörld");
  b.set_cursor(0);
  b.change_case(Buffer::Case::capital);
  b.change_case(Buffer::Case::upper);
  EXPECT_EQ(b.text(), "Hello WöRLD");
  b.end();
  b.swap_glyphs();
  EXPECT_EQ(b.text(), "Hello WöRDL");
  b.kill_blank_word_left();
  EXPECT_EQ(b.text(), "Hello ");
}

std::string kinds(std::string_view text) {
  std::string s;
  for (auto& t : lua_tokens(text)) s += std::string("nkc#'-.?")[size_t(t.kind)] + std::string(t.open ? "…" : "");
  return s;
}

TEST_F(PromptParts, LexerTakesUnfinishedText) {
  EXPECT_EQ(kinds("local x <const> = nil -- c"), "kn.n..c-");
  EXPECT_EQ(kinds("a.b:c(1.5e+3, 0x1p-4, 1..2)"), "n.n.n.#.#.#.#.");
  EXPECT_EQ(kinds("x = 'it\\'s' .. [==[ ]] ]==]"), "n.'.'");
  EXPECT_EQ(kinds("f('open"), "n.'…");
  EXPECT_EQ(kinds("[[ open"), "'…");
  EXPECT_EQ(kinds("--[[ open\nx"), "-…");
  EXPECT_EQ(kinds("'ends here\nx"), "'n");
  EXPECT_EQ(kinds("'goes on\\\r\nx'"), "'");
  EXPECT_EQ(kinds("x ! y"), "n?n");
}

TEST_F(PromptParts, BracketsMatch) {
  const std::string text = "f(')', {1}, [[]] )";
  auto other = [&](size_t at) {
    const size_t found = matching_bracket(text, lua_tokens(text), at);
    return found == text.npos ? -1 : int(found);
  };
  EXPECT_EQ(other(1), 17);
  EXPECT_EQ(other(18), 1);  // the one before the cursor
  EXPECT_EQ(other(7), 9);
  EXPECT_EQ(other(3), -1);  // within a string
}

TEST_F(PromptParts, LinesIndent) {
  auto indent = [](const std::string& text) { return next_indent(text, lua_tokens(text), text.size()).size(); };
  EXPECT_EQ(indent("function f(x)"), 2u);
  EXPECT_EQ(indent("function f(x)\n  if x then"), 4u);
  EXPECT_EQ(indent("for i = 1, 2 do print(i) end"), 0u);
  EXPECT_EQ(indent("if x then\nelse"), 2u);
  EXPECT_EQ(indent("if x then y() else z() end"), 0u);
  EXPECT_EQ(indent("x = {\n  1,\n}"), 0u);
  EXPECT_EQ(indent("x = [[\nfunction f()"), 0u);
  EXPECT_EQ(outdent("  end"), 2u);
  EXPECT_EQ(outdent("  })"), 2u);
  EXPECT_EQ(outdent("  ending = 1"), 0u);
  EXPECT_EQ(outdent("end"), 0u);
}

TEST_F(PromptParts, HistoryDropsDuplicates) {
  History h({"a", "for\nend", "b", "a"});
  EXPECT_EQ(h.blocks(), std::vector<std::string>({"for\nend", "b", "a"}));
  h.add("b");
  EXPECT_EQ(h.blocks().back(), "b");
  EXPECT_EQ(h.older(3, ""), 2u);
  EXPECT_EQ(h.older(3, "for"), 0u);
  EXPECT_EQ(h.older(0, ""), std::string::npos);
  EXPECT_EQ(h.newer(0, "a"), 1u);
  EXPECT_EQ(h.find_older(3, "end"), 0u);
}

}  // namespace
}  // namespace luth::lang
