// The interpreter from C++: the bridge of errors, exit codes, openers, coroutines.
#include "lang/runtime/interp.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <new>
#include <thread>

namespace luth::lang {
namespace {

int alive = 0;
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

int throws_usage(lua_State*) {
  Counted c;
  throw Error(ErrorCode::usage, "bad '{}'", "option");
}
int throws_std(lua_State*) {
  Counted c;
  throw std::out_of_range("some index");
}
int throws_memory(lua_State*) {
  Counted c;
  throw std::bad_alloc();
}
int raises(lua_State* L) {
  Counted c;
  return luaL_error(L, "plain");
}
// Calls its argument from C++ with an object on the C++ stack.
int calls(lua_State* L) {
  Counted c;
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

void open_probe(lua_State* L) {
  lua_newtable(L);
  const luaL_Reg functions[] = {{"usage", guarded<throws_usage>},   {"std", guarded<throws_std>},
                                {"memory", guarded<throws_memory>}, {"plain", guarded<raises>},
                                {"call", guarded<calls>},           {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  lua_setglobal(L, "probe");
}
void open_second(lua_State* L) {
  lua_getglobal(L, "probe");
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "second");  // runs after open_probe, and may leave things on the stack
}
const Open second("a_name_that_sorts_first", Open::tables + 1, open_second);
const Open probe("probe", Open::tables, open_probe);

struct Ran {
  int code;
  std::string error;
};

// Runs code as a script would run: exit code and what went to stderr.
Ran ran(const std::string& code) {
  Interp interp;
  ::testing::internal::CaptureStderr();
  const int exit = interp.run_string(code, "=code");
  return {exit, ::testing::internal::GetCapturedStderr()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Bridge, ErrorsBecomeLuaErrorsAfterDestructorsRan) {
  Interp interp;
  for (const char* f : {"usage", "std", "memory", "plain"}) {
    EXPECT_EQ(interp.run_string(std::string("ok, text = pcall(probe.") + f + ") assert(not ok)", "=code"), 0) << f;
    EXPECT_EQ(alive, 0) << f;
  }
  EXPECT_EQ(interp.run_string("assert(text == 'plain', text)", "=code"), 0);
}

TEST(Bridge, TextHasTheCallersPlace) {
  Ran r = ran("\nlocal ok, text = pcall(function() probe.usage() end)\nassert(text == \"code:2: bad 'option'\", text)");
  EXPECT_EQ(r.code, 0) << r.error;
  r = ran("\n\nlocal ok, text = pcall(probe.std)\nassert(text == 'code:3: some index', text)");
  EXPECT_EQ(r.code, 0) << r.error;
}

TEST(Bridge, ErrorsPassThroughFramesOfBothKinds) {
  Ran r =
      ran("local function deep(n) if n == 0 then probe.usage() end return probe.call(deep, n - 1) end\n"
          "assert(not pcall(deep, 20))\n"
          "assert(not pcall(probe.call, error, {}))\n"
          "assert(select('#', probe.call(function(...) return ... end, 1, 2)) == 2)");
  EXPECT_EQ(r.code, 0) << r.error;
  EXPECT_EQ(alive, 0);
}

TEST(Bridge, MemoryAfterManyErrorsIsAsBefore) {
  Ran r =
      ran("local function measure() collectgarbage() collectgarbage() return collectgarbage('count') end\n"
          "for i = 1, 1000 do pcall(probe.usage) end\n"
          "local before = measure()\n"
          "for i = 1, 10000 do pcall(probe.usage) pcall(probe.call, probe.std) end\n"
          "assert(measure() - before < 4, measure() - before)");
  EXPECT_EQ(r.code, 0) << r.error;
}

TEST(Bridge, NoPlaceWithoutLuaCode) {
  Interp interp;
  lua_State* L = interp.state();
  lua_pushcfunction(L, guarded<throws_std>);
  ASSERT_EQ(lua_pcall(L, 0, 0, 0), LUA_ERRRUN);
  EXPECT_STREQ(lua_tostring(L, -1), "some index");
}

TEST(ExitCodes, FollowTheError) {
  Ran r = ran("probe.usage()");
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.error, "luth: code:1: bad 'option'\n");
  EXPECT_EQ(ran("local ok, e = pcall(probe.usage) error('while starting: ' .. e, 0)").code, 2)
      << "wrapped text keeps its code";
  EXPECT_EQ(ran("pcall(probe.usage) error('another')").code, 1) << "a caught error lends its code to no other";
  EXPECT_EQ(ran("probe.memory()").code, 4);
  r = ran("probe.std()");
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.error, "luth: code:1: some index\nstack traceback:\n")) << r.error;
  EXPECT_TRUE(has(r.error, "in function 'probe.std'")) << r.error;
}

TEST(ExitCodes, WithoutErrorZero) {
  Ran r = ran("return 1, 2");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.error, "");
}

TEST(Openers, RunInOrderAndCanBeRequired) {
  EXPECT_EQ(ran("assert(require 'probe' == probe and probe.second)").code, 0);
  EXPECT_EQ(ran("assert(package.loaded.a_name_that_sorts_first == nil)").code, 0);
}

TEST(Openers, EachInterpHasItsOwn) {
  Interp a, b;
  EXPECT_EQ(a.run_string("probe.mine = 1", "=a"), 0);
  EXPECT_EQ(b.run_string("assert(probe.mine == nil)", "=b"), 0);
  lua_State* co = lua_newthread(a.state());
  EXPECT_EQ(&Interp::of(co), &a);
  EXPECT_EQ(&Interp::of(b.state()), &b);
}

// Each thread trains with an interpreter of its own; hooks of all modules are those of its thread.
TEST(Interpreters, TrainInTwoThreads) {
  const char* script = R"(
    local Net = nn.class('Net')
    function Net:init() self.layers = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 1)) end
    function Net:forward(x) return self.layers(x) end
    local hooked = 0
    local hook = nn.modules.module.register_module_forward_hook(function() hooked = hooked + 1 end)
    for i = 1, 60 do
      local My = optim.class('My' .. i % 7)
      function My:init(params) optim.Optimizer.init(self, params, {['rate' .. i] = 0.1}) end
      function My:step() end
      local net = Net():clone()
      local o, mine = optim.Adam(net:parameters(), {lr = 0.1}), My(net:parameters())
      local schedule = optim.lr_scheduler.StepLR(o, 2)
      net(torch.ones(3, 4)):sum():backward()
      o:step() mine:step() schedule:step()
      torch.func.vmap(function(x) return net(x) end)(torch.ones(5, 4))
      assert(not pcall(function() return net.nosuch() end) and not pcall(function() net:parametrs() end))
      net:load_state_dict(net:state_dict())
      tostring(net)
    end
    assert(hooked == 60 * 12, hooked)
    hook:remove())";
  int codes[2] = {-1, -1};
  auto train = [&](int& code) { code = Interp().run_string(script, "=train"); };
  std::thread other(train, std::ref(codes[0]));
  train(codes[1]);
  other.join();
  EXPECT_EQ(codes[0], 0);
  EXPECT_EQ(codes[1], 0);
}

TEST(Calls, LeaveResultsOrOneMessage) {
  Interp interp;
  lua_State* L = interp.state();
  lua_pushinteger(L, 7);  // must survive
  luaL_loadstring(L, "return ..., 'x'");
  lua_pushinteger(L, 1);
  ASSERT_EQ(interp.call(1, LUA_MULTRET), LUA_OK);
  EXPECT_EQ(lua_gettop(L), 3);
  lua_settop(L, 1);
  luaL_loadstring(L, "error({})");
  ASSERT_EQ(interp.call(0, 3), LUA_ERRRUN);
  EXPECT_EQ(lua_gettop(L), 2);
  EXPECT_TRUE(has(lua_tostring(L, -1), "(error object is a table value)"));
  EXPECT_EQ(lua_tointeger(L, 1), 7);
}

// Ours replace Lua's, and must behave as they do.
TEST(Coroutines, BehaveAsLuas) {
  Ran r = ran(R"lua(
    local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d + e end)
    local function same(expected, ...) assert(table.concat({...} , ' ') == expected, table.concat({...}, ' ')) end
    local function text(...) local t = table.pack(...) for i = 1, t.n do t[i] = tostring(t[i]) end return table.unpack(t) end
    same('true 3', text(coroutine.resume(co, 1, 2)))
    same('true 20', text(coroutine.resume(co, 10)))
    same('true 7', text(coroutine.resume(co, 3, 4)))
    same('false cannot resume dead coroutine', text(coroutine.resume(co)))
    same('false code:9: inner', text(coroutine.resume(coroutine.create(function() error('inner') end))))
    local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
    same('1 2 3', gen(), gen(), gen())
    assert(select('#', gen()) == 0)
    local ok, e = pcall(gen)
    assert(not ok and e:find('cannot resume dead coroutine'), e)
    local closed = false
    local failing = coroutine.wrap(function() local c <close> = setmetatable({}, {__close = function() closed = true end}) error('x') end)
    ok, e = pcall(failing)
    assert(not ok and closed and e:find('x$'), e)
    ok, e = pcall(coroutine.wrap(function() error({code = 5}) end))
    assert(e.code == 5)
    ok, e = pcall(coroutine.resume, 5)
    assert(e == "bad argument #1 to 'resume' (coroutine expected)" or e:find('thread expected'), e)
    assert(not pcall(coroutine.wrap, 5))
    ok, e = pcall(function() local co co = coroutine.wrap(function() return co() end) return co() end)
    assert(not ok and e:find('cannot resume non%-suspended coroutine'), e)
    ok, e = coroutine.resume(coroutine.create(probe.usage))
    assert(not ok and e == "bad 'option'", e)
    assert(coroutine.wrap(function() return coroutine.isyieldable(), coroutine.running() end)())
  )lua");
  EXPECT_EQ(r.code, 0) << r.error;
}

TEST(Interrupts, FlagAndError) {
  clear_interrupt();
  EXPECT_EQ(interrupted(), 0);
  EXPECT_NO_THROW(check_interrupt());
}

// A signal that comes between two calls ends the next one with its own exit code.
TEST(Interrupts, BetweenTwoCalls) {
  Interp interp;
  interp.handle_signals();
  for (int signal : {SIGTERM, SIGINT}) {
    ::raise(signal);
    luaL_loadstring(interp.state(), "return 1");
    EXPECT_EQ(interp.report(interp.call(0, 0)), 128 + signal);
    alarm(0);
    clear_interrupt();
  }
}

}  // namespace
}  // namespace luth::lang
