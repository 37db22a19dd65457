// Byte pair encoding: characters are joined by pairs, in the order of the list of merges.
#include <algorithm>
#include <queue>

#include "core/base/visible.h"
#include "core/text/library/models.h"

namespace luth::text {
namespace {

struct Merge {
  uint32_t rank, id;
};

// A hash table from pairs of numbers to merges; open, with places for twice as many.
class Merges {
 public:
  void reserve(size_t n) {
    size_t places = 16;
    while (places < 2 * n) places *= 2;
    slots_.assign(places, Slot{empty, {}});
  }
  void set(uint32_t a, uint32_t b, Merge m) { slot(key(a, b)) = {key(a, b), m}; }
  const Merge* find(uint32_t a, uint32_t b) const {
    const Slot& s = const_cast<Merges*>(this)->slot(key(a, b));
    return s.key == empty ? nullptr : &s.merge;
  }

 private:
  struct Slot {
    uint64_t key;
    Merge merge;
  };
  static constexpr uint64_t empty = ~uint64_t(0);
  static uint64_t key(uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; }
  Slot& slot(uint64_t k) {
    uint64_t h = k * 0x9e3779b97f4a7c15;
    for (size_t i = size_t(h >> 20);; ++i) {
      Slot& s = slots_[i & (slots_.size() - 1)];
      if (s.key == k || s.key == empty) return s;
    }
  }
  std::vector<Slot> slots_;
};

// Symbols of a word as a list: `next` and `previous` are positions, -1 none.
struct Symbol {
  uint32_t id, length;  // length 0: it has been joined
  int32_t previous, next;
};

class Bpe final : public Model {
 public:
  explicit Bpe(const Node& n)
      : words_(read_vocabulary(n.at("vocab"))),
        prefix_(n.text("continuing_subword_prefix", "")),
        suffix_(n.text("end_of_word_suffix", "")),
        fuse_(n.flag("fuse_unk", false)),
        whole_(n.flag("ignore_merges", false)) {
    if (n.has("dropout") && n.at("dropout").number() > 0) n.at("dropout").fail("luth leaves out no merges at random");
    if (n.has("unk_token")) {
      unknown_ = words_.find(n.at("unk_token").text());
      if (!unknown_) n.at("unk_token").fail("it is no token of the vocabulary");
    }
    if (n.flag("byte_fallback", false)) bytes_ = byte_tokens_there();
    read_merges(n.at("merges"));
  }

  void run(std::string_view piece, std::vector<Token>& out) const override {
    if (whole_)
      if (const auto id = words_.find(piece)) return out.push_back({*id, 0, uint32_t(piece.size())});
    std::vector<Symbol> word;
    split(piece, word);
    word.size() < few ? join_few(word) : join_many(word);
    // Bytes of a prefix or suffix have tokens too, and none in the piece.
    const auto within = [&](size_t at) { return uint32_t(std::min(at, piece.size())); };
    size_t at = 0;
    for (const Symbol& s : word) {
      if (s.length == 0) continue;
      out.push_back({s.id, within(at), within(at + s.length)});
      at += s.length;
    }
  }
  const Vocabulary& vocabulary() const override { return words_; }
  void write(Json& json) const override {
    json["vocab"] = words_.to_json();
    json["merges"] = Json::array();
    for (const auto& [a, b] : pairs_) json["merges"].push_back({*words_.text_of(a), *words_.text_of(b)});
  }

 private:
  static constexpr size_t few = 40;

  // Of each byte; a byte whose token is missing has none.
  std::vector<std::optional<uint32_t>> byte_tokens_there() const {
    std::vector<std::optional<uint32_t>> ids;
    for (int b = 0; b < 256; ++b) ids.push_back(words_.find(fmt::format("<0x{:02X}>", b)));
    return ids;
  }

  // ["a", "b"], or "a b" in older files.
  std::pair<std::string, std::string> pair_of(const Node& n) const {
    if (n.json().is_string()) {
      const std::string s = n.text();
      const size_t gap = s.find(' ');
      if (gap == s.npos || s.find(' ', gap + 1) != s.npos) n.fail("'" + foreign(s, 60) + "' is no pair");
      return {s.substr(0, gap), s.substr(gap + 1)};
    }
    const auto both = n.items();
    if (both.size() != 2) n.fail(fmt::format("a merge is two tokens, not {}", both.size()));
    return {both[0].text(), both[1].text()};
  }
  void read_merges(const Node& list) {
    const auto items = list.items();
    merges_.reserve(items.size());
    const auto token = [&](const Node& n, const std::string& text) {
      const auto id = words_.find(text);
      if (!id) n.fail("'" + foreign(text, 60) + "' is no token of the vocabulary");
      return *id;
    };
    for (uint32_t rank = 0; rank < items.size(); ++rank) {
      const Node& n = items[rank];
      const auto [a, b] = pair_of(n);
      const uint32_t left = token(n, a), right = token(n, b);
      if (b.size() < prefix_.size()) n.fail("'" + foreign(b, 60) + "' does not begin with the prefix");
      merges_.set(left, right, {rank, token(n, a + b.substr(prefix_.size()))});
      pairs_.emplace_back(left, right);
    }
  }

  void split(std::string_view piece, std::vector<Symbol>& word) const {
    word.reserve(piece.size());
    uint32_t unknown = 0;  // bytes that the token for unknown characters stands for, and that are not in `word` yet
    const auto push = [&](uint32_t id, size_t length) {
      word.push_back({id, uint32_t(length), int32_t(word.size()) - 1, int32_t(word.size()) + 1});
    };
    std::string text;
    for (size_t at = 0; at < piece.size();) {
      const size_t begin = at;
      next_char(piece, at);
      std::string_view s = piece.substr(begin, at - begin);
      if ((begin > 0 && !prefix_.empty()) || (at == piece.size() && !suffix_.empty())) {
        text = (begin > 0 ? prefix_ : "") + std::string(s) + (at == piece.size() ? suffix_ : "");
        s = text;
      }
      if (const auto id = words_.find(s)) {
        if (unknown) push(*unknown_, std::exchange(unknown, 0));
        push(*id, at - begin);
      } else if (!fall_back(s, push) && unknown_) {
        if (unknown && !fuse_) push(*unknown_, std::exchange(unknown, 0));
        unknown += uint32_t(at - begin);
      }
      check_tokens(word.size(), piece.size());
    }
    if (unknown) push(*unknown_, unknown);
    if (!word.empty()) word.back().next = -1;
  }
  template <class Push>
  bool fall_back(std::string_view s, Push&& push) const {
    if (bytes_.empty()) return false;
    for (unsigned char b : s)
      if (!bytes_[b]) return false;
    for (unsigned char b : s) push(*bytes_[b], 1);
    return true;
  }

  // Short words: the pair that comes first in the list, of equal ones the leftmost, as long as there is one.
  void join_few(std::vector<Symbol>& word) const {
    std::vector<Merge> pairs;  // of each symbol and the next
    const auto pair_at = [&](size_t i) {
      const Merge* m = i + 1 < word.size() ? merges_.find(word[i].id, word[i + 1].id) : nullptr;
      return m ? *m : Merge{UINT32_MAX, 0};
    };
    for (size_t i = 0; i < word.size(); ++i) pairs.push_back(pair_at(i));
    while (word.size() > 1) {
      const auto best = std::min_element(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
      if (best->rank == UINT32_MAX) break;
      const size_t i = size_t(best - pairs.begin());
      word[i] = {best->id, word[i].length + word[i + 1].length, 0, 0};
      word.erase(word.begin() + int64_t(i) + 1);
      pairs.erase(pairs.begin() + int64_t(i) + 1);
      pairs[i] = pair_at(i);
      if (i > 0) pairs[i - 1] = pair_at(i - 1);
    }
  }

  struct Candidate {
    uint32_t rank;
    int32_t at;
    uint32_t id;
    bool operator<(const Candidate& o) const {
      return rank != o.rank ? rank > o.rank : at > o.at;
    }  // the least is on top
  };
  void join_many(std::vector<Symbol>& word) const {
    std::priority_queue<Candidate> queue;
    const auto consider = [&](int32_t i) {
      if (i < 0 || word[size_t(i)].next < 0) return;
      if (const Merge* m = merges_.find(word[size_t(i)].id, word[size_t(word[size_t(i)].next)].id))
        queue.push({m->rank, i, m->id});
    };
    for (size_t i = 0; i < word.size(); ++i) consider(int32_t(i));
    while (!queue.empty()) {
      const Candidate c = queue.top();
      queue.pop();
      Symbol& left = word[size_t(c.at)];
      if (left.length == 0 || left.next < 0) continue;
      Symbol& right = word[size_t(left.next)];
      const Merge* m = merges_.find(left.id, right.id);
      if (!m || m->id != c.id) continue;  // it was of symbols that have been joined with others
      left = {c.id, left.length + right.length, left.previous, right.next};
      right.length = 0;
      if (left.next >= 0) word[size_t(left.next)].previous = c.at;
      consider(left.previous);
      consider(c.at);
    }
  }

  Vocabulary words_;
  std::string prefix_, suffix_;
  bool fuse_, whole_;
  std::optional<uint32_t> unknown_;
  std::vector<std::optional<uint32_t>> bytes_;
  Merges merges_;
  std::vector<std::pair<uint32_t, uint32_t>> pairs_;
};

}  // namespace

std::unique_ptr<Model> make_bpe(const Node& node) { return std::make_unique<Bpe>(node); }

}  // namespace luth::text
