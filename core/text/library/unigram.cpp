// Unigram: of all ways to cut a piece into tokens, the one whose scores add up to most.
#include <charconv>
#include <cmath>

#include "core/base/visible.h"
#include "core/text/library/models.h"

namespace luth::text {
namespace {

// Tokens by their bytes: children of a node are a list, sorted by the byte.
class Trie {
 public:
  void add(std::string_view text, uint32_t id) {
    uint32_t at = 0;
    for (unsigned char b : text) at = child(at, b, true);
    nodes_[at].id = int64_t(id);
  }
  /// f(end, id) for each token that the text has at `begin`, the shortest first.
  template <class F>
  void each(std::string_view text, size_t begin, F&& f) const {
    uint32_t at = 0;
    for (size_t i = begin; i < text.size(); ++i) {
      at = const_cast<Trie*>(this)->child(at, static_cast<unsigned char>(text[i]), false);
      if (at == 0) return;
      if (nodes_[at].id >= 0) f(i + 1, uint32_t(nodes_[at].id));
    }
  }

 private:
  struct Item {
    int64_t id = -1;
  };
  uint32_t child(uint32_t of, unsigned char b, bool make) {
    const auto it = children_.find(uint64_t(of) << 8 | b);
    if (it != children_.end()) return it->second;
    if (!make) return 0;
    nodes_.emplace_back();
    return children_[uint64_t(of) << 8 | b] = uint32_t(nodes_.size() - 1);
  }
  std::vector<Item> nodes_{1};
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
      if (!both[0].text().empty()) trie_.add(both[0].text(), id);
      written_.push_back(score);
      scores_.push_back(as_package_reads(score));
      least_ = std::min(least_, scores_.back());
      ++id;
    }
    if (id == 0) n.at("vocab").fail("there is no token");
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
    for (size_t begin = 0; begin < s.size();) {
      size_t next = begin;
      next_char(s, next);
      bool single = false;
      trie_.each(s, begin, [&](size_t end, uint32_t id) {
        offer(begin, end, scores_[id], unknown_ && id == *unknown_);
        single |= end == next;
      });
      if (!single) {
        if (!unknown_)
          throw Error("'{}' is no token, and there is none for unknown ones (unk_id)",
                      foreign(s.substr(begin, next - begin)));
        offer(begin, next, least_ - penalty, true);
      }
      begin = next;
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
  Trie trie_;
  std::vector<double> scores_, written_;  // written_: as the file has them
  double least_ = INFINITY;
  std::optional<uint32_t> unknown_;
  std::vector<uint32_t> bytes_;
};

}  // namespace

std::unique_ptr<Model> make_unigram(const Node& node) { return std::make_unique<Unigram>(node); }

}  // namespace luth::text
