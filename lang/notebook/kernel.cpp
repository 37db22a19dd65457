#include "lang/notebook/kernel.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "core/io/disk.h"
#include "lang/help/help.h"
#include "lang/notebook/expressions.h"
#include "lang/notebook/message.h"
#include "lang/notebook/requests.h"
#include "lang/notebook/texts.h"
#include "lang/prompt/commands.h"
#include "lang/prompt/complete_commands.h"
#include "lang/prompt/session.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/patience.h"

namespace luth::lang {
namespace {

using notebook::Channel;
using notebook::Frames;

class Kernel {
 public:
  Kernel(Interp& interp, const Json& connection);
  int serve();

 private:
  // on the thread of the wires
  void received(Channel channel, const Frames& frames);
  Frames written(int descriptor, const std::string& text);

  // on the thread of Lua
  void answer(Channel channel, const Message& request);
  void reply(Channel channel, const Message& request, Json content);
  void publish(const std::string& type, Json content);
  Json execute(const Message& request);
  void abort(Channel channel, const Message& request);
  Json complete(const Json& asked);
  Json inspect(const Json& asked);
  Json history(const Json& asked);
  Json is_complete(const Json& asked);
  std::string ask(const std::string& prompt, bool password);
  void run(const std::string& code);
  void open_library();
  static int publish_values(lua_State* L);
  static int ask_user(lua_State* L);

  Interp& interp_;
  lua_State* L_;
  Session session_;
  Post post_;
  Requests requests_;
  std::mutex mutex_;  // of current_
  Message current_;   // the request that is being answered
  Json error_;        // of the cell that runs, null where there is none
  std::vector<std::string> cells_;
  int count_ = 0;        // of the cell that runs or ran last
  int number_ = 0;       // of its chunks: [8]
  bool asking_ = false;  // whether the front end answers questions of this cell
  bool ended_ = false;
  bool hide_nil_ = false;                   // of an expression behind statements
  std::unique_ptr<notebook::Wires> wires_;  // the last: its thread calls the others
};

const std::map<std::string, std::string> results{
    {"execute_request", "execute_reply"},         {"complete_request", "complete_reply"},
    {"inspect_request", "inspect_reply"},         {"history_request", "history_reply"},
    {"is_complete_request", "is_complete_reply"}, {"kernel_info_request", "kernel_info_reply"},
    {"comm_info_request", "comm_info_reply"},     {"shutdown_request", "shutdown_reply"},
    {"interrupt_request", "interrupt_reply"}};

// A front end that has died ends its kernels; Jupyter says by this variable that they are its own.
void end_without_parent() {
  static const bool owned = getenv("JPY_PARENT_PID") != nullptr;
  if (owned && getppid() == 1) kill(getpid(), SIGTERM);
}

// Puts the write end of a pipe in the place of a descriptor; returns the read end.
int captured(int descriptor) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[1], descriptor) < 0)
    throw Error("the output cannot be captured: {}", strerror(errno));
  close(ends[1]);
  return ends[0];
}

int port_of(const Json& connection, const char* name) {
  const int port = connection.value(name, 0);
  if (port <= 0) throw Error(ErrorCode::usage, "the connection file has no {}", name);
  return port;
}

notebook::Places places_of(const Json& connection) {
  return {connection.value("transport", "tcp"), connection.value("ip", "127.0.0.1"),
          port_of(connection, "shell_port"),    port_of(connection, "iopub_port"),
          port_of(connection, "stdin_port"),    port_of(connection, "control_port"),
          port_of(connection, "hb_port")};
}

Kernel::Kernel(Interp& interp, const Json& connection)
    : interp_(interp), L_(interp.state()), session_(interp), post_(connection.value("key", "")) {
  if (connection.value("signature_scheme", "hmac-sha256") != "hmac-sha256")
    throw Error(ErrorCode::usage, "the connection file asks for signatures other than hmac-sha256");
  const auto& library = notebook::library();
  fflush(stdout);
  const int before[2] = {fcntl(1, F_DUPFD_CLOEXEC, 3), fcntl(2, F_DUPFD_CLOEXEC, 3)};
  const int outputs[2] = {captured(1), captured(2)};
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    wires_ = library.open(
        places_of(connection), outputs,
        {[this](Channel c, Frames frames) { received(c, frames); },
         [this](int descriptor, std::string text) { return written(descriptor, text); }, end_without_parent});
  } catch (...) {
    for (int i = 0; i < 2; ++i) dup2(before[i], i + 1);
    throw;
  }
  for (int descriptor : before) close(descriptor);
  open_library();
}

// ---- the thread of the wires ----

void Kernel::received(Channel channel, const Frames& frames) {
  try {
    Message message = post_.read(frames);
    if (message.type() == "interrupt_request") kill(getpid(), SIGINT);
    requests_.put(channel, std::move(message));
  } catch (const std::exception&) {
  }  // a stranger's: this thread also reads what the process writes, so it writes nothing
}

Frames Kernel::written(int descriptor, const std::string& text) {
  const std::lock_guard lock(mutex_);
  Message m = post_.made("stream", {{"name", descriptor == 1 ? "stdout" : "stderr"}, {"text", text}}, current_.header);
  m.route = {"stream"};
  return post_.frames(m);
}

// ---- the thread of Lua ----

void Kernel::publish(const std::string& type, Json content) {
  fflush(stdout);
  Message m = post_.made(type, std::move(content), current_.header);
  m.route = {type};
  wires_->send(Channel::iopub, post_.frames(m));
}

void Kernel::reply(Channel channel, const Message& request, Json content) {
  fflush(stdout);
  Message m = post_.made(results.at(request.type()), std::move(content), request.header);
  m.route = request.route;
  wires_->send(channel, post_.frames(m));
}

int Kernel::serve() {
  publish("status", {{"execution_state", "starting"}});
  Interruptible::begin();
  while (!ended_) {
    const auto next = requests_.take();
    if (!next || interrupted() == SIGTERM) return int(ErrorCode::terminated);
    answer(next->first, next->second);
  }
  return 0;
}

// Anything but false says that cells behind a failed one shall not run.
bool stops_on_error(const Message& request) { return request.content.value("stop_on_error", Json()) != Json(false); }

void Kernel::answer(Channel channel, const Message& request) {
  const std::string type = request.type();
  if (!results.contains(type)) return;  // comms, and what later versions of the protocol have
  {
    const std::lock_guard lock(mutex_);
    current_ = request;
  }
  publish("status", {{"execution_state", "busy"}});
  Json content = {{"status", "ok"}};
  try {
    if (type == "execute_request")
      content = execute(request);
    else if (type == "kernel_info_request")
      content = kernel_info();
    else if (type == "complete_request")
      content = complete(request.content);
    else if (type == "inspect_request")
      content = inspect(request.content);
    else if (type == "history_request")
      content = history(request.content);
    else if (type == "is_complete_request")
      content = is_complete(request.content);
    else if (type == "comm_info_request")
      content["comms"] = Json::object();
    else if (type == "shutdown_request") {
      content["restart"] = request.content.value("restart", false);
      ended_ = true;
    }
  } catch (const Json::exception&) {
    content = {{"status", "error"},
               {"ename", "MessageError"},
               {"evalue", "a field of the request is missing, or of another kind"},
               {"traceback", Json::array()}};
  }
  const bool stops = type == "execute_request" && content["status"] == "error" && stops_on_error(request);
  const auto behind = stops ? requests_.take_executions() : Requests::Queue();
  reply(channel, request, content);
  publish("status", {{"execution_state", "idle"}});
  for (auto& [from, cell] : behind) abort(from, cell);
}

// Cells behind one that failed do not run.
void Kernel::abort(Channel channel, const Message& request) {
  {
    const std::lock_guard lock(mutex_);
    current_ = request;
  }
  publish("status", {{"execution_state", "busy"}});
  reply(channel, request, {{"status", "aborted"}});
  publish("status", {{"execution_state", "idle"}});
}

Json Kernel::execute(const Message& request) {
  const std::string code = request.content.at("code");
  const bool silent = request.content.value("silent", false);
  const bool stored = !silent && request.content.value("store_history", true);
  if (stored) {
    ++count_;
    cells_.push_back(code);
  }
  number_ = stored ? count_ : count_ + 1;
  session_.number_next(number_);
  asking_ = request.content.value("allow_stdin", false);
  error_ = nullptr;
  Json expressions = Json::object();
  {
    const Interruptible scope;
    if (!silent) publish("execute_input", {{"code", code}, {"execution_count", count_}});
    run(code);
    if (error_.is_null())
      expressions = evaluated(session_, interp_, request.content.value("user_expressions", expressions));
  }
  Json payload = Json::array();
  if (leaves(session_, code)) payload.push_back({{"source", "ask_exit"}, {"keepkernel", false}});
  Json content = {
      {"status", "ok"}, {"execution_count", count_}, {"payload", payload}, {"user_expressions", expressions}};
  if (!error_.is_null()) {
    if (!silent) publish("error", error_);
    content.update(error_);
    content["status"] = "error";
  }
  return content;
}

void Kernel::run(const std::string& code) {
  if (leaves(session_, code)) return;  // what the front end does with the reply
  if (const std::string mistake = colon_mistake(code); !mistake.empty()) return void(error_ = error_of(mistake));
  if (const Command command = command_of(code); command == Command::help)
    return session_.help(trimmed(trimmed(code).substr(1)));
  else if (command == Command::lua)
    return run_command(session_, trimmed(code));
  const size_t last = session_.last_expression(code);
  if (last && session_.run(code.substr(0, last), code) != Session::Outcome::done) return;
  hide_nil_ = last > 0;
  session_.number_next(number_);
  session_.run(std::string(size_t(std::count(code.begin(), code.begin() + long(last), '\n')), '\n') + code.substr(last),
               code);
  hide_nil_ = false;
}

Json Kernel::complete(const Json& asked) {
  const std::string code = asked.at("code");
  const size_t cursor = byte_at(code, asked.at("cursor_pos"));
  const size_t line = code.rfind('\n', cursor ? cursor - 1 : 0);
  const size_t from = cursor && line != code.npos ? line + 1 : 0;
  std::string_view before = std::string_view(code).substr(from, cursor - from);
  Completion found;
  if (from > 0 || !complete_command(before, found)) found = session_.complete(before);
  return {{"status", "ok"},
          {"matches", found.names},
          {"cursor_start", letters_in(code, cursor - found.typed)},
          {"cursor_end", letters_in(code, cursor)},
          {"metadata", Json::object()}};
}

Json Kernel::inspect(const Json& asked) {
  const std::string code = asked.at("code");
  const std::string name = name_at(code, byte_at(code, asked.at("cursor_pos")));
  const std::string text = name.empty() ? "" : session_.help_text(name);
  Json data = Json::object();
  if (!text.empty()) data["text/plain"] = text;
  return {{"status", "ok"}, {"found", !text.empty()}, {"data", data}, {"metadata", Json::object()}};
}

Json Kernel::history(const Json& asked) {
  const std::string kind = asked.value("hist_access_type", "tail");
  const size_t size = cells_.size(), most = size_t(std::max(0, asked.value("n", int(size))));
  size_t from = kind == "range" ? size_t(std::max(1, asked.value("start", 1))) - 1 : size - std::min(size, most);
  const size_t to =
      kind == "range" ? std::min(size, size_t(std::max(1, asked.value("stop", int(size) + 1))) - 1) : size;
  if (kind == "search") from = 0;
  Json list = Json::array();
  for (size_t i = from; i < to; ++i)
    if (kind != "search" || matches(cells_[i], asked.value("pattern", "*"))) list.push_back({0, i + 1, cells_[i]});
  if (kind == "search" && list.size() > most) list.erase(list.begin(), list.end() - long(most));
  return {{"status", "ok"}, {"history", list}};
}

Json Kernel::is_complete(const Json& asked) {
  return {{"status", session_.is_incomplete(asked.at("code")) ? "incomplete" : "complete"}, {"indent", "  "}};
}

// ---- functions for cells ----

std::string Kernel::ask(const std::string& prompt, bool password) {
  if (!asking_) throw Error("input: this front end answers no questions");
  requests_.forget_answers();
  fflush(stdout);
  Message m = post_.made("input_request", {{"prompt", prompt}, {"password", password}}, current_.header);
  m.route = current_.route;
  wires_->send(Channel::input, post_.frames(m));
  return requests_.take_answer().content.value("value", "");
}

// ask(prompt, password): a line of the user.
int Kernel::ask_user(lua_State* L) {
  auto& self = *static_cast<Kernel*>(lua_touserdata(L, lua_upvalueindex(1)));
  const std::string line = self.ask(luaL_optstring(L, 1, ""), lua_toboolean(L, 2));
  return lua_pushlstring(L, line.data(), line.size()), 1;
}

// shown(value): the text that the prompt prints for it.
int shown(lua_State* L) {
  push_shown(L, 1);
  return luaL_tolstring(L, -1, nullptr), 1;
}

// publish(kind, {mime type = data, …}, value): 'execute_result' or 'display_data'.
int Kernel::publish_values(lua_State* L) {
  auto& self = *static_cast<Kernel*>(lua_touserdata(L, lua_upvalueindex(1)));
  const std::string kind = luaL_checkstring(L, 1);
  if (self.hide_nil_ && kind == "execute_result" && lua_isnil(L, 3)) return 0;
  Json content = {{"data", data_of(L, 2)}, {"metadata", Json::object()}};
  if (kind == "execute_result") content["execution_count"] = self.count_;
  self.publish(kind, content);
  return 0;
}

// The part that is written in Lua: what a value looks like, display(), input().
void Kernel::open_library() {
  lua_getglobal(L_, "require");
  lua_pushstring(L_, "luth.notebook");
  if (int status = interp_.call(1, 1)) throw Error("{}", lua_tostring(L_, -1)), void(status);
  lua_getfield(L_, -1, "start");
  lua_pushlightuserdata(L_, this);
  lua_pushcclosure(L_, guarded<publish_values>, 1);
  lua_pushlightuserdata(L_, this);
  lua_pushcclosure(L_, guarded<ask_user>, 1);
  lua_pushcfunction(L_, guarded<shown>);
  if (interp_.call(3, 1)) throw Error("{}", lua_tostring(L_, -1));
  session_.print_with(luaL_ref(L_, LUA_REGISTRYINDEX), [this](const std::string& text) {
    error_ = error_of(text);
    if (interrupted()) error_["ename"] = "Interrupted";
  });
  session_.note_builtins();
  lua_settop(L_, 0);
}

}  // namespace

int serve_notebook(Interp& interp, const std::string& path) {
  keep_session();
  const Json connection = Json::parse(io::read_whole(path, 1 << 20, ErrorCode::usage), nullptr, false);
  if (!connection.is_object())
    throw Error(ErrorCode::usage, "'{}' is no connection file: a front end writes it, as `jupyter console` does", path);
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(interp, connection);
  } catch (const Json::exception& e) {
    throw Error(ErrorCode::usage, "'{}' is no connection file: {}", path, e.what());
  }
  return kernel->serve();
}

}  // namespace luth::lang
