#include "core/dist/attempt.h"

#include "core/dist/process_group.h"

namespace luth::dist {
namespace {

// Of the attempt's last start; nothing where it has begun none.
std::optional<std::string> last_prefix(Store& store, int attempt) {
  const std::string count = std::to_string(attempt);
  const auto start = store.find(key_of_start(count));
  return start ? std::optional(prefix_of(count, *start)) : std::nullopt;
}

}  // namespace

std::string prefix_of(const std::string& attempt, const std::string& start) {
  return fmt::format("run/{}.{}", attempt, start);
}
std::string key_of_start(const std::string& attempt) { return "start/" + attempt; }

std::string where_waits(Store& store, int attempt, int rank) {
  const std::string prefix = last_prefix(store, attempt).value_or("");
  if (const auto failed = store.find(prefix + "/" + key_of_failed_call(rank))) return *failed;
  const Post post = read_post(store.find(fmt::format("{}/group/0/{}", prefix, key_of_post(rank))).value_or(""));
  return post.waits ? post.text : "";
}

void wait_for_ends(Store& store, int attempt, int first, int size, Deadline deadline) {
  const auto prefix = last_prefix(store, attempt);
  for (int r = first; prefix && r < size; ++r) store.wait_until({*prefix + "/" + key_of_end(r)}, deadline);
}

}  // namespace luth::dist
