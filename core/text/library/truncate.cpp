#include "core/text/library/truncate.h"

#include <algorithm>

namespace luth::text {
namespace {

// "longest_first" is "LongestFirst" in the file.
std::string in_file(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (c == '_')
      upper = true;
    else
      out += std::exchange(upper, false) ? char(c - 32) : c;
  }
  return out;
}
std::string direction(const Node& n) {
  if (!n.has("direction")) return "right";
  return n.at("direction").one_of<const char*>({{"Left", "left"}, {"Right", "right"}});
}

constexpr int64_t longest_padding = 1 << 20;  // that a file asks for

// All lists of an encoding.
template <class F>
void each_list(Encoding& e, F&& f) {
  f(e.ids), f(e.offsets), f(e.words), f(e.type_ids), f(e.special), f(e.attention);
}

void cut(Encoding& e, size_t length, bool right) {
  const size_t n = e.size();
  if (length >= n) return;
  each_list(e, [&](auto& list) {
    right ? list.erase(list.begin() + int64_t(length), list.end())
          : list.erase(list.begin(), list.begin() + int64_t(n - length));
  });
}

// The lengths that two texts get of `most`: the longer one is cut first.
std::pair<size_t, size_t> shares(size_t a, size_t b, size_t most) {
  size_t small = std::min(a, b), large = std::max(a, b);
  large = small > most ? small : std::max(small, most - small);
  if (small + large > most) small = most / 2, large = small + most % 2;
  return a > b ? std::pair(large, small) : std::pair(small, large);
}

}  // namespace

Truncation read_truncation(const Node& n) {
  Truncation t;
  t.max_length = n.at("max_length").integer(0, INT64_MAX);
  t.direction = direction(n);
  if (n.has("strategy"))
    t.strategy =
        n.at("strategy")
            .one_of<const char*>(
                {{"LongestFirst", "longest_first"}, {"OnlyFirst", "only_first"}, {"OnlySecond", "only_second"}});
  return t;
}
Json json_of(const Truncation& t) {
  if (t.max_length == 0) return {};
  return {{"direction", in_file(t.direction)},
          {"max_length", t.max_length},
          {"strategy", in_file(t.strategy)},
          {"stride", 0}};
}

Padding read_padding(const Node& n) {
  Padding p;
  p.on = true;
  if (n.has("strategy") && n.at("strategy").json().is_object())
    p.length = n.at("strategy").at("Fixed").integer(0, longest_padding);
  if (n.has("pad_to_multiple_of")) p.multiple = n.at("pad_to_multiple_of").integer(0, longest_padding);
  if (n.has("pad_id")) p.id = uint32_t(n.at("pad_id").integer(0, UINT32_MAX - 1));
  if (n.has("pad_type_id")) p.type_id = uint8_t(n.at("pad_type_id").integer(0, 255));
  p.token = n.text("pad_token", "[PAD]");
  p.direction = direction(n);
  return p;
}
Json json_of(const Padding& p) {
  if (!p.on) return {};
  return {{"strategy", p.length ? Json{{"Fixed", p.length}} : Json("BatchLongest")},
          {"direction", in_file(p.direction)},
          {"pad_to_multiple_of", p.multiple ? Json(p.multiple) : Json()},
          {"pad_id", p.id},
          {"pad_type_id", p.type_id},
          {"pad_token", p.token}};
}

void truncate(std::vector<Encoding>& all, const Truncation& how, size_t around) {
  const size_t most = how.max_length > int64_t(around) ? size_t(how.max_length) - around : 0;
  const bool right = how.direction == "right";
  size_t total = 0;
  for (const Encoding& e : all) total += e.size();
  if (total <= most) return;
  if (how.strategy == "longest_first") {
    const auto [a, b] = all.size() > 1 ? shares(all[0].size(), all[1].size(), most) : std::pair(most, size_t(0));
    cut(all[0], a, right);
    if (all.size() > 1) cut(all[1], b, right);
    return;
  }
  const size_t which = how.strategy == "only_second";
  if (which >= all.size()) throw Error("truncation: there is no second text to cut");
  const size_t rest = total - all[which].size();
  if (rest >= most && total > most && all[which].size() <= total - most)
    throw Error("truncation: the text to cut has {} tokens, and {} are too many", all[which].size(), total - most);
  cut(all[which], most - rest, right);
}

Encoding joined(std::vector<Encoding> all) {
  if (all.empty()) return {};
  Encoding whole = std::move(all[0]);
  for (size_t i = 1; i < all.size(); ++i) {
    Encoding& e = all[i];
    const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    join(whole.ids, e.ids), join(whole.offsets, e.offsets), join(whole.words, e.words);
    join(whole.type_ids, e.type_ids), join(whole.special, e.special), join(whole.attention, e.attention);
  }
  return whole;
}

}  // namespace luth::text
