#include "core/io/pickle.h"

#include <bit>

#include "core/base/error.h"

namespace luth::io::pickle {

using Kind = Node::Kind;

// ---- Bytes --------------------------------------------------------------------------------------------------------

std::string_view Machine::take(uint64_t n) {
  if (n > bytes_.size() - at_) throw Error("its pickle is cut short");
  at_ += n;
  return bytes_.substr(at_ - n, n);
}
uint64_t Machine::number(int bytes) {
  uint64_t v = 0;
  const std::string_view s = take(uint64_t(bytes));
  for (int i = bytes; i-- > 0;) v = v << 8 | static_cast<unsigned char>(s[size_t(i)]);
  return v;
}
std::string_view Machine::line() {
  const size_t end = bytes_.find('\n', at_);
  if (end == bytes_.npos) throw Error("its pickle is cut short");
  const std::string_view s = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return s;
}

// ---- Stack and memo -----------------------------------------------------------------------------------------------

Node& Machine::make(Kind kind) {
  if (nodes_.size() == most_values_) throw Error("its pickle makes more values than max_bytes allows");
  nodes_.emplace_back();
  nodes_.back().kind = kind;
  return nodes_.back();
}
Node& Machine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    throw Error("its pickle is damaged: nothing is left to take");
  return *stack_.back();
}
Node& Machine::pop() {
  Node& n = top();
  stack_.pop_back();
  return n;
}
std::vector<Node*> Machine::to_mark() {
  if (marks_.empty()) throw Error("its pickle is damaged: a mark is missing");
  const auto from = stack_.begin() + int64_t(marks_.back());
  std::vector<Node*> items(from, stack_.end());
  stack_.erase(from, stack_.end());
  marks_.pop_back();
  return items;
}
void Machine::remember(uint64_t at) {
  if (at > bytes_.size()) throw Error("its pickle is damaged: place {} of the memo", at);
  if (at >= memo_.size()) memo_.resize(at + 1);
  memo_[at] = &top();
}
void Machine::recall(uint64_t at) {
  if (at >= memo_.size() || !memo_[at]) throw Error("its pickle is damaged: place {} of the memo is empty", at);
  push(*memo_[at]);
}

// ---- Values -------------------------------------------------------------------------------------------------------

void Machine::push_text(std::string_view s) {
  Node& n = make(Kind::text);
  n.text = s;
  push(n);
}
void Machine::push_integer(int64_t v) {
  Node& n = make(Kind::integer);
  n.integer = v;
  push(n);
}
// Two's complement, the lowest byte first.
void Machine::push_long(uint64_t bytes) {
  if (bytes > 8) throw Error("it holds an integer of {} bytes; luth's have 8", bytes);
  const uint64_t v = number(int(bytes));
  const int shift = 64 - 8 * int(bytes);
  push_integer(bytes ? int64_t(v << shift) >> shift : 0);
}
void Machine::push_tuple(std::vector<Node*> items) {
  Node& n = make(Kind::tuple);
  n.items = std::move(items);
  push(n);
}
void Machine::push_name(std::string name) {
  builder_.check_name(name);
  Node& n = make(Kind::name);
  n.text = std::move(name);
  push(n);
}
void Machine::append(std::vector<Node*> items) {
  Node& list = top();
  if (list.kind != Kind::list) throw Error("its pickle is damaged: items for what is no list");
  list.items.insert(list.items.end(), items.begin(), items.end());
}
void Machine::set_items(std::vector<Node*> items) {
  Node& dict = top();
  if (dict.kind != Kind::dict || items.size() % 2) throw Error("its pickle is damaged: entries for what is no dict");
  for (size_t i = 0; i < items.size(); i += 2) dict.entries.emplace_back(items[i], items[i + 1]);
}

// ---- Objects ------------------------------------------------------------------------------------------------------

void Machine::call() {
  Node &arguments = pop(), &f = pop();
  if (f.kind != Kind::name) throw Error("its pickle is damaged: it calls what is no name");
  if (arguments.kind != Kind::tuple) throw Error("its pickle is damaged: {} is called without a tuple", f.text);
  Node& result = make(Kind::made);
  builder_.call(f.text, arguments, result);
  push(result);
}
// The attributes of an OrderedDict, such as a state dict's _metadata, are left out.
void Machine::set_state() {
  const Node& state = pop();
  if (top().kind != Kind::dict || state.kind != Kind::dict)
    throw Error("it sets the attributes of an object that is no dict; luth reads tensors and plain values");
}

bool Machine::plain(unsigned char op) {
  switch (op) {
    case 'N': return push(make(Kind::none)), true;
    case 0x88:
    case 0x89: return make(Kind::boolean).flag = op == 0x88, push(nodes_.back()), true;
    case 'J': return push_integer(int32_t(number(4))), true;
    case 'K': return push_integer(int64_t(number(1))), true;
    case 'M': return push_integer(int64_t(number(2))), true;
    case 0x8a: return push_long(number(1)), true;
    case 0x8b: return push_long(number(4)), true;
    case 'G': {
      uint64_t v = 0;
      for (const char c : take(8)) v = v << 8 | static_cast<unsigned char>(c);
      make(Kind::number).number = std::bit_cast<double>(v);
      return push(nodes_.back()), true;
    }
    case 0x8c:
    case 'U':
    case 'C': return push_text(take(number(1))), true;
    case 'X':
    case 'T':
    case 'B': return push_text(take(number(4))), true;
    case 0x8d:
    case 0x8e: return push_text(take(number(8))), true;
    default: return false;
  }
}

bool Machine::containers(unsigned char op) {
  switch (op) {
    case '(': return marks_.push_back(stack_.size()), true;
    case ')': return push_tuple({}), true;
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<Node*> items(size_t(op - 0x84));
      for (size_t i = items.size(); i-- > 0;) items[i] = &pop();
      return push_tuple(std::move(items)), true;
    }
    case 't': return push_tuple(to_mark()), true;
    case ']': return push(make(Kind::list)), true;
    case '}': return push(make(Kind::dict)), true;
    case 'l': {
      Node& n = make(Kind::list);
      n.items = to_mark();
      return push(n), true;
    }
    case 'a': {
      Node& item = pop();
      return append({&item}), true;
    }
    case 'e': return append(to_mark()), true;
    case 's': {
      Node &value = pop(), &key = pop();
      return set_items({&key, &value}), true;
    }
    case 'u': return set_items(to_mark()), true;
    default: return false;
  }
}

bool Machine::objects(unsigned char op) {
  switch (op) {
    case 0x80: return take(1), true;  // the protocol; opcodes tell themselves
    case 0x95: return take(8), true;  // a frame
    case 'q': return remember(number(1)), true;
    case 'r': return remember(number(4)), true;
    case 0x94: return remember(memo_.size()), true;
    case 'h': return recall(number(1)), true;
    case 'j': return recall(number(4)), true;
    case 'c': {
      std::string name(line());
      name += ".";
      name += line();
      return push_name(std::move(name)), true;
    }
    case 0x93: {
      const Node &name = pop(), &module = pop();
      if (name.kind != Kind::text || module.kind != Kind::text) throw Error("its pickle is damaged: a name is no text");
      return push_name(module.text + "." + name.text), true;
    }
    case 'R': return call(), true;
    case 'b': return set_state(), true;
    case 'Q': {
      const Node& id = pop();
      Node& result = make(Kind::made);
      builder_.load(id, result);
      return push(result), true;
    }
    default: return false;
  }
}

const Node& Machine::run() {
  for (;;) {
    const auto op = static_cast<unsigned char>(take(1)[0]);
    if (op == '.') break;
    if (!plain(op) && !containers(op) && !objects(op))
      throw Error("its pickle has the opcode {:#04x} at byte {}, which luth does not read", unsigned(op), at_ - 1);
  }
  const Node& result = pop();
  if (!stack_.empty() || !marks_.empty()) throw Error("its pickle is damaged: values are left over");
  return result;
}

}  // namespace luth::io::pickle
