// data.Tokenizer: text to tokens and back. Tokens count from 1, as all positions do.
#include "core/data/text.h"
#include "core/io/disk.h"
#include "lang/data/text.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using text::TokenizerRef;

text::Tokenizer& self(lua_State* L) { return *own<TokenizerRef>(L); }

void push_text(lua_State* L, std::string_view s) { lua_pushlstring(L, s.data(), s.size()); }
std::string text_at(lua_State* L, int index) {
  size_t n = 0;
  const char* s = luaL_checklstring(L, index, &n);
  return {s, n};
}
std::string text_of(lua_State* L, NamedArguments& options, const char* name, const std::string& otherwise) {
  const int i = options.get(name);
  return i ? text_at(L, i) : otherwise;
}

// ---- encodings ----

template <class T>
void set_numbers(lua_State* L, const char* name, const std::vector<T>& list, int64_t base) {
  push_tensor(L, data::tensor_of(list, base));
  lua_setfield(L, -2, name);
}

int push_encoding(lua_State* L, const text::Tokenizer& t, const text::Encoding& e) {
  lua_createtable(L, 0, 7);
  set_numbers(L, "ids", e.ids, 1);
  set_numbers(L, "type_ids", e.type_ids, 0);
  set_numbers(L, "attention_mask", e.attention, 0);
  set_numbers(L, "special_tokens_mask", e.special, 0);
  set_numbers(L, "word_ids", e.words, 1);
  Tensor offsets = Tensor::empty({int64_t(e.size()), 2}, Dtype::i64, host());
  for (size_t i = 0; i < e.size(); ++i) {
    offsets.data<int64_t>()[2 * i] = int64_t(e.offsets[i].begin) + 1;
    offsets.data<int64_t>()[2 * i + 1] = int64_t(e.offsets[i].end);
  }
  push_tensor(L, std::move(offsets));
  lua_setfield(L, -2, "offsets");
  push_items(L, e.ids, [&](uint32_t id) { push_text(L, t.token_of(id).value_or(t.padding.token)); });
  lua_setfield(L, -2, "tokens");
  return 1;
}

int encode(lua_State* L) {
  const std::string first = text_at(L, 2);
  const bool two = lua_type(L, 3) == LUA_TSTRING;
  const std::string second = two ? text_at(L, 3) : "";
  NamedArguments options(L, two || lua_isnil(L, 3) ? 4 : 3, "encode");
  const bool special = options.flag("add_special_tokens", true);
  options.done();
  const std::string_view behind = second;
  return push_encoding(L, self(L), self(L).encode(first, two ? &behind : nullptr, special));
}

int encode_batch(lua_State* L) {
  const auto texts = check_texts(L, 2, "encode_batch: expects");
  NamedArguments options(L, 3, "encode_batch");
  const bool special = options.flag("add_special_tokens", true);
  options.done();
  const TokenizerRef t = own<TokenizerRef>(L);
  return push_items(L, text::encode_batch(*t, texts, special),
                    [&](const text::Encoding& e) { push_encoding(L, *t, e); });
}

int ids(lua_State* L) {
  text::Ids list;
  self(L).append_ids(text_at(L, 2), list);
  return push_tensor(L, data::tensor_of(list, 1)), 1;
}

// Numbers from 0; those that are none of the tokenizer's, such as padding below 1, become one that names no token.
text::Ids check_ids(lua_State* L, int index, const char* what) {
  text::Ids all;
  for (int64_t i : check_positions(L, index, what)) all.push_back(i >= 0 && i < UINT32_MAX ? uint32_t(i) : UINT32_MAX);
  return all;
}
bool skips(lua_State* L, const char* function) {
  NamedArguments options(L, 3, function);
  const bool skip = options.flag("skip_special_tokens", true);
  options.done();
  return skip;
}
int decode(lua_State* L) {
  if (lua_istable(L, 2) && lua_getfield(L, 2, "ids") != LUA_TNIL) lua_replace(L, 2);  // an encoding
  const bool skip = skips(L, "decode");
  push_text(L, self(L).decode(check_ids(L, 2, "decode: expects"), skip));
  return 1;
}
int decode_batch(lua_State* L) {
  const bool skip = skips(L, "decode_batch");
  std::vector<std::string> texts;
  each_element(L, 2, [&](int at, lua_Integer) {
    texts.push_back(self(L).decode(check_ids(L, at, "decode_batch: expects"), skip));
  });
  return push_items(L, texts, [&](const std::string& s) { push_text(L, s); });
}

// ---- vocabulary ----

int token_to_id(lua_State* L) {
  const auto id = self(L).id_of(text_at(L, 2));
  id ? lua_pushinteger(L, lua_Integer(*id) + 1) : lua_pushnil(L);
  return 1;
}
int id_to_token(lua_State* L) {
  const lua_Integer id = luaL_checkinteger(L, 2);
  const auto token = id >= 1 && id <= UINT32_MAX ? self(L).token_of(uint32_t(id - 1)) : std::nullopt;
  token ? push_text(L, *token) : lua_pushnil(L);
  return 1;
}
int vocabulary_size(lua_State* L) { return lua_pushinteger(L, lua_Integer(self(L).size())), 1; }
int length(lua_State* L) { return lua_pushinteger(L, lua_Integer(self(L).end())), 1; }
int vocabulary(lua_State* L) {
  const text::Tokenizer& t = self(L);
  lua_newtable(L);
  for (uint32_t id = 0; id < t.end(); ++id) {
    const auto token = t.token_of(id);
    if (!token) continue;
    push_text(L, *token);
    lua_pushinteger(L, lua_Integer(id) + 1);
    lua_rawset(L, -3);
  }
  return 1;
}

int add(lua_State* L, bool special) {
  std::vector<text::AddedToken> tokens;
  each_element(L, 2, [&](int at, lua_Integer) {
    text::AddedToken t{.normalized = !special, .special = special};
    if (lua_type(L, at) == LUA_TSTRING) return t.content = text_at(L, at), tokens.push_back(std::move(t));
    NamedArguments options(L, at, "add_tokens");
    t.content = text_of(L, options, "content", "");
    t.single_word = options.flag("single_word", false);
    t.lstrip = options.flag("lstrip", false);
    t.rstrip = options.flag("rstrip", false);
    t.normalized = options.flag("normalized", t.normalized);
    options.done();
    tokens.push_back(std::move(t));
  });
  return lua_pushinteger(L, lua_Integer(self(L).add(std::move(tokens)))), 1;
}
int add_tokens(lua_State* L) { return add(L, false); }
int add_special_tokens(lua_State* L) { return add(L, true); }

// ---- lengths ----

std::string direction_of(lua_State* L, NamedArguments& options) {
  const std::string d = text_of(L, options, "direction", "right");
  if (d != "left" && d != "right") throw Error("direction is 'left' or 'right', got '{}'", d);
  return d;
}
int enable_truncation(lua_State* L) {
  text::Truncation t;
  t.max_length = luaL_checkinteger(L, 2);
  if (t.max_length < 1) throw Error("enable_truncation: max_length is at least 1, got {}", t.max_length);
  NamedArguments options(L, 3, "enable_truncation");
  t.strategy = text_of(L, options, "strategy", t.strategy);
  t.direction = direction_of(L, options);
  options.done();
  if (t.strategy != "longest_first" && t.strategy != "only_first" && t.strategy != "only_second")
    throw Error("strategy is 'longest_first', 'only_first' or 'only_second', got '{}'", t.strategy);
  return self(L).truncation = t, 0;
}
int no_truncation(lua_State* L) { return self(L).truncation = {}, 0; }
int enable_padding(lua_State* L) {
  text::Padding p;
  p.on = true;
  NamedArguments options(L, 2, "enable_padding");
  const auto count = [&](const char* name, int64_t otherwise, int64_t least) {
    const int64_t n = options.integer(name, otherwise);
    if (n < least || n > 1 << 30) throw Error("enable_padding: {} is from {} to 2^30, got {}", name, least, n);
    return n;
  };
  p.length = count("length", 0, 0);
  p.multiple = count("pad_to_multiple_of", 0, 0);
  p.token = text_of(L, options, "pad_token", p.token);
  const auto named = self(L).id_of(p.token);
  p.id = uint32_t(count("pad_id", named ? int64_t(*named) + 1 : 1, 1) - 1);
  p.type_id = uint8_t(std::min<int64_t>(255, count("pad_type_id", 0, 0)));
  p.direction = direction_of(L, options);
  options.done();
  return self(L).padding = p, 0;
}
int no_padding(lua_State* L) { return self(L).padding = {}, 0; }

// ---- files and training ----

std::string json(lua_State* L, int index, const char* function, bool pretty) {
  NamedArguments options(L, index, function);
  pretty = options.flag("pretty", pretty);
  options.done();
  return self(L).to_json(pretty);
}
int to_string(lua_State* L) { return push_text(L, json(L, 2, "to_str", false)), 1; }
int save(lua_State* L) {
  const std::string path = text_at(L, 2), file = json(L, 3, "save", true);
  return io::replace_file(path, file.data(), file.size()), 0;
}
int from_file(lua_State* L) { return push_tokenizer(L, text::read_tokenizer(text_at(L, 1))); }
int from_string(lua_State* L) { return push_tokenizer(L, text::tokenizer_from_json(text_at(L, 1), "the string")); }

std::vector<std::string> names(lua_State* L, NamedArguments& options, const char* name) {
  const int i = options.get(name);
  return i ? read_names(L, i) : std::vector<std::string>();
}
text::Training training(lua_State* L, int index, const char* function) {
  NamedArguments options(L, index, function);
  text::Training how;
  how.vocab_size = options.integer("vocab_size", how.vocab_size);
  how.min_frequency = options.integer("min_frequency", how.min_frequency);
  how.special_tokens = names(L, options, "special_tokens");
  how.limit_alphabet = options.integer("limit_alphabet", 0);
  how.max_token_length = options.integer("max_token_length", 0);
  how.initial_alphabet = names(L, options, "initial_alphabet");
  how.continuing_subword_prefix = text_of(L, options, "continuing_subword_prefix", "");
  how.end_of_word_suffix = text_of(L, options, "end_of_word_suffix", "");
  options.done();
  return how;
}
int train(lua_State* L) {
  TokenizerRef& t = own<TokenizerRef>(L);
  const text::Training how = training(L, 3, "train");
  t = text::text_library().trained(*t, how, check_source(L, 2, false));
  return 0;
}
template <const char* const& kind>
int made(lua_State* L) {
  const bool from_texts = std::string_view(kind) != "bytes";
  const text::Training how = training(L, from_texts ? 2 : 1, kind);
  const text::NextText next = from_texts ? check_source(L, 1, false) : text::NextText();
  return push_tokenizer(L, text::make_tokenizer(kind, how, next));
}
constexpr const char *characters = "characters", *bytes = "bytes", *words = "words", *bpe = "bpe";

int description(lua_State* L) {
  push_text(L, fmt::format("Tokenizer({}, {} tokens)", self(L).model(), self(L).size()));
  return 1;
}

constexpr Row functions[] = {
    {"from_file", guarded<from_file>, "data.Tokenizer.from_file(path)",
     "The tokenizer of a tokenizer.json: BPE, WordPiece, Unigram or WordLevel. Tokens count from 1, so each number is "
     "one "
     "more than in the file. A part that luth does not have is an error that names it."},
    {"from_str", guarded<from_string>, "data.Tokenizer.from_str(json)", "The same of the text of such a file."},
    {"characters", guarded<made<characters>>, "data.Tokenizer.characters(source, {special_tokens})",
     "Each character of the texts is a token, in the order of code points. The source is the path of a file, or a list "
     "of "
     "texts. A character that was not there is an error."},
    {"bytes", guarded<made<bytes>>, "data.Tokenizer.bytes({special_tokens})",
     "256 tokens, one for each byte: byte b has the number b + 1."},
    {"words", guarded<made<words>>,
     "data.Tokenizer.words(source, {vocab_size = 30000, min_frequency = 0, special_tokens})",
     "Words and runs of punctuation, the commonest first. Token 1 is '[UNK]', which stands for all others. The source "
     "is the "
     "path of a file, or a list of texts."},
    {"bpe", guarded<made<bpe>>,
     "data.Tokenizer.bpe(source, {vocab_size = 30000, min_frequency = 0, special_tokens, max_token_length})",
     "Byte pair encoding of bytes, as GPT-2 has it, trained on the texts: every text can be encoded. The source is the "
     "path "
     "of a file, or a list of texts."},
};
constexpr Row methods[] = {
    {"encode", guarded<encode>, "tokenizer:encode(text, pair = nil, {add_special_tokens = true})",
     "A table of ids, type_ids, attention_mask, special_tokens_mask, word_ids (int64[n]), offsets (int64[n, 2], so "
     "that "
     "text:sub(first, last) is what the token stands for), and tokens, a list. `pair` is a second text. A text that is "
     "no "
     "UTF-8 is an error."},
    {"encode_batch", guarded<encode_batch>, "tokenizer:encode_batch(texts, {add_special_tokens = true})",
     "The same of each text of a list, on several threads; all of one length where padding is enabled."},
    {"ids", guarded<ids>, "tokenizer:ids(text)",
     "int64[n]: the tokens of a text alone, without special tokens, truncation and padding. Quicker than encode."},
    {"decode", guarded<decode>, "tokenizer:decode(ids, {skip_special_tokens = true})",
     "The text of tokens: a list, a tensor, or what encode returned. Numbers that name no token are left out."},
    {"decode_batch", guarded<decode_batch>, "tokenizer:decode_batch(list, {skip_special_tokens = true})",
     "The texts of several lists."},
    {"token_to_id", guarded<token_to_id>, "tokenizer:token_to_id(token)",
     "The number of a token, nil where there is none."},
    {"id_to_token", guarded<id_to_token>, "tokenizer:id_to_token(id)",
     "The token of a number, nil where there is none."},
    {"get_vocab", guarded<vocabulary>, "tokenizer:get_vocab()", "All tokens: {token = number}."},
    {"get_vocab_size", guarded<vocabulary_size>, "tokenizer:get_vocab_size()",
     "How many tokens there are. #tokenizer is the largest number of one, which is what nn.Embedding needs."},
    {"add_tokens", guarded<add_tokens>, "tokenizer:add_tokens(list)",
     "Adds tokens that are found before all others: texts, or {content =, single_word =, lstrip =, rstrip =, "
     "normalized =}. "
     "Returns how many were new."},
    {"add_special_tokens", guarded<add_special_tokens>, "tokenizer:add_special_tokens(list)",
     "The same of tokens that decode leaves out."},
    {"enable_truncation", guarded<enable_truncation>,
     "tokenizer:enable_truncation(max_length, {strategy = 'longest_first', direction = 'right'})",
     "Cuts what encode returns. The strategy for two texts is longest_first, only_first or only_second."},
    {"no_truncation", guarded<no_truncation>, "tokenizer:no_truncation()", "Ends enable_truncation."},
    {"enable_padding", guarded<enable_padding>,
     "tokenizer:enable_padding{length, pad_to_multiple_of, pad_token = '[PAD]', pad_id, pad_type_id = 0, direction = "
     "'right'}",
     "Makes what encode_batch returns as long as the longest, or as `length`."},
    {"no_padding", guarded<no_padding>, "tokenizer:no_padding()", "Ends enable_padding."},
    {"train", guarded<train>,
     "tokenizer:train(source, {vocab_size = 30000, min_frequency = 0, special_tokens, limit_alphabet, "
     "initial_alphabet, "
     "max_token_length, continuing_subword_prefix, end_of_word_suffix})",
     "Makes the model anew, BPE or WordLevel, of the path of a file or a list of texts; normalizer and pre-tokenizer "
     "stay."},
    {"to_str", guarded<to_string>, "tokenizer:to_str{pretty = false}", "A tokenizer.json, as a string."},
    {"save", guarded<save>, "tokenizer:save(path, {pretty = true})",
     "Writes a tokenizer.json. The old file stays whatever goes wrong."},
};

int index(lua_State* L) {
  if (push_method(L)) return 1;
  throw Error("a tokenizer has no field '{}'", given_text(L, 2));
}

}  // namespace

int push_tokenizer(lua_State* L, TokenizerRef t) { return push_box<TokenizerRef>(L, std::move(t)), note_object(L), 1; }

void open_tokenizers(lua_State* L, int data) {
  lua_newtable(L);
  add_functions(L, lua_gettop(L), functions);
  lua_setfield(L, data, "Tokenizer");
  open_box<TokenizerRef>(L, "data.Tokenizer");
  finish_class(L, methods, guarded<index>,
               {{"__len", guarded<length>}, {"__tostring", guarded<description>}, {"__gc", destroy_box<TokenizerRef>}});
}

}  // namespace luth::lang
