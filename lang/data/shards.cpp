// data.WebDataset.
#include "core/data/web_dataset.h"
#include "core/io/npy.h"
#include "lang/data/data.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/named_arguments.h"
#include "lang/values/values.h"

namespace luth::lang {
namespace {

std::string text_at(lua_State* L, int index, const char* what) {
  if (lua_type(L, index) != LUA_TSTRING) throw Error("data.WebDataset: {}, got {}", what, given_text(L, index));
  return {lua_tostring(L, index), lua_rawlen(L, index)};
}
std::vector<std::string> texts_at(lua_State* L, int index, const char* what) {
  if (!lua_istable(L, index)) return {text_at(L, index, what)};
  std::vector<std::string> all;
  each_element(L, index, [&](int at, lua_Integer) { all.push_back(text_at(L, at, what)); });
  return all;
}

int web_dataset(lua_State* L) {
  data::WebDatasetSpec spec;
  spec.array = io::parse_npy;
  for (auto& pattern : texts_at(L, 1, "shards are paths"))
    for (auto& path : data::expand_braces(pattern)) spec.shards.push_back(path);
  NamedArguments options(L, 2, "data.WebDataset");
  if (int i = options.get("fields")) spec.fields = texts_at(L, i, "fields are suffixes");
  spec.shuffle_buffer = options.integer("shuffle_buffer", 0);
  const int at = take_image_options(L, options, spec.channels, spec.transform);
  return push_dataset_of_file(L, data::DatasetRef(new data::WebDataset(std::move(spec))), at);
}

constexpr Row functions[] = {
    {"WebDataset", guarded<web_dataset>,
     "data.WebDataset(shards, {fields = {'jpg;jpeg;png;webp;bmp', 'cls'}, transform = nil, channels = 3, "
     "shuffle_buffer "
     "= 0})",
     "Samples in tar files as WebDataset lays them out: a path, such as 'train-{000..012}.tar', or a list. A field is "
     "a "
     "suffix, or several between semicolons of which the first that is there counts; '__key__' is the sample's name. "
     "Images, .npy, .cls (labels, counted from 0 in the file), .index, .txt and .json become what they are, others "
     "strings. With shuffle_buffer, shuffle = true of a loader draws from a buffer over shards in random order."},
};
}  // namespace

void open_shards(lua_State* L, int data) { add_functions(L, data, functions); }

}  // namespace luth::lang
