// Datasets in Lua.
#pragma once
#include "core/data/loader.h"
#include "lang/runtime/box.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// The dataset at `index`. A Lua value with `get` and a length becomes a dataset whose samples are read on this thread.
/// An object that keeps the result must keep the Lua value on its own userdata (lang/runtime/ref.h).
/// Throws "expects a dataset, got ...".
data::DatasetRef check_dataset(lua_State* L, int index, const char* what);

/// Whether check_dataset takes the value.
bool is_dataset(lua_State* L, int index);
/// The numbers of samples in a table or a tensor, counted from 1 there and from 0 in the result. `what` begins the
/// message: "Subset: expects".
std::vector<int64_t> check_positions(lua_State* L, int index, const char* what);

// loader.cpp: adds DataLoader to the table `data`.
void open_loader(lua_State* L, int data);

}  // namespace luth::lang
