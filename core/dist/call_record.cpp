#include "core/dist/call_record.h"

#include <cstdlib>

namespace luth::dist {
namespace {

constexpr std::string_view waits = " waits ", past = " past ";

}  // namespace

std::string to_text(const CallRecord& r) { return r.call + r.place; }

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

std::string_view call_of(std::string_view text) { return text.substr(0, text.find(" at ")); }

}  // namespace luth::dist
