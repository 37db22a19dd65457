#include "core/text/library/added_tokens.h"

#include <algorithm>

namespace luth::text {
namespace {

bool same(const AddedToken& a, const AddedToken& b) {
  return a.single_word == b.single_word && a.lstrip == b.lstrip && a.rstrip == b.rstrip &&
         a.normalized == b.normalized && a.special == b.special;
}

bool ends_with_word(std::string_view s) {
  if (s.empty()) return false;
  size_t at = before(s, s.size());
  return is_word(next_char(s, at));
}
bool starts_with_word(std::string_view s) {
  size_t at = 0;
  return !s.empty() && is_word(next_char(s, at));
}
// Where the spaces that `s` ends with begin, and where those that it begins with end.
size_t spaces_begin(std::string_view s) {
  size_t end = s.size();
  while (end > 0) {
    const size_t begin = before(s, end);
    size_t at = begin;
    if (!is_space(next_char(s, at))) break;
    end = begin;
  }
  return end;
}
size_t spaces_end(std::string_view s) {
  size_t end = 0;
  for (size_t at = 0; at < s.size() && is_space(next_char(s, at));) end = at;
  return end;
}

}  // namespace

bool AddedTokens::add(AddedToken token, const Vocabulary& v, std::optional<uint32_t> id) {
  if (token.content.empty()) return false;
  const auto known = by_content_.find(token.content);
  if (known != by_content_.end()) {
    AddedToken& old = all_[known->second];
    if (same(old, token)) return false;
    token.id = old.id;
    old = token;
    return true;
  }
  const auto of_model = v.find(token.content);
  const uint64_t next = std::max<uint64_t>(v.end(), by_id_.empty() ? 0 : uint64_t(by_id_.rbegin()->first) + 1);
  token.id = of_model ? *of_model : id && !by_id_.contains(*id) && !v.text_of(*id) ? *id : uint32_t(next);
  by_content_[token.content] = by_id_[token.id] = all_.size();
  all_.push_back(std::move(token));
  return true;
}

void AddedTokens::prepare(const Normalizer* n) {
  for (bool& any : any_) any = false;
  for (ByByte& set : wanted_) set = {};
  texts_.clear();
  for (size_t i = 0; i < all_.size(); ++i) {
    const bool normalized = all_[i].normalized;
    Normalized text(all_[i].content, 0, false);
    if (normalized && n) n->run(text);
    texts_.push_back(text.text());
    if (text.text().empty()) continue;
    any_[normalized] = true;
    wanted_[normalized][static_cast<unsigned char>(text.text()[0])].push_back({text.text(), i, none});
  }
  for (ByByte& set : wanted_)
    for (auto& list : set) put_in_order(list);
}

void AddedTokens::put_in_order(std::vector<Wanted>& list) {
  std::stable_sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.text < b.text; });
  list.erase(std::unique(list.begin(), list.end(), [](auto& a, auto& b) { return a.text == b.text; }), list.end());
  size_t shorter = none;
  for (size_t i = 0; i < list.size(); shorter = i++) {
    while (shorter != none && !list[i].text.starts_with(list[shorter].text)) shorter = list[shorter].shorter;
    list[i].shorter = shorter;
  }
}

// The longest that the rest of the text begins with. What stands before the rest in order begins with all of these.
const AddedTokens::Wanted* AddedTokens::at(const ByByte& wanted, std::string_view text, size_t at) const {
  const auto& list = wanted[static_cast<unsigned char>(text[at])];
  const std::string_view rest = text.substr(at);
  const auto after = std::upper_bound(list.begin(), list.end(), rest, [](auto& r, auto& w) { return r < w.text; });
  for (size_t i = size_t(after - list.begin()) - 1; i != none; i = list[i].shorter)
    if (rest.starts_with(list[i].text)) return &list[i];
  return nullptr;
}

std::vector<AddedTokens::Section> AddedTokens::split(std::string_view text, bool normalized) const {
  std::vector<Section> out;
  size_t done = 0;
  for (size_t i = 0; any_[normalized] && i < text.size();) {
    const Wanted* w = at(wanted_[normalized], text, i);
    if (!w) {
      ++i;
      continue;
    }
    const AddedToken& token = all_[w->token];
    size_t begin = i, end = i + w->text.size();
    i = end;
    if (token.single_word && (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) continue;
    if (token.lstrip) begin = done + spaces_begin(text.substr(done, begin - done));
    if (token.rstrip) end += spaces_end(text.substr(end));
    if (done < begin) out.push_back({{done, begin}, {}});
    out.push_back({{begin, end}, token.id});
    done = end;
    i = std::max(i, end);
  }
  if (done < text.size()) out.push_back({{done, text.size()}, {}});
  return out;
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto it = by_content_.find(content);
  return it == by_content_.end() ? nullptr : &all_[it->second];
}
const AddedToken* AddedTokens::find(uint32_t id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &all_[it->second];
}

const std::string* AddedTokens::text_of(uint32_t id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &texts_[it->second];
}

}  // namespace luth::text
