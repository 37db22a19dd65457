#include "core/data/web_dataset.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/base/visible.h"
#include "core/data/tar.h"
#include "core/image/codecs.h"
#include "core/math/philox.h"

namespace luth::data {
namespace {

constexpr uint64_t largest_member = uint64_t(1) << 30;
constexpr uint64_t longest_number = 64;
constexpr const char* key_field = "__key__";

bool is_one_of(const std::string& suffix, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), suffix) != list.end();
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) c == at ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

std::string lower(std::string s) {
  for (char& c : s) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return s;
}

}  // namespace

// The files of the sample at work.
struct WebDataset::Found {
  std::string key;
  std::map<std::string, Place> files;  // by suffix
};

WebDataset::WebDataset(WebDatasetSpec spec) : spec_(std::move(spec)) {
  if (spec_.shards.empty()) throw Error("WebDataset: there are no shards");
  if (spec_.fields.empty()) throw Error("WebDataset: fields are empty");
  if (spec_.shuffle_buffer < 0) throw Error("WebDataset: shuffle_buffer is at least 0, got {}", spec_.shuffle_buffer);
  for (auto& field : spec_.fields) fields_.push_back(split(lower(field), ';'));
  for (auto& path : spec_.shards) index(path);
  if (samples_.empty()) throw Error("WebDataset: the shards hold no samples");
}

void WebDataset::index(const std::string& path) {
  const File file(path);
  shards_.push_back({path, file.size(), file.changed(), size()});
  Found found;
  read_tar(file, [&](TarMember m) {
    size_t start = 0;
    while (m.name.compare(start, 2, "./") == 0) start += 2;
    m.name.erase(0, start);
    const size_t folder = m.name.rfind('/') + 1, dot = m.name.find('.', folder);  // npos + 1 is 0
    if (dot == m.name.npos || m.name.compare(folder, 2, "__") == 0) return;       // no sample, or data of the shard
    const std::string key = m.name.substr(0, dot);
    if (key != found.key) take(found, path);
    found.key = key;
    if (!found.files.emplace(lower(m.name.substr(dot + 1)), Place{m.at, m.size, 0}).second)
      throw Error("WebDataset: '{}' holds '{}' twice", path, foreign(m.name));
  });
  take(found, path);
}

// Makes a sample of what was found, if anything was.
void WebDataset::take(Found& found, const std::string& path) {
  if (found.files.empty()) return;
  const Entry& e = samples_.emplace_back(found.key, uint32_t(shards_.size() - 1));
  for (size_t k = 0; k < fields_.size(); ++k) {
    const std::pair<const std::string, Place>* chosen = nullptr;
    static const std::pair<const std::string, Place> of_key{key_field, Place{0, 0, 0}};
    for (auto& suffix : fields_[k]) {
      if (chosen) break;
      if (suffix == key_field) chosen = &of_key;
      if (auto file = found.files.find(suffix); file != found.files.end()) chosen = &*file;
    }
    if (!chosen)
      throw Error("WebDataset: the sample '{}' of '{}' has no file .{}", foreign(e.key), path, spec_.fields[k]);
    files_.push_back(chosen->second);
    files_.back().suffix = suffix_number(chosen->first);
  }
  found.files.clear();
}

uint16_t WebDataset::suffix_number(const std::string& suffix) {
  auto at = std::find(suffixes_.begin(), suffixes_.end(), suffix);
  if (at == suffixes_.end()) at = suffixes_.insert(suffixes_.end(), suffix);
  return uint16_t(at - suffixes_.begin());
}

std::string WebDataset::bytes_of(int64_t i, const Place& place) const {
  const Shard& shard = shards_[samples_[size_t(i)].shard];
  if (place.size > largest_member) throw Error("it has {} bytes, and {} at most are read", place.size, largest_member);
  const File disk(shard.path);
  if (disk.size() != shard.bytes || disk.changed() != shard.changed)
    throw Error("the shard has changed since its samples were counted");
  std::string bytes(place.size, '\0');
  disk.read(bytes.data(), bytes.size(), place.at);
  return bytes;
}

void WebDataset::add_value(Sample& s, int64_t i, const Place& place) const {
  const std::string& suffix = suffixes_[place.suffix];
  const std::string name = foreign(key(i) + "." + suffix);
  if (suffix == key_field) return s.push_other(OtherRef(new Text(key(i))));
  const std::string last = suffix.substr(suffix.rfind('.') + 1);
  const bool is_label = last == "cls";
  if (is_label || is_one_of(last, {"index", "id", "inx"})) {
    if (place.size > longest_number) throw Error("it is no whole number, but {} bytes", place.size);
    const std::string text = bytes_of(i, place);
    const size_t from = text.find_first_not_of(" \t\r\n"), to = text.find_last_not_of(" \t\r\n");
    int64_t n = 0;
    const char* end = text.data() + (from == text.npos ? 0 : to + 1);
    const auto [stop, error] = std::from_chars(text.data() + (from == text.npos ? 0 : from), end, n);
    if (error != std::errc() || stop != end || n > INT64_MAX - base)
      throw Error("it is no whole number, but '{}'", foreign(text, 40));
    return s.push_back(n + (is_label ? base : 0));
  }
  const std::string bytes = bytes_of(i, place);
  if (is_one_of(last, {"jpg", "jpeg", "png", "webp", "bmp"})) {
    const Bytes image(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    return s.push_back(decode_image(image, spec_.channels, name).image);
  }
  if (last == "npy") return s.push_back(spec_.array(bytes, name));
  s.push_other(OtherRef(new Text(bytes, is_one_of(last, {"json", "jsn"}) ? Text::Kind::json : Text::Kind::plain)));
}

Sample WebDataset::get(int64_t i, const Epoch& epoch) {
  Sample s;
  bool transformed = !spec_.transform;
  for (size_t k = 0; k < fields_.size(); ++k) {
    try {
      add_value(s, i, place(i, k));
      if (transformed || !s[k].is_tensor() || s[k].tensor().dtype() != Dtype::u8) continue;
      Random random(epoch.seed, epoch.number, i);
      s[k] = spec_.transform->apply(s[k].tensor(), random);
      transformed = true;
    } catch (const Error& error) {
      throw Error(error.code(), "'{}' in '{}': {}", foreign(key(i) + "." + suffixes_[place(i, k).suffix]),
                  shards_[samples_[size_t(i)].shard].path, error.what());
    }
  }
  return s;
}

std::vector<int64_t> WebDataset::order(const Epoch& epoch) {
  if (spec_.shuffle_buffer == 0) return Dataset::order(epoch);
  std::vector<int64_t> out, buffer;
  out.reserve(samples_.size());
  const int64_t stream = epoch.number << 40 | int64_t(1) << 39;  // other counters than shuffled() has
  const auto draw = [&] {
    const uint64_t r = philox_u64(epoch.seed, stream, int64_t(out.size()));
    const size_t at = size_t((unsigned __int128)(r)*buffer.size() >> 64);
    out.push_back(std::exchange(buffer[at], buffer.back()));
    buffer.pop_back();
  };
  for (int64_t shard : shuffled(int64_t(shards_.size()), epoch)) {
    const int64_t end = size_t(shard) + 1 < shards_.size() ? shards_[size_t(shard) + 1].first : size();
    for (int64_t i = shards_[size_t(shard)].first; i < end; ++i) {
      buffer.push_back(i);
      if (int64_t(buffer.size()) >= spec_.shuffle_buffer) draw();
    }
  }
  while (!buffer.empty()) draw();
  return out;
}

// ---- braces ----

namespace {

constexpr size_t most_paths = 1'000'000;

// "000..012" as numbers of that width, else the parts between commas.
std::vector<std::string> choices_of(const std::string& inside, const std::string& pattern) {
  const size_t dots = inside.find("..");
  if (dots == inside.npos) return split(inside, ',');
  const std::string first = inside.substr(0, dots), last = inside.substr(dots + 2);
  const auto number = [&](const std::string& text) {
    uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
      throw Error("WebDataset: '{}' has braces with no two numbers: {{000..012}}", pattern);
    return n;
  };
  const uint64_t from = number(first), to = number(last);
  if (from > to || to - from >= most_paths) throw Error("WebDataset: '{}' has braces from {} to {}", pattern, from, to);
  std::vector<std::string> all;
  for (uint64_t n = from; n <= to; ++n) {
    std::string digits = std::to_string(n);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    all.push_back(digits);
  }
  return all;
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  const size_t open = pattern.find('{'), close = open == pattern.npos ? open : pattern.find('}', open);
  if (close == pattern.npos) return {pattern};
  const std::vector<std::string> rests = expand_braces(pattern.substr(close + 1));
  std::vector<std::string> all;
  for (auto& choice : choices_of(pattern.substr(open + 1, close - open - 1), pattern))
    for (auto& rest : rests) {
      if (all.size() == most_paths) throw Error("WebDataset: '{}' stands for more than a million shards", pattern);
      all.push_back(pattern.substr(0, open) + choice + rest);
    }
  return all;
}

}  // namespace luth::data
