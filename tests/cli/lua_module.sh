#!/usr/bin/env bash
# A compiled Lua module, which links nothing and finds Lua's API in the program, loads through package.cpath and works,
# its errors included.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/tiny.c" <<'C'
#include <lauxlib.h>
static int twice(lua_State* L) { lua_pushinteger(L, 2 * luaL_checkinteger(L, 1)); return 1; }
static const luaL_Reg functions[] = {{"twice", twice}, {NULL, NULL}};
int luaopen_tiny(lua_State* L) { luaL_newlib(L, functions); return 1; }
C
"${CC:-cc}" -shared -fPIC -I/usr/include/lua5.4 -I/usr/local/include "$work/tiny.c" -o "$work/tiny.so"
"$LUTH_PROGRAM" - "$work" <<'LUA'
package.cpath = arg[1] .. '/?.so'
local tiny = require 'tiny'
assert(tiny.twice(21) == 42)
local ok, why = pcall(tiny.twice, 'x')
assert(not ok and why:find('number expected'), why)
LUA
