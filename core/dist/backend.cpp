#include "core/dist/backend.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/autograd/autograd.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/dist/environment.h"
#include "core/op/basics.h"
#include "core/op/define.h"
#include "core/ops/elementwise/arith.h"

namespace luth::dist {
namespace {

struct Known {
  const char* library;  // libluth_<this>.so
  const char* package;
};
const std::map<std::string, Known, std::less<>> known{
    {"gloo", {"gloo", "Gloo (Debian: libgloo-dev)"}},
    {"nccl", {"cuda", "the CUDA toolkit"}},
    {"mpi_openmpi", {"mpi_openmpi", "Open MPI (Debian: libopenmpi3 to run, libopenmpi-dev to build)"}},
    {"mpi_mpich", {"mpi_mpich", "MPICH (Debian: libmpich12 to run, libmpich-dev to build)"}},
};

std::mutex mutex;
struct Opened {
  MakeBackend make = nullptr;
  StartBackend start = nullptr;
  BackendTrouble trouble = nullptr;
};
std::map<std::string, Opened, std::less<>>& all_opened() {
  static auto& m = *new std::map<std::string, Opened, std::less<>>;
  return m;
}

Opened find_opened(std::string_view name) {
  const std::lock_guard lock(mutex);
  const auto it = all_opened().find(name);
  return it == all_opened().end() ? Opened() : it->second;
}

// Constructors of libraries of MPI read settings in the current folder (UCX: ucx.conf, which names files to write), and
// that may be anybody's. They see the root folder: on a thread with a current folder of its own, or else for a moment.
std::string open_in_root(const char* stem) {
  std::string trouble;
  std::exception_ptr failure;
  bool done = false;
  auto open = [&] {
    if (unshare(CLONE_FS) != 0 || chdir("/") != 0) return;
    done = true;
    try {
      trouble = open_library(stem);
    } catch (...) { failure = std::current_exception(); }
  };
  try {
    std::thread(open).join();
  } catch (const std::system_error&) {}  // no thread can be had
  if (failure) std::rethrow_exception(failure);
  if (done) return trouble;
  const int here = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (here < 0 || chdir("/") != 0) return fmt::format("the current folder cannot be left: {}", strerror(errno));
  trouble = open_library(stem);
  if (fchdir(here) != 0) trouble = fmt::format("the current folder cannot be entered again: {}", strerror(errno));
  close(here);
  return trouble;
}

std::string library_trouble(const std::string& name) {
  const auto it = known.find(name);
  if (it == known.end()) {
    const std::vector<std::string> names{"gloo", "nccl", "mpi"};
    return fmt::format("there is no backend '{}'; there are gloo, nccl and mpi{}", name, did_you_mean(name, names));
  }
  std::string trouble = find_opened(name).make ? "" : open_in_root(it->second.library);
  if (const Opened opened = find_opened(name); opened.make)
    trouble = opened.trouble ? opened.trouble() : "";
  else
    trouble += fmt::format("; luth is built with it where {} is installed", it->second.package);
  return trouble.empty() ? "" : fmt::format("the backend '{}' cannot be used: {}", name, trouble);
}

// "mpi" is that of the launcher, or else one that is there.
std::string full_name(const std::string& name) {
  if (name != "mpi") return name;
  if (const std::string mpi = launched_mpi(); !mpi.empty()) return "mpi_" + mpi;
  return library_trouble("mpi_openmpi").empty() || !library_trouble("mpi_mpich").empty() ? "mpi_openmpi" : "mpi_mpich";
}

Opened need_opened(const std::string& name) {
  const std::string full = full_name(name);
  if (const std::string trouble = library_trouble(full); !trouble.empty()) throw Error(ErrorCode::usage, "{}", trouble);
  return find_opened(full);
}

template <class Op>
void write(const Tensor& out, const Tensor& a, const Tensor& b) {
  const Op op;
  apply_out(info<Op>(), &op, {a, b}, {out});
}

}  // namespace

Backend::~Backend() = default;

void Backend::reduce_scatter(const Tensor& all, const Tensor& part, ReduceOp op, Milliseconds timeout) {
  const Tensor pieces = Tensor::empty(all.shape(), all.dtype(), all.device());
  const int64_t n = part.numel();
  const std::vector<int64_t> counts(size_t(size_), n);
  all_to_all(all, counts, pieces, counts, timeout);
  const auto piece = [&](int r) { return Tensor::alias(pieces.storage(), Shape{n}, Strides{1}, r * n, all.dtype()); };
  const Tensor sum = Tensor::alias(part.storage(), Shape{n}, Strides{1}, part.offset(), part.dtype());
  basic::copy_into(sum, piece(0));
  for (int r = 1; r < size_; ++r) reduce_into(sum, sum, piece(r), op);
}

std::string_view to_text(ReduceOp op) {
  constexpr std::string_view names[] = {"SUM", "PRODUCT", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR"};
  return names[size_t(op)];
}

void add_backend(std::string_view name, MakeBackend make, StartBackend start, BackendTrouble trouble) {
  const std::lock_guard lock(mutex);
  all_opened().insert_or_assign(std::string(name), Opened{make, start, trouble});
}

std::vector<BackendChoice> parse_backends(const std::string& text) {
  std::vector<BackendChoice> list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const size_t colon = word.find(':');
    const bool has_kind = colon != word.npos;
    BackendChoice c{std::string(has_kind ? word.substr(0, colon) : ""),
                    std::string(word.substr(has_kind ? colon + 1 : 0))};
    const bool is_known = has_kind ? c.kind == "cpu" || c.kind == "cuda" : word.size() == text.size();
    if (!is_known || c.backend.empty())
      throw Error(
          ErrorCode::usage,
          "backend is one such as 'gloo', or one for each kind of devices, as in 'cpu:gloo,cuda:nccl'; got '{}'", text);
    if (c.backend == "nccl" && std::exchange(c.kind, "cuda") == "cpu")
      throw Error(ErrorCode::usage, "the backend nccl takes tensors of cuda, not of the CPU; got '{}'", text);
    list.push_back(std::move(c));
  }
  return list;
}

std::string backend_trouble(const std::string& name) {
  for (auto& c : parse_backends(name))
    if (const std::string trouble = library_trouble(full_name(c.backend)); !trouble.empty()) return trouble;
  return "";
}

std::optional<Start> start_backend(const std::string& name) {
  for (auto& c : parse_backends(name))
    if (const Opened opened = need_opened(c.backend); opened.start) return opened.start();
  return std::nullopt;
}
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendSetup& setup) {
  return need_opened(name).make(setup);
}

void reduce_into(const Tensor& out, const Tensor& a, const Tensor& b, ReduceOp op) {
  const NoGrad no_grad;
  using Write = void (*)(const Tensor&, const Tensor&, const Tensor&);
  constexpr Write writes[] = {write<ops::Add>, write<ops::Mul>,        write<ops::Minimum>,   write<ops::Maximum>,
                              write<ops::Add>, write<ops::BitwiseAnd>, write<ops::BitwiseOr>, write<ops::BitwiseXor>};
  writes[size_t(op)](out, a, b);
}

void reduce_into(void* out, const void* a, const void* b, size_t n, Dtype dtype, ReduceOp op) {
  const auto view = [&](const void* p) {
    const auto storage = make<Storage>(
        host(), const_cast<void*>(p), n * size_of(dtype), [](void*) {}, nullptr);
    return Tensor::alias(storage, Shape{int64_t(n)}, Strides{1}, 0, dtype);
  };
  reduce_into(view(out), view(a), view(b), op);
}

}  // namespace luth::dist
