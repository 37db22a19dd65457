#pragma once
// What two runs that are the same have in common: their files without times and speeds.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/cli/train.h"

namespace luth::testing {

// Lines of a table without the column of that name, which the first line has.
inline std::string without_column(const std::string& table, const std::string& name) {
  std::string rest;
  size_t column = std::string::npos;
  for (size_t at = 0; at < table.size();) {
    const size_t end = std::min(table.find('\n', at), table.size() - 1);
    const std::string line = table.substr(at, end + 1 - at);
    size_t n = 0;
    for (size_t from = 0; from < line.size(); ++n) {
      const size_t to = std::min(line.find(',', from), line.size() - 1);
      const std::string field = line.substr(from, to + 1 - from);
      if (at == 0 && field.starts_with(name)) column = n;
      if (n != column) rest += field;
      from = to + 1;
    }
    at = end + 1;
  }
  return rest;
}

// TensorBoard's records (length, checksum, event, checksum) but for those of speed, each without the time at its start.
inline std::string events_without_times(const std::string& file) {
  constexpr size_t before = 12, behind = 4, time = 9;
  std::string rest;
  for (size_t at = 0, n = 0; at + before <= file.size(); at += before + n + behind) {
    uint64_t length;
    std::memcpy(&length, file.data() + at, sizeof length);
    n = size_t(std::min<uint64_t>(length, file.size() - at - before));
    const std::string event = file.substr(at + before, n);
    if (event.find("samples_per_second") == event.npos) rest += event.substr(std::min(time, n));
  }
  return rest;
}

// A file of a run's folder without what differs between two equal runs.
inline std::string comparable(const std::string& path, const std::string& bytes) {
  // of these only the end: they have times and the words of the command, or what the memory was enough for
  if (path.ends_with("env.json") || path.ends_with("report.html") || path.ends_with("examples.json"))
    return bytes.substr(bytes.size() - std::min<size_t>(bytes.size(), 2));
  if (path.find("tfevents") != path.npos) return events_without_times(bytes);
  if (path.ends_with("log.jsonl")) return without_seconds(bytes);
  return path.ends_with("metrics.csv") ? without_column(bytes, "samples_per_second") : bytes;
}

}  // namespace luth::testing
