// BPE from texts, as PyPI's tokenizers trains it: the same merges in the same order.
#include "core/text/library/trainer.h"

#include <algorithm>
#include <queue>
#include <set>

namespace luth::text {
namespace {

using Pair = uint64_t;
Pair pair_of(uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; }

struct Word {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> lengths;  // characters of each
  int64_t count;
};

/// What is known of a pair of tokens.
struct Known {
  int64_t count = 0;
  std::vector<uint32_t> words;  // where it may be
};

class BpeTrainer {
 public:
  BpeTrainer(const Training& how, const Counts& counts) : how_(how) {
    for (const std::string& t : how.special_tokens) id_of(t);
    std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end());
    find_alphabet(sorted);
    for (const auto& [text, count] : sorted) add_word(text, count);
  }

  void train() {
    struct Candidate {
      int64_t count;
      Pair pair;
      bool operator<(const Candidate& o) const { return count != o.count ? count < o.count : pair > o.pair; }
    };
    std::priority_queue<Candidate> queue;
    for (const auto& [pair, known] : pairs_)
      if (known.count > 0) queue.push({known.count, pair});
    while (int64_t(texts_.size()) < how_.vocab_size && !queue.empty()) {
      Candidate best = queue.top();
      queue.pop();
      const int64_t now = pairs_[best.pair].count;
      if (best.count != now) {
        best.count = now;
        queue.push(best);
        continue;
      }
      if (best.count < 1 || best.count < how_.min_frequency) break;
      const std::vector<Pair> grown = merge(uint32_t(best.pair >> 32), uint32_t(best.pair));
      for (Pair p : grown)
        if (pairs_[p].count > 0) queue.push({pairs_[p].count, p});
    }
  }

  void write(Json& model) const {
    model["vocab"] = Json::object();
    auto& entries = model["vocab"].get_ref<Json::object_t&>();
    for (size_t i = 0; i < texts_.size(); ++i) entries.Container::emplace_back(texts_[i], i);
    model["merges"] = Json::array();
    for (auto [a, b] : merges_) model["merges"].push_back({texts_[a], texts_[b]});
  }

 private:
  uint32_t id_of(const std::string& text) {
    const auto [it, fresh] = ids_.emplace(text, uint32_t(texts_.size()));
    if (fresh) texts_.push_back(text);
    return it->second;
  }

  void find_alphabet(const std::vector<std::pair<std::string, int64_t>>& words) {
    std::map<char32_t, int64_t> counts;
    for (const auto& [text, count] : words)
      for (size_t at = 0; at < text.size();) counts[next_char(text, at)] += count;
    for (const std::string& t : how_.initial_alphabet) {
      size_t at = 0;
      if (!t.empty()) counts[next_char(t, at)] = INT64_MAX;
    }
    std::vector<std::pair<char32_t, int64_t>> kept(counts.begin(), counts.end());
    if (how_.limit_alphabet > 0 && int64_t(kept.size()) > how_.limit_alphabet) {
      std::stable_sort(kept.begin(), kept.end(), [](auto& a, auto& b) { return a.second > b.second; });
      kept.resize(size_t(how_.limit_alphabet));
      std::sort(kept.begin(), kept.end());
    }
    for (auto [c, count] : kept) {
      id_of(to_utf8(c));
      alphabet_.insert(c);
    }
  }

  void add_word(const std::string& text, int64_t count) {
    Word w{{}, {}, count};
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      if (!alphabet_.contains(next_char(text, at))) continue;
      std::string token = text.substr(begin, at - begin);
      if (begin > 0) token = how_.continuing_subword_prefix + token;
      if (at == text.size()) token += how_.end_of_word_suffix;
      w.ids.push_back(id_of(token));
      w.lengths.push_back(1);
    }
    const auto number = uint32_t(words_.size());
    for (size_t i = 0; i + 1 < w.ids.size(); ++i) note(pair_of(w.ids[i], w.ids[i + 1]), count, number);
    words_.push_back(std::move(w));
  }
  void note(Pair p, int64_t count, uint32_t word) {
    Known& k = pairs_[p];
    k.count += count;
    if (count > 0 && (k.words.empty() || k.words.back() != word)) k.words.push_back(word);
  }

  // Joins the pair in all words. Returns the pairs that are new or more often there.
  std::vector<Pair> merge(uint32_t a, uint32_t b) {
    const std::string tail = texts_[b].substr(how_.continuing_subword_prefix.size() *
                                              (texts_[b].starts_with(how_.continuing_subword_prefix)));
    const uint32_t id = id_of(texts_[a] + tail);
    merges_.emplace_back(a, b);
    std::vector<uint32_t> where = std::move(pairs_[pair_of(a, b)].words);
    std::sort(where.begin(), where.end());
    where.erase(std::unique(where.begin(), where.end()), where.end());
    std::vector<Pair> grown;
    for (uint32_t number : where) merge_in(number, a, b, id, grown);
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    return grown;
  }
  void merge_in(uint32_t number, uint32_t a, uint32_t b, uint32_t id, std::vector<Pair>& grown) {
    Word& w = words_[number];
    const int64_t most = how_.max_token_length > 0 ? how_.max_token_length : INT64_MAX;
    const auto gain = [&](uint32_t x, uint32_t y) {
      note(pair_of(x, y), w.count, number);
      grown.push_back(pair_of(x, y));
    };
    // What is kept moves to the front, so that a long word takes linear time.
    size_t kept = 0;
    for (size_t i = 0; i < w.ids.size(); ++i, ++kept) {
      uint32_t now = w.ids[i], length = w.lengths[i];
      if (now == a && i + 1 < w.ids.size() && w.ids[i + 1] == b) {
        now = id, length += w.lengths[++i];
        if (kept > 0) {
          note(pair_of(w.ids[kept - 1], a), -w.count, number);
          if (int64_t(w.lengths[kept - 1]) + length < most) gain(w.ids[kept - 1], id);
        }
        if (i + 1 < w.ids.size()) {
          note(pair_of(b, w.ids[i + 1]), -w.count, number);
          if (int64_t(w.lengths[i + 1]) + length < most) gain(id, w.ids[i + 1]);
        }
      }
      w.ids[kept] = now, w.lengths[kept] = length;
    }
    w.ids.resize(kept), w.lengths.resize(kept);
    pairs_[pair_of(a, b)].count = 0;
  }

  const Training& how_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::set<char32_t> alphabet_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Known> pairs_;
  std::vector<std::pair<uint32_t, uint32_t>> merges_;
};

}  // namespace

Counts count_pieces(const Pipeline& like, const NextText& next) {
  Counts counts;
  while (const auto text = next())
    like.each_piece(*text, [&](std::string_view piece) { ++counts[std::string(piece)]; });
  return counts;
}

Json train_bpe(Json model, const Training& how, const Counts& counts) {
  BpeTrainer trainer(how, counts);
  trainer.train();
  trainer.write(model);
  const auto set = [&](const char* name, const std::string& value) {
    model[name] = value.empty() ? Json() : Json(value);
  };
  set("continuing_subword_prefix", how.continuing_subword_prefix);
  set("end_of_word_suffix", how.end_of_word_suffix);
  return model;
}

Json train_word_level(Json model, const Training& how, const Counts& counts) {
  std::vector<std::pair<std::string, int64_t>> words;
  for (const auto& entry : counts)
    if (entry.second >= how.min_frequency) words.push_back(entry);
  std::sort(words.begin(), words.end(), [&](auto& a, auto& b) {
    return how.sorted || a.second == b.second ? a.first < b.first : a.second > b.second;
  });
  model["vocab"] = Json::object();
  Json& vocab = model["vocab"];
  auto& entries = vocab.get_ref<Json::object_t&>();
  const std::set<std::string> special(how.special_tokens.begin(), how.special_tokens.end());
  for (const std::string& t : how.special_tokens)
    if (!vocab.contains(t)) vocab[t] = vocab.size();
  for (const auto& [text, count] : words) {
    if (int64_t(entries.size()) >= how.vocab_size) break;
    if (!special.contains(text)) entries.Container::emplace_back(text, entries.size());
  }
  return model;
}

}  // namespace luth::text
