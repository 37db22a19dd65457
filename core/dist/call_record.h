// What ranks tell each other of their collective calls, through a group's store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/dist/store.h"

namespace luth::dist {

/// A collective call as other ranks are told of it.
struct CallRecord {
  int64_t number = 0;  // of the group's ordered calls, from 1; 0: none yet
  std::string call;    // "all_reduce(float32[2, 3], SUM)"
  std::string place;   // " at train.lua:12"
  bool ended = true;
  Deadline began{};
};
std::string to_text(const CallRecord& r);
/// Of its number and of what ranks have in common in it, the same in all processes.
uint64_t mark_of(const CallRecord& r);

/// What a rank has posted of the call that it waits in, or that was its last.
struct Post {
  int64_t number = 0;
  bool waits = false;
  std::string text;  // call and place; "": it has posted nothing
};
/// "7 waits all_reduce(…) at train.lua:3" or "7 past …", and back.
std::string to_post(const CallRecord& r);
std::string key_of_post(int rank);  // in a group's store
Post read_post(const std::string& text);
/// In the run's store: the call of the rank that has failed, in whatever group, without number.
std::string key_of_failed_call(int rank);
/// A call's text without its place in the script.
std::string_view call_of(std::string_view text);

/// Writes down, for all ranks of the group, in what their calls differ, unless that has been done; returns what is
/// written.
std::string settle_difference(Store& store, const std::string& difference);
/// "" where calls do not differ.
std::string find_difference(Store& store);

}  // namespace luth::dist
