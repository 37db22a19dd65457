#include "lang/notebook/message.h"

#include <fmt/chrono.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>

#include "core/base/error.h"

namespace luth::lang {
namespace {

constexpr const char* delimiter = "<IDS|MSG>";
constexpr size_t parts = 5;  // signature, header, parent, metadata, content
constexpr int most_levels = 100;

std::string random_name() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes)) throw Error("the system gives no random numbers");
  std::string name;
  for (unsigned char b : bytes) name += fmt::format("{:02x}", b);
  return name;
}

std::string now() {
  using namespace std::chrono;
  const auto since = system_clock::now().time_since_epoch();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(duration_cast<seconds>(since).count()),
                     duration_cast<microseconds>(since).count() % 1000000);
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json object_of(const std::string& text, const char* what) {
  // a copy of a tree takes a part of the stack for each level
  const auto bounded = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > most_levels) throw Error("a message whose {} is nested deeper than {} levels", what, most_levels);
    return true;
  };
  Json json = Json::parse(text, bounded, false);
  if (!json.is_object()) throw Error("a message whose {} is no JSON object", what);
  return json;
}

}  // namespace

Post::Post(std::string key) : key_(std::move(key)), session_(random_name()) {}

Message Post::made(const std::string& type, Json content, const Json& parent_header) const {
  Message m;
  m.header = {{"msg_id", random_name()}, {"session", session_}, {"username", "luth"},
              {"date", now()},           {"msg_type", type},    {"version", "5.3"}};
  if (!parent_header.is_null()) m.parent = parent_header;
  m.content = std::move(content);
  return m;
}

notebook::Frames Post::frames(const Message& m) const {
  notebook::Frames frames = m.route;
  frames.emplace_back(delimiter);
  const size_t signature = frames.size();
  frames.emplace_back();
  for (const Json* part : {&m.header, &m.parent, &m.metadata, &m.content}) frames.push_back(text_of(*part));
  if (!key_.empty()) frames[signature] = notebook::library().sign(key_, frames, signature + 1);
  return frames;
}

Message Post::read(const notebook::Frames& frames) const {
  const auto begin = std::find(frames.begin(), frames.end(), delimiter);
  if (size_t(frames.end() - begin) < parts + 1) throw Error("a message of {} frames that is none", frames.size());
  Message m;
  m.route.assign(frames.begin(), begin);
  notebook::Frames body(begin + 1, begin + 1 + parts);
  if (!key_.empty() && !notebook::library().equal(body[0], notebook::library().sign(key_, body, 1)))
    throw Error("a message whose signature is wrong");
  m.header = object_of(body[1], "header");
  m.parent = object_of(body[2], "parent header");
  m.metadata = object_of(body[3], "metadata");
  m.content = object_of(body[4], "content");
  return m;
}

}  // namespace luth::lang
