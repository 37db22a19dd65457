// Optimizers and schedules in Lua. Opened by optim.cpp.
#pragma once
#include <lua5.4/lua.hpp>

#include "core/optim/schedule.h"

namespace luth::lang {

/// The optimizer at `index`. Throws "expects an optimizer, got …".
optim::OptimizerRef check_optimizer(lua_State* L, int index, const char* what = "expects");
void push_optimizer(lua_State* L, const optim::OptimizerRef& o);
optim::ScheduleRef check_schedule(lua_State* L, int index, const char* what = "expects");

/// `{state = {[1] = {step = …, exp_avg = …}}, param_groups = {{lr = …, params = {1, …}}}}` and back.
int optimizer_state_dict(lua_State* L);
int optimizer_load_state_dict(lua_State* L);
/// Opens optim.lr_scheduler in the table at `optim`.
void open_schedules(lua_State* L, int optim);

}  // namespace luth::lang
