#include "core/dist/call_record.h"

#include <cstdlib>

namespace luth::dist {
namespace {

constexpr std::string_view waits = " waits ", past = " past ";
constexpr const char* key_of_difference = "difference";

}  // namespace

std::string to_text(const CallRecord& r) { return r.call + r.place; }

uint64_t mark_of(const CallRecord& r) {
  uint64_t h = 0xcbf29ce484222325 ^ uint64_t(r.number);  // FNV-1a
  for (const char c : r.call) h = (h ^ uint8_t(c)) * 0x100000001b3;
  return h;
}

std::string to_post(const CallRecord& r) { return fmt::format("{}{}{}", r.number, r.ended ? past : waits, to_text(r)); }

Post read_post(const std::string& text) {
  Post p;
  char* rest = nullptr;
  p.number = std::strtoll(text.c_str(), &rest, 10);
  p.waits = std::string_view(rest).starts_with(waits);
  p.text = p.waits ? rest + waits.size() : *rest ? rest + past.size() : "";
  return p;
}

std::string key_of_post(int rank) { return "at/" + std::to_string(rank); }

std::string key_of_failed_call(int rank) { return "failed/" + std::to_string(rank); }

std::string_view call_of(std::string_view text) { return text.substr(0, text.find(" at ")); }

std::string settle_difference(Store& store, const std::string& difference) {
  return store.compare_set(key_of_difference, "", difference);
}
std::string find_difference(Store& store) { return store.find(key_of_difference).value_or(""); }

}  // namespace luth::dist
