#include "core/dist/comparison.h"

#include <algorithm>

namespace luth::dist {
namespace {

constexpr Milliseconds first_pause{500}, longest_pause{8'000};
constexpr const char* key_of_difference = "difference";

std::string both(const std::string& one, const std::string& other) { return one + ", and " + other; }

}  // namespace

std::string settle_difference(Store& store, const std::string& difference) {
  return store.compare_set(key_of_difference, "", difference);
}
std::string find_difference(Store& store) { return store.find(key_of_difference).value_or(""); }

// What lies at a place: what calls have in common there, a line feed, the text.
std::string Comparison::ask(const Waiting& w) {
  // Gloo does not wake a receive of any rank when another rank ends its calls.
  if (std::string settled = find_difference(*store_); !settled.empty()) return settled;
  const std::string own = w.common + '\n' + w.text;
  const auto differs = [&](const std::string& found) { return found.substr(0, found.find('\n')) != w.common; };
  const auto text = [](const std::string& found) { return found.substr(found.find('\n') + 1); };
  if (w.places.size() == 1) {
    const std::string found = store_->compare_set(w.places[0], "", own);
    known_[w.places[0]].is_own = found == own;
    return differs(found) ? both(w.text, text(found)) : "";
  }
  std::string others;
  for (auto& place : w.places) {
    const auto found = store_->find(place);
    if (!found || !differs(*found)) return "";
    others = others.empty() ? text(*found) : both(others, text(*found));
  }
  return both(w.text, others);
}

Comparison::Difference Comparison::compare(const std::vector<Waiting>& all) {
  std::erase_if(known_, [&](const auto& entry) {
    const auto& [place, known] = entry;
    if (std::any_of(all.begin(), all.end(), [&](const Waiting& w) { return w.places[0] == place; })) return false;
    if (known.is_own) store_->remove(place);
    return true;
  });
  const Deadline now = Clock::now();
  for (const Waiting& w : all) {
    Known& known = known_[w.places[0]];
    if (now < known.next) continue;
    known.pause = std::clamp(2 * known.pause, first_pause, longest_pause);
    known.next = now + known.pause;
    if (std::string text = ask(w); !text.empty()) return {w.what, std::move(text)};
  }
  return {};
}

void Comparison::forget() noexcept try {
  const Hurry hurry;
  compare({});
} catch (const Error&) {}

}  // namespace luth::dist
