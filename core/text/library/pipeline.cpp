#include "core/text/library/pipeline.h"

#include <atomic>

#include "core/text/library/truncate.h"

namespace luth::text {
namespace {

std::atomic<uint64_t> pipelines = 0;
constexpr size_t most_bytes = (size_t(1) << 32) - 2;  // of a text: places in it are 32 bits wide

AddedToken read_added(const Node& n) {
  AddedToken t;
  t.content = n.at("content").text();
  t.single_word = n.flag("single_word", false);
  t.lstrip = n.flag("lstrip", false);
  t.rstrip = n.flag("rstrip", false);
  t.special = n.flag("special", false);
  t.normalized = n.flag("normalized", !t.special);
  return t;
}

Json json_of(const AddedToken& t) {
  return {{"id", t.id},         {"content", t.content},       {"single_word", t.single_word}, {"lstrip", t.lstrip},
          {"rstrip", t.rstrip}, {"normalized", t.normalized}, {"special", t.special}};
}

void check_text(std::string_view text) {
  if (text.size() > most_bytes) throw Error("the text has {} bytes; encode it in parts of less than 2^32", text.size());
  check_utf8(text);
}

}  // namespace

Pipeline::Pipeline(Json tree) : tree_(std::move(tree)), number_(++pipelines) {
  const Node root(tree_, "");
  if (!tree_.is_object() || !tree_.contains("model"))
    root.fail("it has no 'model', so it is no tokenizer.json of a tokenizer");
  const Node model = root.at("model");
  type_ = type_of_model(model);
  if (root.has("normalizer")) normalizer_ = make_normalizer(root.at("normalizer"));
  if (root.has("pre_tokenizer")) pre_tokenizer_ = make_pre_tokenizer(root.at("pre_tokenizer"));
  model_ = make_model(model);
  if (root.has("post_processor"))
    post_processor_ = make_post_processor(
        root.at("post_processor"), [this](uint32_t id) { return added_.find(id) ? "" : token_of(id).value_or(""); });
  if (root.has("decoder")) decoder_ = make_decoder(root.at("decoder"));
  if (root.has("added_tokens"))
    for (const Node& n : root.at("added_tokens").items())
      added_.add(read_added(n), model_->vocabulary(),
                 n.has("id") ? std::optional(uint32_t(n.at("id").integer(0, UINT32_MAX - 1))) : std::nullopt);
  added_.prepare(normalizer_.get());
  if (root.has("truncation")) truncation = read_truncation(root.at("truncation"));
  if (root.has("padding")) padding = read_padding(root.at("padding"));
  tree_["model"].erase("vocab");
  tree_["model"].erase("merges");
}

Json Pipeline::tree(bool whole) const {
  Json out = {{"version", "1.0"}, {"truncation", json_of(truncation)}, {"padding", json_of(padding)}};
  out["added_tokens"] = Json::array();
  for (const AddedToken& t : added_.all()) out["added_tokens"].push_back(json_of(t));
  for (const char* name : {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model"})
    out[name] = tree_.contains(name) ? tree_[name] : Json();
  out["model"]["type"] = type_;
  if (whole) model_->write(out["model"]);
  return out;
}

template <class OnToken, class OnPieces>
void Pipeline::each_section(std::string_view text, bool tracked, OnToken&& token, OnPieces&& pieces) const {
  for (const auto& outer : added_.split(text, false)) {
    if (outer.id) {
      token(*outer.id, Span{uint32_t(outer.at.begin), uint32_t(outer.at.end)});
      continue;
    }
    Normalized normal(text.substr(outer.at.begin, outer.at.end - outer.at.begin), uint32_t(outer.at.begin), tracked);
    if (normalizer_) normalizer_->run(normal);
    for (const auto& inner : added_.split(normal.text(), true)) {
      if (inner.id) {
        token(*inner.id, tracked ? normal.origin(inner.at) : Span{});
        continue;
      }
      const bool all = inner.at == Piece{0, normal.text().size()};
      Normalized part = all ? std::move(normal) : normal.slice(inner.at);
      std::vector<Piece> list{{0, part.text().size()}};
      if (pre_tokenizer_) pre_tokenizer_->run(part, list);
      pieces(part, list);
      if (all) break;
    }
  }
}

std::span<const Token> Pipeline::tokens_of(std::string_view piece, WordCache& cache) const {
  return cache.find(piece, [&](std::string_view p, std::vector<Token>& out) { model_->run(p, out); });
}

Encoding Pipeline::encode_one(std::string_view text, uint8_t type_id) const {
  check_text(text);
  Encoding e;
  int32_t word = 0;
  WordCache& cache = WordCache::of_thread(number_);
  each_section(
      text, true,
      [&](uint32_t id, Span at) {
        e.ids.push_back(id);
        e.offsets.push_back(at);
        e.words.push_back(word++);
      },
      [&](const Normalized& part, const std::vector<Piece>& pieces) {
        for (const Piece& p : pieces) {
          if (p.begin == p.end) continue;
          for (const Token& t : tokens_of(part.view(p), cache)) {
            e.ids.push_back(t.id);
            e.offsets.push_back(part.origin({p.begin + t.begin, p.begin + t.end}));
            e.words.push_back(word);
          }
          check_tokens(e.ids.size(), text.size());
          ++word;
        }
      });
  e.text = type_id;
  e.type_ids.assign(e.size(), type_id);
  e.special.assign(e.size(), 0);
  e.attention.assign(e.size(), 1);
  return e;
}

Encoding Pipeline::encode(std::string_view text, const std::string_view* second, bool add_special_tokens) const {
  std::vector<Encoding> all{encode_one(text, 0)};
  std::vector<std::string_view> texts{text};
  if (second) {
    all.push_back(encode_one(*second, 1));
    texts.push_back(*second);
  }
  const size_t around = post_processor_ && add_special_tokens ? post_processor_->added(second != nullptr) : 0;
  if (truncation.max_length > 0) truncate(all, truncation, around);
  if (post_processor_) all = post_processor_->run(std::move(all), texts, add_special_tokens);
  Encoding whole = joined(std::move(all));
  if (padding.on) pad({&whole, 1}, padding);
  return whole;
}

void Pipeline::append_ids(std::string_view text, Ids& out) const {
  check_text(text);
  const size_t before = out.size();
  WordCache& cache = WordCache::of_thread(number_);
  each_section(
      text, pre_tokenizer_ && pre_tokenizer_->needs_origins(), [&](uint32_t id, Span) { out.push_back(id); },
      [&](const Normalized& part, const std::vector<Piece>& pieces) {
        for (const Piece& p : pieces) {
          const auto tokens = p.begin < p.end ? tokens_of(part.view(p), cache) : std::span<const Token>();
          check_tokens(out.size() - before + tokens.size(), text.size());
          for (const Token& t : tokens) out.push_back(t.id);
        }
      });
}

void Pipeline::each_piece(std::string_view text, const std::function<void(std::string_view)>& f) const {
  check_text(text);
  each_section(
      text, false, [](uint32_t, Span) {},
      [&](const Normalized& part, const std::vector<Piece>& pieces) {
        for (const Piece& p : pieces)
          if (p.begin < p.end) f(part.view(p));
      });
}

std::string Pipeline::decode(std::span<const uint32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (uint32_t id : ids) {
    const AddedToken* added = added_.find(id);
    if (added && added->special && skip_special_tokens) continue;
    if (auto token = token_of(id)) tokens.push_back(std::move(*token));
  }
  std::string text;
  if (decoder_) {
    for (const std::string& t : decoder_->run(std::move(tokens))) text += t;
    return text;
  }
  for (const std::string& t : tokens) text += (text.empty() && &t == &tokens[0] ? "" : " ") + t;
  return text;
}

std::optional<uint32_t> Pipeline::id_of(std::string_view token) const {
  if (const AddedToken* t = added_.find(token)) return t->id;
  return model_->vocabulary().find(token);
}
std::optional<std::string> Pipeline::token_of(uint32_t id) const {
  const std::string* s = added_.text_of(id);
  if (!s) s = model_->vocabulary().text_of(id);
  return s ? std::optional(*s) : std::nullopt;
}
size_t Pipeline::size() const {
  size_t n = model_->vocabulary().size();
  for (const AddedToken& t : added_.all()) n += !model_->vocabulary().find(t.content);
  return n;
}
size_t Pipeline::end() const {
  size_t n = model_->vocabulary().end();
  for (const AddedToken& t : added_.all()) n = std::max<size_t>(n, size_t(t.id) + 1);
  return n;
}
size_t Pipeline::add(std::vector<AddedToken> tokens) {
  size_t n = 0;
  for (AddedToken& t : tokens) n += added_.add(std::move(t), model_->vocabulary());
  added_.prepare(normalizer_.get());
  return n;
}

}  // namespace luth::text
