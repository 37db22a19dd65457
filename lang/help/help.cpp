#include "lang/help/help.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/io/disk.h"
#include "lang/help/function_help.h"
#include "lang/help/names.h"
#include "lang/help/object_help.h"
#include "lang/hints/hints.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"
#include "lang/runtime/late_names.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

// Pushes the value of a path, `torch.nn.Linear`, `softmax` or `x:sum`, by raw access alone; nil where there is none.
// Keys are strings.
void push_named(lua_State* L, std::string name) {
  std::replace(name.begin(), name.end(), ':', '.');
  lua_pushglobaltable(L);
  for (size_t at = 0; at <= name.size();) {
    size_t dot = std::min(name.find('.', at), name.size());
    std::string part = name.substr(at, dot - at);
    if (lua_type(L, -1) == LUA_TTABLE) {
      lua_pushlstring(L, part.data(), part.size());
      rawget_or_late(L, -2);
    } else {
      lua_pushnil(L);
    }
    lua_remove(L, -2);
    at = dot + 1;
  }
}

// "nn.init" and "xavier" of "nn.init.xavier"; methods are of "x", "Tensor" or "torch.Tensor".
struct Path {
  std::string owner, name;
};
Path split(std::string_view path) {
  const size_t last = path.find_last_of(".:");
  if (last == path.npos) return {"", std::string(path)};
  return {std::string(path.substr(0, last)), std::string(path.substr(last + 1))};
}

// Each name of the name spaces, in their order, and those that have a text alone.
std::vector<Path> known_names(lua_State* L) {
  std::vector<Path> all;
  auto add = [&](const std::string& owner) {
    std::vector<std::string> names;
    make_late_names(L, -1);
    if (lua_istable(L, -1))
      for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -2));
    lua_pop(L, 1);
    std::sort(names.begin(), names.end());
    for (auto& name : names) all.push_back({owner, std::move(name)});
  };
  for (auto& space : name_spaces()) {
    push_named(L, space.path);
    add(space.path);
  }
  push_named(L, "torch.Tensor");
  add("x");
  push_named_texts(L);
  add("");
  return all;
}

// What a name without help was probably meant to be: a near name of the same owner, one that begins so, the same name
// of another owner, any near name.
std::string meant_by(lua_State* L, const std::string& path) {
  Path asked = split(path);
  const bool brief = asked.owner == "F";
  if (asked.owner == "Tensor" || asked.owner == "torch.Tensor") asked.owner = "x";
  if (brief) asked.owner = "nn.functional";
  if (const std::string foreign = foreign_hint(asked.owner, asked.name); !foreign.empty()) return foreign;
  const std::vector<Path> all = known_names(L);
  auto suggest = [&](const Path& p) {
    const char* between = p.owner.empty() ? "" : p.owner == "x" ? ":" : ".";
    return "; did you mean '" + (brief && p.owner == asked.owner ? "F" : p.owner) + between + p.name + "'?";
  };
  auto owned = [&](const Path& p) {
    return !asked.owner.empty() &&
           (p.owner == asked.owner || "torch." + p.owner == asked.owner || p.owner.ends_with("." + asked.owner));
  };
  std::vector<std::string> near, names;
  for (auto& p : all) {
    names.push_back(p.name);
    if (owned(p)) near.push_back(p.name);
  }
  auto first = [&](auto&& fits) -> std::string {
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? "" : suggest(*found);
  };
  auto begins = [&](auto& p) { return asked.name.size() > 2 && owned(p) && p.name.starts_with(asked.name); };
  auto same = [&](auto& p) { return p.name == asked.name && !p.owner.empty(); };
  auto quoted = [](const std::string& text, const Path& p) { return text.find("'" + p.name + "'") != text.npos; };
  const std::string own = did_you_mean(asked.name, near), any = did_you_mean(asked.name, names);
  for (const std::string& text : {first([&](auto& p) { return owned(p) && quoted(own, p); }), first(begins),
                                  first(same), first([&](auto& p) { return quoted(any, p); })})
    if (!text.empty()) return text;
  return "";
}

// Of texts that several owners of a name have, the one of `name`, "torch.backends.cudnn.enabled"; "" where it is not
// there.
std::string paragraph_of(const std::string& texts, const std::string& name) {
  for (size_t at = texts.find(name); at != texts.npos; at = texts.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || texts.compare(at - 1, 1, "\n") == 0;
    if (begins && end < texts.size() && texts[end] == '\n') return texts.substr(at, texts.find("\n\n", at) - at);
  }
  return "";
}

std::string named_text(lua_State* L, const std::string& name) {
  size_t last = name.find_last_of(".:");
  std::string tail = last == std::string::npos ? name : name.substr(last + 1);
  const std::string texts = named_texts(L, tail);
  for (const std::string& path : {name, "torch." + name, "nn." + name, std::string(), "torch.Tensor." + tail}) {
    std::string s;
    if (path.empty()) {  // after values of that very path, before others of the same last name
      s = paragraph_of(texts, name);
    } else {
      push_named(L, path);
      if (!lua_isnil(L, -1)) s = help_text(L, -1);
      lua_pop(L, 1);
    }
    if (!s.empty()) return s;
  }
  return texts;
}

// What share/luth/prompt/describe.lua says of the value at `index`, a function, module, dataset or table of the user's.
std::string described(lua_State* L, int index, const std::string& name) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.prompt.describe");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "describe");
  lua_pushvalue(L, index);
  lua_pushstring(L, name.empty() ? nullptr : name.c_str());
  lua_call(L, 2, 1);
  const char* text = lua_tostring(L, -1);
  std::string s = text ? text : "";
  lua_pop(L, 2);
  return s;
}

constexpr const char* overview =
    "help(torch.softmax), help('softmax') or, at the prompt, ? softmax explains a function.\n"
    "torch   tensors, operators, gradients        nn      modules and losses\n"
    "optim   optimizers and schedules             data    datasets and loaders\n"
    "Positions count from 1; named arguments go into a last table: x:sum(1, {keepdim = true}).\n"
    "At the prompt: _ is the last result, _1 the one before. ?? f shows source, !ls runs a program, exit leaves.\n"
    ":time :bench EXPR  :mem  :vars [NAME]  :bt :locals N after an error  :load :save :edit FILE  :reload MODULE";

// A page of share/doc: "indexing" of its topics, "recipes" or "recipes.md"; "" where none is of that name.
std::string topic_text(std::string name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (name.ends_with(".md")) name.resize(name.size() - 3);
  if (name.empty() || name.find_first_not_of(letters) != name.npos) return "";
  for (const char* folder : {"/doc/topics/", "/doc/", "/doc/tutorial/"}) {
    const std::string path = share_dir() + folder + name + ".md";
    if (access(path.c_str(), R_OK) == 0) return io::read_whole(path, 1 << 20, ErrorCode::runtime);
  }
  return "";
}

// The example and the names that follow a help text (share/luth/help/more.lua); "" where that fails: the text is what
// was asked for.
std::string more_text(lua_State* L, const std::string& text) {
  const int top = lua_gettop(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.help.more");
  std::string more;
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_getfield(L, -1, "text") == LUA_TFUNCTION) {
    lua_pushlstring(L, text.data(), text.size());
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) more = lua_tostring(L, -1);
  }
  lua_settop(L, top);
  return more;
}

// help(), help(value), help('name'), help(value, name) from the prompt.
int help(lua_State* L) {
  std::string text, name;
  int n = lua_gettop(L);
  if (n == 0) {
    text = overview;
  } else {
    if (lua_type(L, n) == LUA_TSTRING) name = lua_tostring(L, n);
    if (lua_type(L, 1) != LUA_TSTRING) text = help_text(L, 1);
    if (text.empty() && !name.empty() && n == 1) text = named_text(L, name);
    if (text.empty() && (n > 1 || lua_type(L, 1) != LUA_TSTRING)) text = described(L, 1, name);
    if (text.empty() && !name.empty()) text = named_text(L, name);
    if (text.empty()) text = class_text(L, name);
    if (text.empty())
      text = topic_text(name);
    else
      text +=
          more_text(L, text) + (n == 1 && !topic_text(name).empty() ? "\n\nThe page: luth help " + name + ".md" : "");
    if (text.empty() && name.empty()) throw Error("there is no help on {}", given_text(L, 1));
    if (text.empty())
      throw Error(ErrorCode::usage, "there is no help on '{}'{}; `luth help --search {}` finds words", name,
                  meant_by(L, name), name);
  }
  lua_getglobal(L, "print");
  lua_pushlstring(L, text.data(), text.size());
  lua_call(L, 1, 0);
  return 0;
}

constexpr Row rows[] = {
    {"help", guarded<help>, "help(function or 'name')", "Prints how a function is called and what its arguments are."}};

const NamedTexts words([](const TakeText& take) {
  take("options",
       "options {lr = {1e-3, 'learning rate'}, batch = 128}\n  Declares options of the command line, in a recipe. The "
       "default gives the type, the text is the help.");
  take(
      "kept",
      "kept(name, function)\n  In a recipe: what the function returns, a tokenizer or a value that torch.save takes. "
      "The "
      "checkpoints of the run have it, and --resume, luth eval and luth predict take it from there without calling the "
      "function: so they have the vocabulary of the training.");
  take("recipe",
       "return recipe {data = …, model = …, loss = …, optim = …, schedule = …, metrics = {…}, callbacks = {…}, collate "
       "= …, "
       "transform = …, step = …, epochs = …}\n  A recipe, which luth train runs. data, model, loss (or step) and optim "
       "must "
       "be there. Fields that are plain values are options of the command line too: `luth train RECIPE --help` lists "
       "them. share/doc/recipes.md explains every field, what callbacks, step, transform and collate get and return, "
       "with "
       "examples.");
});

void open_help(lua_State* L) {
  lua_pushglobaltable(L);
  add_functions(L, -1, rows);
  lua_pop(L, 1);
}
const Open opener("luth.help", Open::tables, open_help);

}  // namespace

std::string named_help(lua_State* L, const std::string& name) { return named_text(L, name); }

std::string help_text(lua_State* L, int index) {
  const std::string names = names_text(L, index), text = function_help(L, index);
  if (!names.empty()) return text.empty() ? names : text + "\n\n" + names;  // a table that can be called
  return text.empty() ? object_text(L, index) : text;
}

}  // namespace luth::lang
