#include "core/text/library/normalized.h"

#include <algorithm>

namespace luth::text {

void Normalized::follow() {
  if (!tracked_ || !unchanged_) return void(unchanged_ = false);
  unchanged_ = false;
  origins_.reserve(text_.size());
  for (size_t at = 0; at < text_.size();) {
    const size_t begin = at;
    next_char(text_, at);
    origins_.insert(origins_.end(), at - begin, Span{shift_ + uint32_t(begin), shift_ + uint32_t(at)});
  }
}

Span Normalized::origin(Piece p) const {
  p = {std::min(p.begin, text_.size()), std::min(p.end, text_.size())};
  if (!unchanged_) {
    if (p.begin < p.end) return {origins_[p.begin].begin, origins_[p.end - 1].end};
    const uint32_t at = p.begin < origins_.size() ? origins_[p.begin].begin
                        : origins_.empty()        ? shift_
                                                  : origins_.back().end;
    return {at, at};
  }
  while (p.begin > 0 && p.begin < p.end && (text_[p.begin] & 0xc0) == 0x80) --p.begin;
  while (p.end < text_.size() && p.begin < p.end && (text_[p.end] & 0xc0) == 0x80) ++p.end;
  return {shift_ + uint32_t(p.begin), shift_ + uint32_t(p.end)};
}

void Normalized::check(size_t bytes) const {
  if (bytes > most_)
    throw Error("the tokenizer makes a text more than 32 times as long, as no good one does; look at its replacements");
}
void Normalized::become(std::string text, std::vector<Span> origins) {
  check(text.size());
  text_ = std::move(text);
  origins_ = std::move(origins);
}

void Normalized::change(const std::vector<Change>& to, size_t removed) {
  follow();
  std::string text;
  text.reserve(text_.size());
  std::vector<Span> origins;
  size_t at = 0;
  const auto skip = [&](size_t n) {
    for (; n > 0 && at < text_.size(); --n) next_char(text_, at);
  };
  skip(removed);
  for (const Change& x : to) {
    if (tracked_ && !origins_.empty()) {
      const size_t from = x.by > 0 ? at - 1 : std::min(at, origins_.size() - 1);
      origins.insert(origins.end(), bytes_of(x.c), x.by > 0 && at == 0 ? Span{shift_, shift_} : origins_[from]);
    }
    text::append(text, x.c);
    if (x.by <= 0) skip(size_t(1 - x.by));
  }
  become(std::move(text), std::move(origins));
}

void Normalized::filter(const std::function<bool(char32_t)>& keep) {
  std::string text;
  std::vector<Span> origins;
  follow();
  for (size_t at = 0; at < text_.size();) {
    const size_t begin = at;
    if (!keep(next_char(text_, at))) continue;
    text.append(text_, begin, at - begin);
    if (tracked_) origins.insert(origins.end(), origins_.begin() + int64_t(begin), origins_.begin() + int64_t(at));
  }
  become(std::move(text), std::move(origins));
}

void Normalized::map_ascii(char (*f)(char)) {
  for (char& c : text_)
    if (!(c & 0x80)) c = f(c);
}

void Normalized::prepend(std::string_view what) {
  if (text_.empty() || what.empty()) return;
  follow();
  check(text_.size() + what.size());
  text_.insert(0, what);
  if (tracked_) origins_.insert(origins_.begin(), what.size(), Span(origins_.front()));
}

void Normalized::append(std::string_view what) {
  if (text_.empty() || what.empty()) return;
  follow();
  check(text_.size() + what.size());
  text_ += what;
  if (tracked_) origins_.insert(origins_.end(), what.size(), Span(origins_.back()));
}

void Normalized::keep_only(Piece p) {
  if (p == Piece{0, text_.size()}) return;
  follow();
  text_ = text_.substr(p.begin, p.end - p.begin);
  if (!tracked_) return;
  origins_.erase(origins_.begin() + int64_t(p.end), origins_.end());
  origins_.erase(origins_.begin(), origins_.begin() + int64_t(p.begin));
}

Normalized Normalized::slice(Piece p) const {
  Normalized part(view(p), shift_ + uint32_t(unchanged_ ? p.begin : 0), tracked_);
  part.unchanged_ = unchanged_;
  part.most_ = most_;
  if (!origins_.empty()) part.origins_.assign(origins_.begin() + int64_t(p.begin), origins_.begin() + int64_t(p.end));
  return part;
}

void Normalized::replace(const std::vector<Match>& matches, std::string_view with) {
  if (std::none_of(matches.begin(), matches.end(), [](auto& m) { return m.is_match; })) return;
  follow();
  std::string text;
  std::vector<Span> origins;
  for (const Match& m : matches) {
    text += m.is_match ? with : view(m.at);
    check(text.size());
    if (!tracked_) continue;
    if (m.is_match)
      origins.insert(origins.end(), with.size(), m.at.end ? origins_[m.at.end - 1] : Span{shift_, shift_});
    else
      origins.insert(origins.end(), origins_.begin() + int64_t(m.at.begin), origins_.begin() + int64_t(m.at.end));
  }
  become(std::move(text), std::move(origins));
}

std::vector<Piece> Normalized::rewrite(const std::vector<Piece>& pieces,
                                       const std::function<std::vector<Piece>(Normalized&, bool first)>& f) {
  follow();
  std::string text;
  std::vector<Span> origins;
  std::vector<Piece> out;
  for (const Piece& p : pieces) {
    Normalized part = slice(p);
    const bool first = tracked_ ? origin(p).begin == 0 : p.begin == 0 && shift_ == 0;
    for (const Piece& q : f(part, first)) out.push_back({text.size() + q.begin, text.size() + q.end});
    text += part.text_;
    check(text.size());
    origins.insert(origins.end(), part.origins_.begin(), part.origins_.end());
  }
  become(std::move(text), std::move(origins));
  return out;
}

void Normalized::map_bytes(std::vector<Piece>& pieces, const std::array<std::string, 256>& to) {
  follow();
  std::string text;
  text.reserve(text_.size() * 5 / 4);
  std::vector<Span> origins;
  for (Piece& p : pieces) {
    const size_t begin = text.size();
    for (size_t i = p.begin; i < p.end; ++i) {
      const std::string& c = to[static_cast<unsigned char>(text_[i])];
      text += c;
      if (tracked_) origins.insert(origins.end(), c.size(), origins_[i]);
    }
    p = {begin, text.size()};
  }
  become(std::move(text), std::move(origins));
}

}  // namespace luth::text
