// Datasets in Lua.
#pragma once
#include <functional>

#include "core/data/loader.h"
#include "core/data/transform.h"
#include "lang/runtime/box.h"
#include "lang/runtime/ref.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {

/// The dataset at `index`. A Lua value with `get` and a length becomes a dataset whose samples are read on this thread.
/// An object that keeps the result must keep the Lua value on its own userdata (lang/runtime/ref.h).
/// Throws "expects a dataset, got ...".
data::DatasetRef check_dataset(lua_State* L, int index, const char* what);

/// Whether check_dataset takes the value.
bool is_dataset(lua_State* L, int index);
/// Whether the value is a dataset without numbered samples: a table with a function iter.
bool is_stream(lua_State* L, int index);
/// The numbers of samples in a table or a tensor, counted from 1 there and from 0 in the result. `what` begins the
/// message: "Subset: expects".
std::vector<int64_t> check_positions(lua_State* L, int index, const char* what);

/// Pushes a dataset. `source`: the index of what it is made of, or of a table of that; 0 where there is nothing.
int push_dataset(lua_State* L, data::DatasetRef dataset, int source = 0);
/// The same of one that keeps much of a file in memory, which the collector counts; that takes 40 us.
int push_dataset_of_file(lua_State* L, data::DatasetRef dataset, int source = 0);
/// The same of one that `make` reads into tensors.
int push_dataset_of_tensors(lua_State* L, const std::function<data::DatasetRef()>& make, int source = 0);

/// Where `luth data get` puts data: $XDG_DATA_HOME/luth, else ~/.local/share/luth; "" without a home.
std::string data_home();
/// The file or folder of that name: a relative path is looked up here, then in the installation, then in data_home().
/// The path itself where there is none.
std::string find_data(const std::string& path);

/// The option `name`, a name or a list of names; empty where it was not given. With `columns`, positions in it, from 1,
/// stand for names too.
std::vector<std::string> names_at(lua_State* L, NamedArguments& options, const char* name,
                                  const std::vector<std::string>* columns = nullptr);

// loader.cpp: adds DataLoader to the table `data`.
void open_loader(lua_State* L, int data);
// images.cpp: adds images, their datasets and transforms.
void open_images(lua_State* L, int data);
/// The arguments `channels` and `transform`, and the end of the arguments. Returns where the transform is on the stack,
/// 0 without one.
int take_image_options(lua_State* L, NamedArguments& options, int& channels, data::TransformRef& transform);
// shards.cpp: adds tar shards.
void open_shards(lua_State* L, int data);
// The methods of datasets of images, for the table of methods of all datasets.
void add_image_methods(lua_State* L, int methods);
// arrays.cpp: adds datasets of arrays in files.
void open_arrays(lua_State* L, int data);
// tokenizer.cpp, text.cpp: add tokenizers; datasets of text, and their methods.
void open_tokenizers(lua_State* L, int data);
void open_text(lua_State* L, int data);
void add_text_methods(lua_State* L, int methods);
// tables.cpp: adds datasets of tables, and their methods.
void open_tables(lua_State* L, int data);
void add_table_methods(lua_State* L, int methods);

}  // namespace luth::lang
