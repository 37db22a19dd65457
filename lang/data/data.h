// Datasets and loaders in Lua, for all of lang.
#pragma once
#include "core/data/loader.h"
#include "lang/runtime/box.h"
#include "lang/runtime/ref.h"

namespace luth::lang {

/// A dataset of C++ as it is; any Lua value with `get` and a length becomes one whose samples are read on this thread.
/// The userdata of whatever holds the result for longer must keep the Lua value (lang/runtime/ref.h).
/// Throws "expects a dataset, got ...".
data::DatasetRef check_dataset(lua_State* L, int index, const char* what);

/// True for what check_dataset takes.
bool is_dataset(lua_State* L, int index);
/// Positions from 0: of a table or a tensor whose numbers count from 1. `what` begins the message: "Subset: expects".
std::vector<int64_t> check_positions(lua_State* L, int index, const char* what);

// data_loader.cpp: adds DataLoader to the table `data`.
void open_loader(lua_State* L, int data);

/// Pushes the values of a sample; returns their number.
int push_sample(lua_State* L, const data::Sample& s);

}  // namespace luth::lang
