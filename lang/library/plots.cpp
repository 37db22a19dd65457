// The global table `plot`: pictures of numbers, written in Lua (share/luth/plot). plot(y) is plot.plot(y).
#include "lang/library/plots.h"

#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/interp.h"

namespace luth::lang {
namespace {

constexpr Row plots[] = {
    {"plot", nullptr,
     "plot(y or x, y or {x, y, label} …, {title, xlabel, ylabel, label, labels, log = 'x', 'y' or 'xy', xlim, ylim, "
     "width, height}, file)",
     "Lines through points: plot(y), plot(x, y), plot{x, y, title = 'Loss'}, plot{{x, y, label = 'a'}, {x, z, label = "
     "'b'}}, plot{train = y, val = z}; a matrix has a series in each column. Shown on the terminal, or written where a "
     "name that ends in .png or .svg comes last: plot(y, 'a.svg'). width and height are characters on a terminal, else "
     "pixels. nan and inf are left out and counted."},
    {"scatter", nullptr, "plot.scatter(y or x, y or {x, y, label} …, {title, xlabel, ylabel, …}, file)",
     "Points, with the arguments of plot."},
    {"hist", nullptr, "plot.hist(x, {bins, range, log = 'y', title, xlabel, ylabel, …}, file)",
     "How many values lie in each of some intervals of equal width: the square root of their number, at most 60, or "
     "bins."},
    {"imshow", nullptr, "plot.imshow(x, {range, title, …}, file)",
     "An image [H, W], [1, H, W] or [3, H, W]: bytes, or numbers from 0 to 1; others are shown from the least to the "
     "greatest, or by range = {least, greatest}, and the picture says so."},
    {"heatmap", nullptr, "plot.heatmap(x, {range, title, xlabel, ylabel, …}, file)",
     "The numbers of a matrix as colours, row 1 at the top, with the values at both ends of the ramp."},
};

// plot(…): the function plot.plot, without the table.
int call(lua_State* L) {
  lua_getfield(L, 1, "plot");
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

void open_plots(lua_State* L) {
  lua_newtable(L);
  add_library(L, -1, "luth.plot", plots);
  lua_getmetatable(L, -1);
  lua_pushcfunction(L, call);
  lua_setfield(L, -2, "__call");
  lua_pop(L, 1);
  lua_setglobal(L, "plot");
}
const Open opener("luth.plots", Open::extras + 10, open_plots);

}  // namespace

void add_plot_names(lua_State* L) {
  lua_getglobal(L, "plot");
  for (const char* name : {"scatter", "hist", "imshow", "heatmap"}) {
    lua_getfield(L, -1, name);
    lua_setglobal(L, name);
  }
  lua_pop(L, 1);
}

}  // namespace luth::lang
