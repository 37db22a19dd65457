// Messages of a notebook: frames with a signature, and the JSON within.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/notebook/wires.h"

namespace luth::lang {

using Json = nlohmann::json;

/// A message of the protocol. `route` names the peer of a channel that answers, or the topic of iopub.
struct Message {
  notebook::Frames route;
  Json header, parent = Json::object(), metadata = Json::object(), content = Json::object();
  std::string type() const { return header.value("msg_type", ""); }
};

/// Signs, writes and reads the messages of one kernel. Any thread may.
class Post {
 public:
  explicit Post(std::string key);

  /// A message of this kernel, an answer to `parent`'s header where there is one.
  Message made(const std::string& type, Json content, const Json& parent_header) const;
  /// Text that is no UTF-8 is replaced.
  notebook::Frames frames(const Message& message) const;
  /// Throws Error for what is no message, and for one whose signature is wrong.
  Message read(const notebook::Frames& frames) const;

 private:
  std::string key_, session_;
};

}  // namespace luth::lang
