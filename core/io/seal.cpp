#include "core/io/seal.h"

#include <fcntl.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/interrupt.h"
#include "core/device/isa.h"
#include "core/io/xxh3_v3.h"

namespace luth::io {
namespace {

constexpr char magic[8] = {'\x89', 'L', 'U', 'T', 'H', '\r', '\n', '\x1a'};
constexpr size_t digest_at = 24, digest_end = 40;
constexpr const char* changed = "its contents have changed since it was written";
using Block = std::array<unsigned char, seal_bytes>;

template <class T>
void put(Block& b, size_t at, T v) {
  for (size_t i = 0; i < sizeof v; ++i) b[at + i] = static_cast<unsigned char>(v >> (8 * i));
}
template <class T>
T get(const Block& b, size_t at) {
  T v = 0;
  for (size_t i = 0; i < sizeof v; ++i) v |= T(b[at + i]) << (8 * i);
  return v;
}

std::span<const char> read_piece(Disk& disk, uint64_t at, std::span<char> buffer) {
  const auto bytes = buffer.first(size_t(std::min<uint64_t>(buffer.size(), disk.size() - at)));
  return disk.read(bytes.data(), bytes.size(), at) ? bytes : std::span<char>();
}

void update(XXH3_state_t* state, std::span<const char> bytes) {
  static const bool v3 = runs_here("v3");
  if (v3) return xxh3_update_v3(state, bytes.data(), bytes.size());
  XXH3_128bits_update(state, bytes.data(), bytes.size());
}

// XXH3-128 of everything after the seal; false where a piece could not be had. piece(at, buffer): the bytes from there
// on, at most as many as the buffer has, in it or elsewhere.
template <class Piece>
bool digest(Disk& disk, XXH128_canonical_t& out, Piece&& piece) {
  struct Free {
    void operator()(XXH3_state_t* s) const { XXH3_freeState(s); }
  };
  std::unique_ptr<XXH3_state_t, Free> state(XXH3_createState());
  if (!state) throw std::bad_alloc();
  constexpr size_t most = size_t(1) << 20;
  std::unique_ptr<char[]> buffer(new char[most]);
  XXH3_128bits_reset(state.get());
  posix_fadvise(disk.fd(), 0, 0, POSIX_FADV_SEQUENTIAL);
  for (uint64_t at = seal_bytes; at < disk.size();) {
    const std::span<const char> bytes = piece(at, std::span(buffer.get(), most));
    if (bytes.empty()) return false;
    update(state.get(), bytes);
    at += bytes.size();
  }
  XXH128_canonicalFromHash(&out, XXH3_128bits_digest(state.get()));
  return true;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string s;
  for (unsigned char c : bytes) s += fmt::format("{:02x}", c);
  return s;
}

std::string length_problem(const Seal& s) {
  if (s.actual < s.length) return fmt::format("it is cut short: {} of {} bytes are there", s.actual, s.length);
  return fmt::format("{} bytes follow its end", s.actual - s.length);
}

}  // namespace

Seal read_seal(Disk& disk, const std::string& path, ErrorCode code) {
  Block b{};
  Seal s;
  s.actual = disk.size();
  if (!disk.read(b.data(), std::min<uint64_t>(seal_bytes, s.actual), 0))
    throw Error(code, "cannot read '{}': {}", path, disk.reason());
  s.present = s.actual >= sizeof magic && std::memcmp(b.data(), magic, sizeof magic) == 0;
  if (!s.present) return s;
  s.version = get<uint32_t>(b, 8);
  s.length = get<uint64_t>(b, 16);
  s.digest = hexadecimal(std::span(b).subspan<digest_at, digest_end - digest_at>());
  const bool zeros =
      get<uint32_t>(b, 12) == 0 && std::all_of(b.begin() + digest_end, b.end(), [](auto c) { return c == 0; });
  if (s.actual < seal_bytes || s.length != s.actual)
    s.problem = length_problem(s);
  else if (s.version != seal_version)
    s.problem = fmt::format("its seal is of version {}, this luth knows {}", s.version, seal_version);
  else if (!zeros)
    s.problem = changed;
  return s;
}

SealCheck::SealCheck(Disk& disk, std::string path, ErrorCode code)
    : path_(std::move(path)), code_(code), file_(fcntl(disk.fd(), F_DUPFD_CLOEXEC, 0), disk.size()) {
  if (file_.fd() < 0) throw Error(code, "cannot read '{}': {}", path_, std::strerror(errno));
  seal_ = read_seal(disk, path_, code);
  waits_ = seal_.present && seal_.problem.empty();
  if (!waits_ || seal_.actual <= small_file) return;
  thread_.start([this] {  // where no thread is left, finish() reads
    read_all();
    read_.release();
  });
}

SealCheck::~SealCheck() { stop_ = true; }

void SealCheck::read_all() {
  try {
    XXH128_canonical_t digest_found;
    whole_ = digest(file_, digest_found, [this](uint64_t at, std::span<char> buffer) { return piece(at, buffer); });
    found_ = hexadecimal(digest_found.digest);
  } catch (...) { error_ = std::current_exception(); }
}

void SealCheck::found(uint64_t at, const Tensor& t) {
  if (!waits_) return;
  std::lock_guard hold(lock_);
  have_.emplace(at, t);
}

std::span<const char> SealCheck::piece(uint64_t at, std::span<char> buffer) {
  if (stop_) return {};
  {
    std::lock_guard hold(lock_);
    const auto next = have_.upper_bound(at);
    if (next != have_.end()) buffer = buffer.first(size_t(std::min<uint64_t>(buffer.size(), next->first - at)));
    if (next != have_.begin()) {
      const auto& [begin, t] = *std::prev(next);
      const uint64_t end = begin + t.bytes();
      if (at < end) return {t.data<char>() + (at - begin), size_t(std::min<uint64_t>(buffer.size(), end - at))};
    }
  }
  return read_piece(file_, at, buffer);
}

const Seal& SealCheck::finish() {
  if (!std::exchange(waits_, false)) return seal_;
  if (thread_.count()) {
    while (!read_.try_acquire_for(std::chrono::milliseconds(100))) poll_interrupt();
  } else {
    read_all();
  }
  if (error_) std::rethrow_exception(error_);
  if (!whole_) throw Error(code_, "cannot read '{}': {}", path_, file_.reason());
  if (found_ != seal_.digest) seal_.problem = changed;
  return seal_;
}

bool write_seal(Disk& disk) {
  if (disk.size() > small_file) disk.start_writeback();  // a small one would be written twice
  XXH128_canonical_t d;
  auto piece = [&](uint64_t at, std::span<char> buffer) { return read_piece(disk, at, buffer); };
  if (disk.error() || !digest(disk, d, piece)) return false;
  Block b{};
  std::memcpy(b.data(), magic, sizeof magic);
  put(b, 8, seal_version);
  put(b, 16, disk.size());
  std::memcpy(b.data() + digest_at, d.digest, sizeof d.digest);
  return disk.write(b.data(), b.size(), 0);
}

}  // namespace luth::io
