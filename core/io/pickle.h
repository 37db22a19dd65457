// Python's pickle format, of protocols 2 to 5, read without executing anything: values, containers, and references to
// names that the caller builds from. Knows no PyTorch.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace luth::io::pickle {

/// A value on its way. Nodes belong to the Machine and live as long as it.
struct Node {
  enum class Kind : uint8_t { none, boolean, integer, number, text, list, tuple, dict, name, made };
  Kind kind = Kind::none;
  bool flag = false;
  int64_t integer = 0;  // of `made`: whatever the caller has put there
  double number = 0;
  std::string text;                              // also "torch._utils._rebuild_tensor_v2" of a name
  std::vector<Node*> items;                      // of a list or tuple
  std::vector<std::pair<Node*, Node*>> entries;  // of a dict, in order
};

class Machine {
 public:
  /// What the format leaves to its user. Each fills in `result`, or throws.
  struct Builder {
    virtual ~Builder() = default;
    /// Throws for a name that is not allowed.
    virtual void check_name(const std::string& name) = 0;
    /// name(*arguments)
    virtual void call(const std::string& name, const Node& arguments, Node& result) = 0;
    /// The value that lies outside of the pickle under this id.
    virtual void load(const Node& id, Node& result) = 0;
  };
  /// Makes no more than `most_values` nodes; each byte makes one at most.
  Machine(std::string_view bytes, Builder& builder, uint64_t most_values)
      : bytes_(bytes), builder_(builder), most_values_(most_values) {}
  /// The value that the pickle describes. Throws Error without a path; containers may hold each other in a circle.
  const Node& run();

 private:
  std::string_view take(uint64_t n);
  uint64_t number(int bytes);
  std::string_view line();
  Node& make(Node::Kind kind);
  void push(Node& n) { stack_.push_back(&n); }
  Node& pop();
  Node& top();
  std::vector<Node*> to_mark();
  void push_text(std::string_view s);
  void push_integer(int64_t v);
  void push_long(uint64_t bytes);
  void push_tuple(std::vector<Node*> items);
  void push_name(std::string name);
  void append(std::vector<Node*> items);
  void set_items(std::vector<Node*> items);
  void remember(uint64_t at);
  void recall(uint64_t at);
  void call();
  void set_state();
  bool plain(unsigned char op);
  bool containers(unsigned char op);
  bool objects(unsigned char op);

  std::string_view bytes_;
  Builder& builder_;
  uint64_t most_values_;
  size_t at_ = 0;
  std::deque<Node> nodes_;
  std::vector<Node*> stack_;
  std::vector<size_t> marks_;
  std::vector<Node*> memo_;
};

}  // namespace luth::io::pickle
