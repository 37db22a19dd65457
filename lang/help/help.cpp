#include "lang/help/help.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/text.h"
#include "core/tensor/print.h"
#include "lang/binding/bind.h"
#include "lang/help/names.h"
#include "lang/help/object_help.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/tables.h"

namespace luth::lang {
namespace {

char rows_key;     // registry: function -> light userdata of its row, or any value -> text; keys are weak
char by_name_key;  // registry: name -> texts of all functions and fields of that name, joined

// Adds to what the last word of a name alone finds: "zero_grad" is a method of modules and of optimizers.
void remember_name(lua_State* L, const char* name, const std::string& text) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &by_name_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &by_name_key);
  }
  lua_getfield(L, -1, name);
  std::string all = lua_isnil(L, -1) ? "" : lua_tostring(L, -1);
  lua_pop(L, 1);
  if (all.find(text) == std::string::npos) {
    all += (all.empty() ? "" : "\n\n") + text;
    lua_pushlstring(L, all.data(), all.size());
    lua_setfield(L, -2, name);
  }
  lua_pop(L, 1);
}
std::string text_of_name(lua_State* L, const std::string& name) {
  std::string s;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &by_name_key) == LUA_TTABLE) {
    lua_getfield(L, -1, name.c_str());
    if (lua_isstring(L, -1)) s = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return s;
}

// Pushes the table of the above.
void push_rows(lua_State* L) { push_kept(L, &rows_key, "k"); }

std::string param_line(const Param& p) {
  std::string what;
  if (p.input)
    what = p.list ? "list of tensors" : p.number ? "tensor or number" : "tensor";
  else
    what = p.doc.empty() ? expectation(p.field) : p.doc;
  if (p.input && !p.required) what += ", may be nil";
  return "\n  " + p.name + std::string(p.name.size() < 14 ? 14 - p.name.size() : 1, ' ') + " " + what;
}

std::string form_text(const Face& face, const Form& form) {
  const OpInfo& info = *form.info;
  const bool method = prefix(face) == "x:";
  std::string s = std::string(prefix(face)) + signature(face, form, method);
  if (info.outputs.size() > 1) {
    s += " -> ";
    for (size_t i = 0; i < info.outputs.size(); ++i) s += (i ? ", " : "") + info.outputs[i];
  } else if (info.several) {
    s += " -> table";
  }
  s += "\n  " + std::string(info.doc.brief) + (face.inplace ? " In place: writes into the tensor and returns it." : "");
  for (auto& p : form.params)
    if (!method || !p.input || p.at > 0) s += param_line(p);
  if (!info.not_differentiable.empty()) s += "\n  No gradient: " + info.not_differentiable + ".";
  return s;
}

std::string face_text(const Face& face) {
  std::string s;
  for (auto* form : face.forms()) s += (s.empty() ? "" : "\n\n") + form_text(face, *form);
  if (face.function && face.method)
    s += prefix(face) == "x:" ? "\n  Also as a function: torch." + face.name + "(x, ...)."
                              : "\n  Also as a method: x:" + face.name + "(...).";
  return s;
}

std::string row_text(const Row& row) { return std::string(row.signature) + "\n  " + row.brief; }

std::string stored_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  std::string s;
  if (lua_islightuserdata(L, -1))
    s = row_text(*static_cast<const Row*>(lua_touserdata(L, -1)));
  else if (lua_type(L, -1) == LUA_TSTRING)
    s = lua_tostring(L, -1);
  lua_pop(L, 2);
  return s;
}

// Pushes what `torch.nn.Linear`, `softmax` or `x:sum` names, walking tables only by raw access and string keys; nil for
// nothing.
void push_named(lua_State* L, std::string name) {
  std::replace(name.begin(), name.end(), ':', '.');
  lua_pushglobaltable(L);
  for (size_t at = 0; at <= name.size();) {
    size_t dot = std::min(name.find('.', at), name.size());
    std::string part = name.substr(at, dot - at);
    if (lua_type(L, -1) == LUA_TTABLE) {
      lua_pushlstring(L, part.data(), part.size());
      lua_rawget(L, -2);
    } else {
      lua_pushnil(L);
    }
    lua_remove(L, -2);
    at = dot + 1;
  }
}

// The names of torch and of tensors' methods, then those of other tables: of equally near ones the first is offered.
std::vector<std::string> known_names(lua_State* L) {
  std::vector<std::string> names;
  auto add = [&] {
    if (lua_istable(L, -1))
      for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -2));
    lua_pop(L, 1);
  };
  lua_getglobal(L, "torch");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "Tensor");
    add();
  }
  add();
  lua_rawgetp(L, LUA_REGISTRYINDEX, &by_name_key);
  add();
  std::sort(names.begin(), names.end());
  for (const char* global : {"nn", "optim", "data"}) {
    lua_getglobal(L, global);
    add();
  }
  return names;
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
  const std::string texts = text_of_name(L, tail);
  for (const std::string& path : {name, "torch." + name, "nn." + name, std::string(), "torch.Tensor." + tail}) {
    std::string s;
    if (path.empty()) {  // between those that stand there by that name and mere namesakes
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

constexpr const char* overview =
    "help(torch.softmax), help('softmax') or, at the prompt, ? softmax explains a function.\n"
    "torch   tensors, operators, gradients        nn      modules and losses\n"
    "optim   optimizers and schedules             data    datasets and loaders\n"
    "Positions count from 1; named arguments go into a last table: x:sum(1, {keepdim = true}).";

// help(), help(value), help('name'), help(value, name) from the prompt.
int help(lua_State* L) {
  std::string text, name;
  int n = lua_gettop(L);
  if (n == 0) {
    text = overview;
  } else {
    if (lua_type(L, n) == LUA_TSTRING) name = lua_tostring(L, n);
    if (lua_type(L, 1) != LUA_TSTRING) text = help_text(L, 1);
    if (text.empty() && !name.empty()) text = named_text(L, name);
    if (text.empty() && name.empty()) throw Error("there is no help on {}", given_text(L, 1));
    if (text.empty())
      throw Error(ErrorCode::usage, "there is no help on '{}'{}", name,
                  did_you_mean(name.substr(name.find_last_of(".:") + 1), known_names(L)));
  }
  lua_getglobal(L, "print");
  lua_pushlstring(L, text.data(), text.size());
  lua_call(L, 1, 0);
  return 0;
}

constexpr Row rows[] = {
    {"help", guarded<help>, "help(function or 'name')", "Prints how a function is called and what its arguments are."}};

}  // namespace

void document_row(lua_State* L, int index, const Row& row) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, const_cast<Row*>(&row));
  lua_rawset(L, -3);
  lua_pop(L, 1);
  remember_name(L, row.name, row_text(row));
}

bool has_other_row(lua_State* L, int index, const Row& row) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  const bool other = lua_rawget(L, -2) == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) != &row;
  lua_pop(L, 2);
  return other;
}

void document_name(lua_State* L, const char* name, const char* text) { remember_name(L, name, text); }

void document(lua_State* L, int index, const char* text) {
  index = lua_absindex(L, index);
  push_rows(L);
  lua_pushvalue(L, index);
  lua_pushstring(L, text);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

std::string named_help(lua_State* L, const std::string& name) { return named_text(L, name); }

std::string help_text(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return "";
  if (const Face* face = to_face(L, index)) return face_text(*face);
  if (const Tensor* t = to_tensor(L, index)) return *t ? "a " + describe(*t) + " tensor" : "a tensor that was freed";
  std::string names = names_text(L, index), stored = stored_text(L, index);
  if (!names.empty()) return stored.empty() ? names : stored + "\n\n" + names;  // a table that can be called
  return stored.empty() ? object_text(L, index) : stored;
}

void open_help(lua_State* L) {
  document_name(
      L, "options",
      "options {lr = {1e-3, 'learning rate'}, batch = 128}\n  In a recipe: declares options of the command line. "
      "The default gives the type, the text the help.");
  document_name(
      L, "recipe",
      "return recipe {data = …, model = …, loss = …, optim = …, epochs = …}\n  What luth train runs; luth train "
      "--help says more.");
  lua_pushglobaltable(L);
  add_functions(L, -1, rows);
  lua_pop(L, 1);
}

}  // namespace luth::lang
