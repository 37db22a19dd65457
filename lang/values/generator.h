// torch.Generator: random number generators of scripts, which operators take as the argument `generator`.
#pragma once
#include <lua5.4/lua.hpp>

namespace luth {
class Device;
class Generator;
}  // namespace luth

namespace luth::lang {

/// The generator at `index`; throws "expects a torch.Generator, got ..." for anything else.
Generator& check_generator(lua_State* L, int index);

/// The state of the device's default generator as a tensor of bytes, and back. `table`: for errors, "torch.cuda".
void push_rng_state(lua_State* L, Device& d);
void take_rng_state(lua_State* L, int index, Device& d, const char* table);

/// torch.Generator, torch.seed.
void open_generator(lua_State* L, int torch);
/// The value of torch.default_generator.
void push_default_generator(lua_State* L);

}  // namespace luth::lang
