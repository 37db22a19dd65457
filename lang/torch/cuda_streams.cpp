// torch.cuda.Stream and Event, the current stream, and the scopes that change stream and device.
#include <memory>

#include "core/base/text.h"
#include "core/device/device_support.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/scope.h"
#include "lang/tensor/tensor_class.h"
#include "lang/torch/torch.h"
#include "lang/values/devices.h"
#include "lang/values/named_arguments.h"

namespace luth::lang {
namespace {

// ---- scopes ----

int on_device(lua_State* L) {
  Device& d = cuda_at(L, 1, "torch.cuda.device");
  Restore r{.current = &current_device("cuda")};
  set_current_device(d);
  return in_scope(L, r, 2, "torch.cuda.device(1)");
}

// ---- streams ----

struct StreamRef {
  Stream* stream = nullptr;  // of the device's own, which live as long as it does
  int priority = 0;
};
void push_stream(lua_State* L, Stream* s, int priority = 0) { push_box(L, StreamRef{s, priority}); }
Stream& stream_at(lua_State* L, int index, const char* function) {
  if (StreamRef* s = to_box<StreamRef>(L, index)) return *s->stream;
  throw Error("{} expects a torch.cuda.Stream, got {}", function, given_text(L, index));
}
Stream& self_stream(lua_State* L) { return *own<StreamRef>(L).stream; }

Stream& default_stream(Device& d) {
  Stream* before = d.current_stream();
  d.set_current_stream(nullptr);
  Stream* found = d.current_stream();
  d.set_current_stream(before);
  return *found;
}

// torch.cuda.Stream(device?, priority?), both by name too.
int make_stream(lua_State* L) {
  int n = lua_gettop(L), device_at = n >= 1 && !is_named(L, 1) ? 1 : 0;
  int64_t priority = n >= 2 && !is_named(L, 2) ? check_integer(L, 2) : 0;
  if (n >= 1 && is_named(L, n)) {
    NamedArguments o(L, n, "torch.cuda.Stream");
    if (int i = o.get("device")) device_at = i;
    priority = o.integer("priority", priority);
    o.done();
  }
  Device& d = device_at ? cuda_at(L, device_at, "torch.cuda.Stream") : current_device("cuda");
  push_stream(L, d.new_stream(int(priority)), int(priority));
  return 1;
}
int current_stream(lua_State* L) {
  return push_stream(L, cuda_at(L, 1, "torch.cuda.current_stream").current_stream()), 1;
}
int the_default_stream(lua_State* L) {
  return push_stream(L, &default_stream(cuda_at(L, 1, "torch.cuda.default_stream"))), 1;
}
void make_current(Stream& s) {
  set_current_device(s.device());
  s.device().set_current_stream(&s);
}
int set_stream(lua_State* L) { return make_current(stream_at(L, 1, "torch.cuda.set_stream")), 0; }
int in_stream(lua_State* L) {
  if (is_none(L, 1)) return in_scope(L, {}, 2, "torch.cuda.stream(s)");  // no stream: nothing changes, as in PyTorch
  Stream& s = stream_at(L, 1, "torch.cuda.stream");
  Device& d = s.device();
  Restore r{.current = &current_device("cuda"), .of = &d, .stream = d.current_stream()};
  make_current(s);
  return in_scope(L, r, 2, "torch.cuda.stream(s)");
}

// ---- events ----

struct LuaEvent {
  std::unique_ptr<Event> event;  // made where it is first recorded
  bool timing = false;
};
LuaEvent& event_at(lua_State* L, int index, const char* function) {
  if (LuaEvent* e = to_box<LuaEvent>(L, index)) return *e;
  throw Error("{} expects a torch.cuda.Event, got {}", function, given_text(L, index));
}
int make_event(lua_State* L) {
  bool timing = flag_at(L, 1, "torch.cuda.Event", "enable_timing", false);
  push_box(L, LuaEvent{nullptr, timing});
  return 1;
}
void record(LuaEvent& e, Stream& s) {
  if (!e.event) e.event = s.device().new_event(e.timing);
  e.event->record(s);
}
Stream& stream_or_current(lua_State* L, int index, const char* function) {
  return is_none(L, index) ? *current_device("cuda").current_stream() : stream_at(L, index, function);
}
int event_record(lua_State* L) {
  record(own<LuaEvent>(L), stream_or_current(L, 2, "record"));
  return lua_settop(L, 1), 0;
}
int event_wait(lua_State* L) {
  LuaEvent& e = own<LuaEvent>(L);
  if (e.event) stream_or_current(L, 2, "wait").wait(*e.event);
  return 0;
}
int event_synchronize(lua_State* L) {
  if (LuaEvent& e = own<LuaEvent>(L); e.event) e.event->synchronize();
  return 0;
}
int event_query(lua_State* L) {
  LuaEvent& e = own<LuaEvent>(L);
  return lua_pushboolean(L, !e.event || e.event->done()), 1;
}
int event_elapsed(lua_State* L) {
  LuaEvent &first = own<LuaEvent>(L), &last = event_at(L, 2, "elapsed_time");
  if (!first.timing || !last.timing)
    throw Error("elapsed_time needs events that were made with torch.cuda.Event{{enable_timing = true}}");
  if (!first.event || !last.event) throw Error("elapsed_time: both events must have been recorded");
  if (!first.event->done() || !last.event->done())
    throw Error("elapsed_time: the GPU has not reached both events yet; call last:synchronize() first");
  return lua_pushnumber(L, first.event->elapsed(*last.event)), 1;
}
int event_text(lua_State* L) {
  return lua_pushstring(L, own<LuaEvent>(L).event ? "torch.cuda.Event" : "torch.cuda.Event (not recorded)"), 1;
}

// ---- methods of streams ----

int stream_synchronize(lua_State* L) { return self_stream(L).synchronize(), 0; }
int stream_query(lua_State* L) { return lua_pushboolean(L, self_stream(L).done()), 1; }
int stream_wait_stream(lua_State* L) {
  Stream &s = self_stream(L), &other = stream_at(L, 2, "wait_stream");
  auto event = other.device().new_event(false);
  event->record(other);
  s.wait(*event);
  return 0;
}
int stream_wait_event(lua_State* L) {
  Stream& s = self_stream(L);
  if (LuaEvent& e = event_at(L, 2, "wait_event"); e.event) s.wait(*e.event);
  return 0;
}
int stream_record_event(lua_State* L) {
  Stream& s = self_stream(L);
  if (is_none(L, 2)) lua_settop(L, 1), push_box(L, LuaEvent{});
  record(event_at(L, 2, "record_event"), s);
  return lua_settop(L, 2), 1;
}
int stream_equal(lua_State* L) {
  auto *a = to_box<StreamRef>(L, 1), *b = to_box<StreamRef>(L, 2);
  return lua_pushboolean(L, a && b && a->stream == b->stream), 1;
}
int stream_text(lua_State* L) {
  Stream& s = self_stream(L);
  const bool is_default = &default_stream(s.device()) == &s;
  return lua_pushstring(
             L, fmt::format("torch.cuda.Stream({}{})", s.device().name(), is_default ? ", default" : "").c_str()),
         1;
}

int record_stream(lua_State* L) {
  const Tensor& t = self(L);
  Stream& s = stream_at(L, 2, "record_stream");
  if (&s.device() != &t.device())
    throw Error("record_stream: the tensor is on {}, the stream on {}", t.device().name(), s.device().name());
  if (t.storage()->data()) t.device().record_stream(t.storage()->data(), &s);
  return 0;
}

constexpr Row stream_rows[] = {
    {"synchronize", guarded<stream_synchronize>, "s:synchronize()", "Waits until all work of the stream is done."},
    {"query", guarded<stream_query>, "s:query()", "Whether all work of the stream is done."},
    {"wait_stream", guarded<stream_wait_stream>, "s:wait_stream(other)",
     "Work given to s from now on runs after all work given to `other` so far."},
    {"wait_event", guarded<stream_wait_event>, "s:wait_event(event)",
     "Work given to s from now on runs after the event."},
    {"record_event", guarded<stream_record_event>, "s:record_event(event?)",
     "Records an event and returns it; without an argument, a new one."},
};
constexpr Row event_rows[] = {
    {"record", guarded<event_record>, "e:record(stream?)",
     "Marks this point of a stream; without an argument, of the current one."},
    {"wait", guarded<event_wait>, "e:wait(stream?)",
     "Makes a stream wait for the event; without an argument, the current one."},
    {"synchronize", guarded<event_synchronize>, "e:synchronize()", "Waits until the GPU has reached the event."},
    {"query", guarded<event_query>, "e:query()", "Whether the GPU has reached the event."},
    {"elapsed_time", guarded<event_elapsed>, "e:elapsed_time(later)",
     "Milliseconds from e to `later`. Both must be made with enable_timing = true."},
};
constexpr Row cuda_rows[] = {
    {"Stream", guarded<make_stream>, "torch.cuda.Stream(device?, {priority = 0})",
     "A stream: a queue of work on a GPU. Lower priorities run first. It has device, priority, synchronize, query, "
     "wait_stream, wait_event, record_event."},
    {"Event", guarded<make_event>, "torch.cuda.Event{enable_timing = false}",
     "A point in a stream. It has record, wait, synchronize, query, elapsed_time."},
    {"current_stream", guarded<current_stream>, "torch.cuda.current_stream(device?)",
     "The stream that gets this thread's work."},
    {"default_stream", guarded<the_default_stream>, "torch.cuda.default_stream(device?)",
     "The stream that is current at the start."},
    {"set_stream", guarded<set_stream>, "torch.cuda.set_stream(s)",
     "Makes s the current stream, and its device the current one."},
    {"stream", guarded<in_stream>, "local _ <close> = torch.cuda.stream(s)  or  torch.cuda.stream(s, f, ...)",
     "s is the current stream while the scope is open, or while f runs."},
    {"device", guarded<on_device>, "local _ <close> = torch.cuda.device(1)  or  torch.cuda.device(1, f, ...)",
     "'cuda' means that GPU while the scope is open, or while f runs."},
};
constexpr Row tensor_rows[] = {
    {"record_stream", guarded<record_stream>, "x:record_stream(s)",
     "The memory of x is not reused until the stream s has finished the work given to it so far."},
};

// Upvalue: the methods.
int stream_index(lua_State* L) {
  const StreamRef& s = own<StreamRef>(L);
  const std::string_view key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (key == "device") return push_device(L, s.stream->device()), 1;
  if (key == "priority") return lua_pushinteger(L, s.priority), 1;
  if (push_method(L)) return 1;
  const std::vector<std::string> names{"device",      "priority",   "synchronize", "query",
                                       "wait_stream", "wait_event", "record_event"};
  throw Error("a stream has no field '{}'{}", key, did_you_mean(std::string(key), names));
}

}  // namespace

void open_cuda_streams(lua_State* L, int torch, int methods) {
  open_device_scopes(L);
  open_box<StreamRef>(L, "torch.cuda.Stream");
  finish_class(L, stream_rows, guarded<stream_index>,
               {{"__eq", guarded<stream_equal>}, {"__tostring", guarded<stream_text>}});
  open_box<LuaEvent>(L, "torch.cuda.Event");
  lua_newtable(L);
  add_functions(L, -1, event_rows);
  lua_setfield(L, -2, "__index");
  const luaL_Reg of_events[] = {
      {"__gc", destroy_box<LuaEvent>}, {"__tostring", guarded<event_text>}, {nullptr, nullptr}};
  luaL_setfuncs(L, of_events, 0);
  lua_pop(L, 1);
  lua_getfield(L, torch, "cuda");
  add_functions(L, -1, cuda_rows);
  lua_pop(L, 1);
  add_functions(L, methods, tensor_rows);
}

}  // namespace luth::lang
