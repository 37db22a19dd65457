// Datasets of tables in Lua: data.CSV, and what was learned of their columns.
#include "core/data/table.h"

#include "core/records/csv.h"
#include "core/records/json_lines.h"
#include "core/records/sql.h"
#include "lang/data/data.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"

namespace luth::lang {
namespace {

using data::ColumnFit;
using data::Fit;
using data::TableDataset;

// ---- what was learned, as a table ----

void push_text(lua_State* L, const std::string& text) { lua_pushlstring(L, text.data(), text.size()); }
int push_texts(lua_State* L, const std::vector<std::string>& list) {
  return push_items(L, list, [&](const std::string& text) { push_text(L, text); });
}

void push_column(lua_State* L, const ColumnFit& c) {
  lua_newtable(L);
  push_text(L, c.name);
  lua_setfield(L, -2, "name");
  if (c.is_category) {
    push_texts(L, c.categories);
    return lua_setfield(L, -2, "categories");
  }
  lua_pushnumber(L, c.mean);
  lua_setfield(L, -2, "mean");
  lua_pushnumber(L, c.std);
  lua_setfield(L, -2, "std");
}

void push_fit(lua_State* L, const Fit& fit) {
  lua_newtable(L);
  push_items(L, fit.features, [&](const ColumnFit& c) { push_column(L, c); });
  lua_setfield(L, -2, "features");
  push_items(L, fit.targets, [&](const ColumnFit& c) { push_column(L, c); });
  lua_setfield(L, -2, "target");
}

[[noreturn]] void no_state(const char* why) {
  throw Error("this is no state of a dataset, as state_dict() gives it: {}", why);
}

// A text of the table on top of the stack.
std::string text_field(lua_State* L, const char* name) {
  if (lua_getfield(L, -1, name) != LUA_TSTRING) no_state("a column has no name");
  size_t n = 0;
  const char* text = lua_tolstring(L, -1, &n);
  std::string out(text, n);
  lua_pop(L, 1);
  return out;
}

ColumnFit column_at_top(lua_State* L) {
  if (!lua_istable(L, -1)) no_state("a column is no table");
  ColumnFit c;
  c.name = text_field(L, "name");
  const int kind = lua_getfield(L, -1, "categories");
  if (kind != LUA_TNIL && kind != LUA_TTABLE) no_state("categories are no list");
  c.is_category = kind == LUA_TTABLE;
  if (c.is_category) c.categories = read_names(L, -1);
  lua_pop(L, 1);
  if (c.is_category) return c;
  const bool numbers = lua_getfield(L, -1, "mean") == LUA_TNUMBER && lua_getfield(L, -2, "std") == LUA_TNUMBER;
  if (!numbers || !(lua_tonumber(L, -1) > 0)) no_state("a column has neither categories nor mean and std");
  c.mean = lua_tonumber(L, -2), c.std = lua_tonumber(L, -1);
  lua_pop(L, 2);
  return c;
}

Fit read_fit(lua_State* L, int index) {
  Fit fit;
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) no_state("it is no table");
  for (auto [name, list] : {std::pair("features", &fit.features), std::pair("target", &fit.targets)}) {
    if (lua_getfield(L, index, name) != LUA_TTABLE) no_state("features and target are lists");
    each_element(L, -1, [&](int, lua_Integer) { list->push_back(column_at_top(L)); });
    lua_pop(L, 1);
  }
  return fit;
}

// ---- methods ----

data::Dataset* dataset_of(lua_State* L, int index) {
  auto* d = to_box<data::DatasetRef>(L, index);
  return d ? d->get() : nullptr;
}
TableDataset& self(lua_State* L) {
  auto* t = dynamic_cast<TableDataset*>(dataset_of(L, 1));
  return t ? *t : throw Error("expects a dataset of a table, as data.CSV gives it, got {}", given_text(L, 1));
}

int state_dict(lua_State* L) {
  const data::Dataset* d = dataset_of(L, 1);
  const Fit* fit = d ? d->fit() : nullptr;
  return fit ? push_fit(L, *fit) : lua_pushnil(L), 1;
}
int load_state_dict(lua_State* L) {
  data::Dataset* d = dataset_of(L, 1);
  if (!d) refuse_self(L, "a dataset");
  return d->set_fit(read_fit(L, 2)), 0;
}
int features(lua_State* L) { return push_texts(L, self(L).features()); }
int fit(lua_State* L) {
  TableDataset& t = self(L);
  auto* subset = dynamic_cast<data::Subset*>(dataset_of(L, 2));
  if (!subset || subset->whole().get() != &t)
    throw Error("fit: expects a part of this dataset, as random_split and Subset give them, got {}", given_text(L, 2));
  t.learn(subset->indices());
  lua_settop(L, 1);
  return 1;
}

// ---- constructors ----

// What `like` says was learned, of a dataset or its state.
std::optional<Fit> fit_at(lua_State* L, NamedArguments& options) {
  const int index = options.get("like");
  if (!index) return {};
  const data::Dataset* d = dataset_of(L, index);
  return d && d->fit() ? *d->fit() : read_fit(L, index);
}

constexpr const char* table_options[] = {"target", "usecols", "drop", "categories", "na_values", "like"};

// The described settings in the table of named arguments at `index`, where there is one.
void read_table_settings(lua_State* L, int index, const char* function, const Describe& describe) {
  if (lua_isnoneornil(L, index)) return;
  if (!lua_istable(L, index)) throw Error("{}: expects a table of settings, got {}", function, given_text(L, index));
  read_named_settings(L, index, function, describe, {std::begin(table_options), std::end(table_options)});
}

// The dataset of what `open` reads of the path, with the options of the table at `index`, of which `spec` has read
// some.
int push_table(lua_State* L, int index, const char* function, const std::string& path, const data::OpenRecords& open,
               data::TableSpec spec) {
  NamedArguments options(L, index, function);
  const auto records = open(path);
  const auto& columns = records->columns();
  spec.target = names_at(L, options, "target", &columns);
  spec.usecols = names_at(L, options, "usecols", &columns);
  spec.drop = names_at(L, options, "drop", &columns);
  spec.categories = names_at(L, options, "categories", &columns);
  spec.na_values = names_at(L, options, "na_values");
  const std::optional<Fit> learned = fit_at(L, options);
  return push_dataset_of_file(
      L, data::DatasetRef(new TableDataset(*records, open, std::move(spec), learned ? &*learned : nullptr)));
}

int csv(lua_State* L) {
  const std::string path = find_data(luaL_checkstring(L, 1));
  data::CsvSpec csv;
  data::TableSpec spec;
  lua_settop(L, 2);
  read_table_settings(L, 2, "data.CSV", [&](Fields& f) { csv.describe(f), spec.describe(f); });
  spec.decimal = csv.decimal;
  const auto open = [csv](const std::string& file) { return data::read_csv(file, csv); };
  return push_table(L, 2, "data.CSV", path, open, std::move(spec));
}

int json_lines(lua_State* L) {
  const std::string path = find_data(luaL_checkstring(L, 1));
  data::TableSpec spec;
  lua_settop(L, 2);
  read_table_settings(L, 2, "data.JSONLines", [&](Fields& f) { spec.describe(f); });
  return push_table(L, 2, "data.JSONLines", path, data::read_json_lines, std::move(spec));
}

int sql(lua_State* L) {
  const std::string path = find_data(luaL_checkstring(L, 1)), query = luaL_checkstring(L, 2);
  data::TableSpec spec;
  lua_settop(L, 3);
  read_table_settings(L, 3, "data.SQLite", [&](Fields& f) { spec.describe(f); });
  const auto open = [query](const std::string& file) { return data::read_sql(file, query); };
  return push_table(L, 3, "data.SQLite", path, open, std::move(spec));
}

constexpr Row functions[] = {
    {"CSV", guarded<csv>,
     "data.CSV(path, {target = nil, usecols, drop, categories, na_values, like, encode = 'one_hot', missing = 'mean', "
     "standardize = true, delimiter, quote = '\"', decimal = '.', header = nil})",
     "A dataset of a CSV or TSV file, plain or gzip: features as float32[D], then the target: a label from 1 where it "
     "is "
     "a text, float32[1] where it is a number. target, usecols (the features), drop and categories (columns of numbers "
     "that stand for categories) are names of columns, or positions. A column is one of numbers or of categories, by "
     "its "
     "first value; whole numbers from 2^53 on, such as identifiers, are categories, which keep all digits. Numbers are "
     "standardised, and categories become a feature each (encode = 'codes': labels in a "
     "tensor "
     "of their own; the last label is of what is missing or unknown). missing: 'mean', 'drop' the row, or 'error'; "
     "na_values are texts of missing values beside the usual ones. like = another dataset, or its state_dict(): take "
     "means and categories from there. Errors name line and column."},
    {"JSONLines", guarded<json_lines>,
     "data.JSONLines(path, {target = nil, usecols, drop, categories, na_values, like, encode = 'one_hot', missing = "
     "'mean', standardize = true})",
     "The same of a file with a JSON object in each line, plain or gzip: its keys are the columns, each once. Objects "
     "and lists "
     "within give the columns 'size.width', 'x.1'; booleans are 0 and 1; what an object does not have is missing."},
    {"SQLite", guarded<sql>,
     "data.SQLite(path, query, {target = nil, usecols, drop, categories, na_values, like, encode = 'one_hot', missing "
     "= "
     "'mean', standardize = true})",
     "The same of the rows of a query: data.SQLite('shop.db', 'SELECT age, city, price FROM houses', {target = "
     "'price'}). The database is opened for reading alone."},
};
constexpr Row methods[] = {
    {"state_dict", guarded<state_dict>, "dataset:state_dict()",
     "What a dataset has learned: means, deviations and categories of a table, the classes of images. A checkpoint of "
     "luth train keeps it. nil for datasets that learn nothing."},
    {"load_state_dict", guarded<load_state_dict>, "dataset:load_state_dict(state)",
     "Takes what another dataset has learned."},
    {"features", guarded<features>, "dataset:features()",
     "The names of the features of a dataset of a table: 'area', 'city=Paris'. Their number is the size of a sample's "
     "first value."},
    {"fit", guarded<fit>, "dataset:fit(part)",
     "Learns means, deviations and categories of a part of the dataset of a table alone, such as the training part of "
     "random_split. Returns the dataset."},
};

}  // namespace

std::vector<std::string> names_at(lua_State* L, NamedArguments& options, const char* name,
                                  const std::vector<std::string>* columns) {
  std::vector<std::string> names;
  const int index = options.get(name);
  if (!index) return names;
  const auto add = [&](int at) {
    if (lua_type(L, at) == LUA_TSTRING) return names.emplace_back(lua_tostring(L, at)), void();
    if (!columns || !lua_isinteger(L, at)) throw Error("'{}' expects names, got {}", name, given_text(L, at));
    const int64_t i = lua_tointeger(L, at);
    if (i < 1 || i > int64_t(columns->size()))
      throw Error("'{}': there is no column {}; there are {}", name, i, columns->size());
    names.push_back((*columns)[size_t(i - 1)]);
  };
  if (lua_istable(L, index))
    each_element(L, index, [&](int at, lua_Integer) { add(at); });
  else
    add(index);
  lua_pop(L, 1);
  return names;
}

void open_tables(lua_State* L, int data) { add_functions(L, data, functions); }
void add_table_methods(lua_State* L, int index) { add_functions(L, index, methods); }

}  // namespace luth::lang
