// Unigram: of all ways to cut a piece into tokens, the one whose scores add up to most.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/base/visible.h"
#include "core/text/library/models.h"

namespace luth::text {
namespace {

// Finds all tokens in a text in one pass (Aho and Corasick). A node stands for the beginning of some tokens: the
// longest that the text read so far ends with. Of the others, `shorter` is the next one, and `token` the next that is a
// token.
class Automaton {
 public:
  void add(std::string_view text, uint32_t id) {
    uint32_t at = 0;
    for (unsigned char b : text) {
      const auto [it, is_new] = children_.try_emplace(key(at, b), uint32_t(nodes_.size()));
      if (is_new) {
        made_.push_back({at, b});
        nodes_.push_back({.length = nodes_[at].length + 1});
      }
      at = it->second;
    }
    nodes_[at].id = id;
  }
  /// After the last token. Shorter beginnings come before those that are made of them.
  void finish() {
    std::vector<uint32_t> order(nodes_.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return nodes_[x].length < nodes_[y].length; });
    for (uint32_t at : order) {
      const auto [parent, b] = made_[at - 1];
      Node& node = nodes_[at];
      node.shorter = parent == 0 ? 0 : next(nodes_[parent].shorter, b);
      node.token = nodes_[node.shorter].id != none ? node.shorter : nodes_[node.shorter].token;
    }
    made_ = {};
  }
  /// The node behind a byte.
  uint32_t next(uint32_t at, unsigned char b) const {
    for (;; at = nodes_[at].shorter) {
      const auto it = children_.find(key(at, b));
      if (it != children_.end()) return it->second;
      if (at == 0) return 0;
    }
  }
  /// f(length, id) for each token that the text read so far ends with, the longest first.
  template <class F>
  void each(uint32_t at, F&& f) const {
    if (nodes_[at].id == none) at = nodes_[at].token;
    for (; at != 0; at = nodes_[at].token) f(nodes_[at].length, nodes_[at].id);
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Node {
    uint32_t length = 0, id = none, shorter = 0, token = 0;
  };
  static uint64_t key(uint32_t at, unsigned char b) { return uint64_t(at) << 8 | b; }
  std::vector<Node> nodes_{1};
  std::vector<std::pair<uint32_t, unsigned char>> made_;  // of which node, by which byte; until finish()
  std::unordered_map<uint64_t, uint32_t> children_;
};

// The score as PyPI's package reads it: the digits as a whole number, rounded, times a power of ten, rounded again. The
// last bit tells apart ways to cut that would be as good as each other, such as "ff f" and "f ff".
double as_package_reads(double score) {
  char text[32];
  const auto end = std::to_chars(text, std::end(text), std::fabs(score), std::chars_format::scientific).ptr;
  uint64_t digits = 0;
  int exponent = 0;
  const char* p = text;
  for (bool point = false; *p != 'e'; ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    digits = 10 * digits + uint64_t(*p - '0');
    exponent -= point;
  }
  int shown = 0;
  std::from_chars(p + (p[1] == '+' ? 2 : 1), end, shown);
  exponent += shown;
  const double power = std::pow(10.0, std::abs(exponent));  // exact up to 10^22
  if (!std::isfinite(power)) return score;
  return std::copysign(exponent < 0 ? double(digits) / power : double(digits) * power, score);
}

class Unigram final : public Model {
 public:
  explicit Unigram(const Node& n) {
    uint32_t id = 0;
    for (const Node& entry : n.at("vocab").items()) {
      const auto both = entry.items();
      if (both.size() != 2) entry.fail("a token is a text and a score");
      const double score = both[1].number();
      if (!std::isfinite(score)) both[1].fail("a score is finite");
      words_.add(entry, both[0].text(), id, true);
      if (!both[0].text().empty()) tokens_.add(both[0].text(), id);
      written_.push_back(score);
      scores_.push_back(as_package_reads(score));
      least_ = std::min(least_, scores_.back());
      ++id;
    }
    if (id == 0) n.at("vocab").fail("there is no token");
    tokens_.finish();
    if (n.has("unk_id")) unknown_ = uint32_t(n.at("unk_id").integer(0, int64_t(id) - 1));
    if (n.flag("byte_fallback", false)) bytes_ = byte_tokens(words_);
  }

  void run(std::string_view piece, std::vector<Token>& out) const override {
    const auto ends = path(piece);
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto begin = uint32_t(ends[i]), end = uint32_t(ends[i + 1]);
      if (const auto id = words_.find(piece.substr(begin, end - begin)))
        out.push_back({*id, begin, end});
      else if (!bytes_.empty())
        for (unsigned char b : piece.substr(begin, end - begin)) out.push_back({bytes_[b], begin, end});
      else
        out.push_back({*unknown_, begin, end});
    }
  }
  const Vocabulary& vocabulary() const override { return words_; }
  void write(Json& json) const override {
    json["vocab"] = Json::array();
    for (uint32_t i = 0; i < written_.size(); ++i) json["vocab"].push_back({*words_.text_of(i), written_[i]});
  }

 private:
  static constexpr double penalty = 10;  // of an unknown character, below the least score

  struct Best {
    double score = 0;
    size_t from = SIZE_MAX;
    bool unknown = false;
  };
  // Where the tokens of the best way begin, and the end; unknown ones that follow each other are one.
  std::vector<size_t> path(std::string_view s) const {
    std::vector<Best> best(s.size() + 1);
    const auto offer = [&](size_t begin, size_t end, double score, bool unknown) {
      const double sum = score + best[begin].score;
      if (best[end].from == SIZE_MAX || sum > best[end].score) best[end] = {sum, begin, unknown};
    };
    uint32_t at = 0;
    for (size_t begin = 0, end = 0; begin < s.size(); begin = end) {
      next_char(s, end);
      for (size_t i = begin; i < end; ++i) at = tokens_.next(at, static_cast<unsigned char>(s[i]));
      bool single = false;
      tokens_.each(at, [&](size_t length, uint32_t id) {
        const size_t from = end - length;
        if (from > 0 && best[from].from == SIZE_MAX) return;  // within a character
        offer(from, end, scores_[id], unknown_ && id == *unknown_);
        single |= from == begin;
      });
      if (single) continue;
      if (!unknown_)
        throw Error("'{}' is no token, and there is none for unknown ones (unk_id)",
                    foreign(s.substr(begin, end - begin)));
      offer(begin, end, least_ - penalty, true);
    }
    std::vector<size_t> ends;
    bool after_unknown = false;
    for (size_t end = s.size(); end > 0; end = best[end].from) {
      if (!(best[end].unknown && after_unknown)) ends.push_back(end);
      after_unknown = best[end].unknown;
    }
    if (!s.empty()) ends.push_back(0);
    return {ends.rbegin(), ends.rend()};
  }

  Vocabulary words_;
  Automaton tokens_;
  std::vector<double> scores_, written_;  // written_: as the file has them
  double least_ = INFINITY;
  std::optional<uint32_t> unknown_;
  std::vector<uint32_t> bytes_;
};

}  // namespace

std::unique_ptr<Model> make_unigram(const Node& node) { return std::make_unique<Unigram>(node); }

}  // namespace luth::text
