// Datasets of text in Lua.
#include "core/data/text.h"

#include "lang/data/text.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using text::TokenizerRef;

// 'strict' or 'replace', as Python calls it: what becomes of bytes that are no UTF-8.
bool replaces(lua_State* L, NamedArguments& options) {
  const int i = options.get("errors");
  const std::string errors = i ? luaL_checkstring(L, i) : "strict";
  if (errors != "strict" && errors != "replace") throw Error("errors is 'strict' or 'replace', got '{}'", errors);
  return errors == "replace";
}

// The option `tokenizer`, a tokenizer or the kind of one that is made of the source at 1.
TokenizerRef tokenizer_of(lua_State* L, NamedArguments& options, const char* function, bool replaced) {
  const int i = options.get("tokenizer");
  if (!i) throw Error("{}: needs a tokenizer, or 'characters', 'bytes' or 'words'", function);
  if (auto* t = to_box<TokenizerRef>(L, i); t && *t) return *t;
  if (lua_type(L, i) != LUA_TSTRING)
    throw Error("{}: tokenizer expects a tokenizer, or the name of a kind, got {}", function, given_text(L, i));
  return text::make_tokenizer(lua_tostring(L, i), {}, check_source(L, 1, replaced));
}

bool is_name(lua_State* L, int table, const char* name, const char* value) {
  if (!lua_istable(L, table)) return false;
  const bool is = lua_getfield(L, table, name) == LUA_TSTRING && std::string_view(lua_tostring(L, -1)) == value;
  lua_pop(L, 1);
  return is;
}

int text_dataset(lua_State* L) {
  NamedArguments options(L, 2, "data.TextDataset");
  const bool replaced = replaces(L, options),
             raw = lua_type(L, 1) == LUA_TSTRING && is_name(L, 2, "tokenizer", "bytes");
  const TokenizerRef t = tokenizer_of(L, options, "data.TextDataset", replaced);
  data::TextSpec spec;
  spec.context = options.integer("context", spec.context);
  spec.stride = options.integer("stride", spec.stride);
  spec.random_start = options.flag("random_start", false);
  options.done();
  Ref<data::TokenList> tokens = raw ? make<data::TokenList>(t, make<text::TextFile>(find_data(lua_tostring(L, 1))))
                                    : make<data::TokenList>(t, check_source(L, 1, replaced));
  const int64_t n = tokens->size();
  return push_dataset_of_file(L, data::DatasetRef(new data::TextDataset(std::move(tokens), spec, 0, n)));
}

int text_lines(lua_State* L) {
  const std::string path = find_data(luaL_checkstring(L, 1));
  NamedArguments options(L, 2, "data.TextLines");
  data::TextLinesSpec spec;
  spec.replaced = replaces(L, options);
  if (const int i = options.get("label")) spec.label = luaL_checkstring(L, i);
  if (const int i = options.get("separator")) spec.separator = luaL_checkstring(L, i);
  if (const int i = options.get("classes")) spec.classes = read_names(L, i);
  spec.add_special_tokens = options.flag("add_special_tokens", true);
  const TokenizerRef t = tokenizer_of(L, options, "data.TextLines", spec.replaced);
  options.done();
  return push_dataset_of_file(L, data::DatasetRef(new data::TextLines(path, t, std::move(spec))));
}

template <class T>
T& dataset(lua_State* L, const char* what) {
  auto* d = to_box<data::DatasetRef>(L, 1);
  auto* t = d ? dynamic_cast<T*>(d->get()) : nullptr;
  return t ? *t : throw Error("expects {}, got {}", what, given_text(L, 1));
}

int part(lua_State* L) {
  auto& d = dataset<data::TextDataset>(L, "a TextDataset");
  const double from = luaL_checknumber(L, 2), to = luaL_checknumber(L, 3);
  NamedArguments options(L, 4, "part");
  const bool random_start = options.flag("random_start", d.spec().random_start);
  options.done();
  return push_dataset(L, d.part(from, to, random_start));
}
int tokenizer(lua_State* L) {
  auto* d = to_box<data::DatasetRef>(L, 1);
  if (auto* t = d ? dynamic_cast<data::TextDataset*>(d->get()) : nullptr) return push_tokenizer(L, t->tokenizer());
  return push_tokenizer(L, dataset<data::TextLines>(L, "a dataset of text").tokenizer());
}
int count(lua_State* L) { return lua_pushinteger(L, dataset<data::TextDataset>(L, "a TextDataset").tokens()), 1; }
int line(lua_State* L) {
  auto& d = dataset<data::TextLines>(L, "a TextLines");
  const int64_t i = luaL_checkinteger(L, 2);
  if (i < 1 || i > d.size()) throw Error("text: sample {} is out of range; there are samples 1 to {}", i, d.size());
  const std::string s = d.text(i - 1);
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
// How many tokens each sample has: what a BucketBatchSampler needs.
int lengths(lua_State* L) {
  auto& d = dataset<data::TextLines>(L, "a TextLines");
  Tensor t = Tensor::empty({d.size()}, Dtype::i64, host());
  for (int64_t i = 0; i < d.size(); ++i) t.data<int64_t>()[i] = d.get(i, {})[0].tensor().numel();
  return push_tensor(L, std::move(t)), 1;
}

constexpr Row functions[] = {
    {"TextDataset", guarded<text_dataset>,
     "data.TextDataset(source, {tokenizer, context = 128, stride = context, random_start = false, errors = 'strict'})",
     "Stretches of a text for language models: a sample is `context` tokens and those that follow each, int64[context] "
     "both. "
     "The source is the path of a file, or a list of texts. The tokenizer is a data.Tokenizer, or 'characters', "
     "'bytes' or "
     "'words', which makes one of the source. random_start begins each sample up to stride - 1 tokens later, elsewhere "
     "in each "
     "epoch. errors = 'replace' takes U+FFFD for what is no UTF-8. dataset:part(0, 0.9) is a part of it."},
    {"TextLines", guarded<text_lines>,
     "data.TextLines(path, {tokenizer, label = nil, separator = '\\t', classes, add_special_tokens = true, errors = "
     "'strict'})",
     "The lines of a file: a sample is its tokens, int64[n], and the number of its class, from 1, where label says "
     "that the "
     "'first' or the 'last' field of a line is one. Classes are the labels in order, or those given. Empty lines are "
     "left out. "
     "Samples are of different lengths: data.PadCollate, data.PackCollate, or data.transforms.PadTransform."},
};
constexpr Row methods[] = {
    {"part", guarded<part>, "dataset:part(from, to, {random_start = nil})",
     "The samples of a part of a TextDataset's tokens, by shares of them: part(0, 0.9) and part(0.9, 1) have no token "
     "in common. Without random_start it is the dataset's own."},
    {"tokenizer", guarded<tokenizer>, "dataset:tokenizer()", "The tokenizer of a dataset of text."},
    {"tokens", guarded<count>, "dataset:tokens()", "How many tokens a TextDataset has."},
    {"text", guarded<line>, "dataset:text(i)", "The text of sample i of a TextLines, counted from 1."},
    {"lengths", guarded<lengths>, "dataset:lengths()",
     "int64[samples]: how many tokens each sample of a TextLines has."},
};

}  // namespace

std::vector<std::string> check_texts(lua_State* L, int index, const char* what) {
  if (!lua_istable(L, index)) throw Error("{} a list of texts, got {}", what, given_text(L, index));
  std::vector<std::string> texts;
  each_element(L, index, [&](int at, lua_Integer k) {
    size_t n = 0;
    if (lua_type(L, at) != LUA_TSTRING) throw Error("{} a list of texts; element {} is {}", what, k, given_text(L, at));
    const char* s = lua_tolstring(L, at, &n);
    texts.emplace_back(s, n);
  });
  return texts;
}

text::NextText check_source(lua_State* L, int index, bool replaced) {
  if (lua_type(L, index) == LUA_TSTRING) return text::parts_of_file(find_data(lua_tostring(L, index)), replaced);
  const auto texts =
      std::make_shared<std::vector<std::string>>(check_texts(L, index, "expects the path of a file, or"));
  if (replaced)
    for (std::string& s : *texts) s = text::replaced_utf8(s);
  return [texts, at = size_t(0)]() mutable -> std::optional<std::string_view> {
    if (at == texts->size()) return {};
    return (*texts)[at++];
  };
}

void add_text_methods(lua_State* L, int methods_table) { add_functions(L, methods_table, methods); }
void open_text(lua_State* L, int data) { add_functions(L, data, functions); }

}  // namespace luth::lang
