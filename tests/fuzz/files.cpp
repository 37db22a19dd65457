// Loads mutants of valid files. README.md says what each must do.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <vector>

#include "core/io/checkpoint.h"
#include "core/io/files.h"
#include "tests/core/io/io_util.h"
#include "tests/fuzz/data_files.h"
#include "tests/fuzz/mutations.h"

extern "C" uint32_t H5_checksum_metadata(const void* data, size_t bytes, uint32_t start);  // libhdf5's own

namespace luth::io {
namespace {

using namespace testing;
using luth::testing::Options, luth::testing::processor_seconds;
using Clock = std::chrono::steady_clock;

// ---- Seeds ----

// A piece of HDF5's metadata that its checksum follows.
struct Checked {
  size_t at, bytes;
};
struct SeedFile {
  std::string name, bytes;
  std::vector<Checked> checked;
  bool sealed = false;
  void (*read)(const std::string& path) = nullptr;  // of a dataset; null: torch.load
};

uint32_t word_at(const std::string& s, size_t at) {
  uint32_t v;
  std::memcpy(&v, s.data() + at, sizeof v);
  return v;
}

// Pieces begin with a signature. How long they are is found by trying.
std::vector<Checked> checked_pieces(const std::string& s) {
  constexpr size_t longest = 4096;
  std::vector<Checked> found;
  for (const char* signature : {"\x89HDF", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF", "SMTB",
                                "SMLI", "FSHD", "FADB", "FAHD", "EAHD", "EAIB", "EASB", "EADB"})
    for (size_t at = s.find(signature, 0, 4); at != s.npos; at = s.find(signature, at + 4, 4))
      for (size_t n = 8; n < longest && at + n + 4 <= s.size(); ++n)
        if (H5_checksum_metadata(s.data() + at, n, 0) == word_at(s, at + n)) {
          found.push_back({at, n});
          break;
        }
  return found;
}

Item sample_tree() {
  Map inner, root;
  inner.add("weight", Tensor::empty({4, 3}, Dtype::f32, host()));
  inner.add("mask", Tensor::empty({5}, Dtype::boolean, host()));
  std::memset(inner.find("weight")->as<Tensor>()->raw(), 0, 48);
  std::memset(inner.find("mask")->as<Tensor>()->raw(), 0, 5);
  Map many;
  for (int i = 0; i < 40; ++i) many.add("parameter" + std::to_string(i), Tensor(*inner.find("weight")->as<Tensor>()));
  root.add("model", inner);
  root.add("many", many);
  root.add("step", 3);
  root.add("name", "a name");
  root.add("list", List{1, 2, 3});
  root.add("mixed", List{1, "two", List{true, 2.5}});
  root.add("long", std::string(40000, 'x'));
  return root;
}

SeedFile from_file(const std::string& path, bool sealed = false) {
  SeedFile seed{path.substr(path.rfind('/') + 1), slurp(path), {}, sealed};
  if (seed.bytes.empty()) throw Error("'{}' is missing", path);
  if (path.ends_with(".h5")) seed.checked = checked_pieces(seed.bytes);
  return seed;
}

std::vector<SeedFile> seeds(const Folder& folder) {
  std::vector<SeedFile> all;
  const Item tree = sample_tree();
  save(tree, folder / "luth.h5");
  all.push_back(from_file(folder / "luth.h5", true));
  const Item& tensors = *tree.as<Map>()->find("many");
  for (const char* name : {"many.safetensors", "many.npz", "one.npy"}) {
    save(std::string(name) == "one.npy" ? tensors.as<Map>()->begin()->value : tensors, folder / name);
    all.push_back(from_file(folder / name));
  }
  save(map_of({{"x", tensors.as<Map>()->begin()->value}}), folder / "metadata.safetensors",
       map_of({{"format", "pt"}, {"a key", "a \"text\"\n"}}));
  all.push_back(from_file(folder / "metadata.safetensors"));
  all.back().read = [](const std::string& path) { metadata(path); };
  for (const char* name :
       {"small_old.h5", "small_v108.h5", "v110.h5", "v200.h5", "packed.npz", "plain.npz", "fortran.npy"})
    all.push_back(from_file(LUTH_SOURCE_DIR "/tests/data/" + std::string(name)));
  for (const char* name : {"version2.h5", "shared_column.h5"})  // small ones, where most changes meet metadata
    all.push_back(from_file(LUTH_SOURCE_DIR "/tests/data/" + std::string(name), true));
  for (auto& seed : data::data_seeds()) all.push_back({seed.name, seed.bytes, {}, false, seed.read});
  return all;
}

// ---- Mutants ----

class Mutator : public luth::testing::Mutations {
 public:
  using Mutations::Mutations;

  std::string mutant(const SeedFile& seed, bool repaired) {
    std::string s = seed.bytes;
    for (uint64_t n = 1 + below(below(4) ? 2 : 12); n > 0; --n) change(s, target(seed, repaired));
    if (repaired) repair(s, seed);
    return s;
  }

 private:
  // A place in the metadata, mostly, where the checksums will be right.
  size_t target(const SeedFile& seed, bool repaired) {
    if (!repaired || seed.checked.empty() || !below(8)) return below(seed.bytes.size());
    const Checked& c = seed.checked[below(seed.checked.size())];
    return c.at + below(c.bytes);
  }
  void repair(std::string& s, const SeedFile& seed) {
    for (const Checked& c : seed.checked) {
      if (c.at + c.bytes + 4 > s.size()) continue;
      const uint32_t sum = H5_checksum_metadata(s.data() + c.at, c.bytes, 0);
      std::memcpy(s.data() + c.at + c.bytes, &sum, sizeof sum);
    }
  }
};

// ---- The campaign ----

// What became of the mutants of a file.
struct Count {
  int64_t mutants = 0, loaded = 0, ended = 0;  // ended: those that ended their reader
};

class Campaign {
 public:
  explicit Campaign(const Options& o)
      : path_(o.keep + "/luth-mutant-" + std::to_string(::getpid())), mutate_(o.seed), files_(seeds(folder_)) {
    std::erase_if(files_, [&](auto& f) { return f.name.find(o.only) == f.name.npos; });
    const auto others = std::partition(files_.begin(), files_.end(), [](auto& f) { return f.name.ends_with(".h5"); });
    hdf5_ = size_t(others - files_.begin());
    if (files_.empty()) throw Error("no file has '{}' in its name", o.only);
    std::cout << "seed " << o.seed << "; the mutant at work is " << path_ << std::endl;
    const auto end = Clock::now() + std::chrono::duration<double>(o.minutes * 60);
    for (; Clock::now() < end && failures_ == 0 && mutants_ < o.mutants; ++mutants_) one();
  }
  int report() {
    for (auto& [name, n] : counts_)
      std::cout << name << ": " << n.mutants << " mutants, " << n.loaded << " loaded, " << n.ended
                << " ended their reader\n";
    std::cout << mutants_ << " mutants, " << processor_seconds() << " s of processor time; "
              << (failures_ ? "the last mutant broke a rule: " + path_ : "no rule was broken") << "\n";
    if (!failures_) std::filesystem::remove(path_);
    return failures_ ? 1 : 0;
  }

 private:
  void one() {
    const SeedFile& seed = pick();
    const bool repaired = mutate_.below(2) && (seed.sealed || !seed.checked.empty());
    const std::string bytes = mutate_.mutant(seed, repaired);
    spit(path_, bytes);
    if (repaired && seed.sealed && bytes.size() > seal_bytes) seal_again();
    const double start = processor_seconds();
    Count& n = counts_[seed.name + (repaired ? ", checksums repaired" : "")];
    ++n.mutants;
    const bool loaded = seed.read ? reads(seed.read) : loads(n.ended);
    if (!seed.read && (!seed.name.ends_with(".h5") || !mutate_.below(8))) reads(data::read_rows);
    n.loaded += loaded;
    if (processor_seconds() - start > 10) broken("it took more than 10 seconds of processor time");
    if (loaded && seed.sealed && !repaired && bytes != seed.bytes) broken("a sealed file with other bytes loads");
  }
  // HDF5 is a third: each takes a process, and a hundred times as long as others do.
  const SeedFile& pick() {
    const bool is_hdf5 = hdf5_ == files_.size() || (hdf5_ && !mutate_.below(3));
    return is_hdf5 ? files_[mutate_.below(hdf5_)] : files_[hdf5_ + mutate_.below(files_.size() - hdf5_)];
  }
  void seal_again() {
    const int fd = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    Disk disk(fd, std::filesystem::file_size(path_));
    if (mutate_.below(2)) disk.write("none", 4, disk.size() - 4);  // no description, so that the HDF5 is read
    write_seal(disk);
  }
  bool loads(int64_t& ended) {
    try {
      load(path_);
      return true;
    } catch (const Error& e) {
      ended += std::string_view(e.what()).find("the process that read it") != std::string_view::npos;
      if (e.code() != ErrorCode::checkpoint) broken(std::string("an error that is not the file's: ") + e.what());
    } catch (const std::exception& e) { broken(e.what()); }
    return false;
  }
  // As a dataset, whose errors are the script's.
  bool reads(void (*read)(const std::string& path)) {
    try {
      read(path_);
      return true;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::checkpoint && e.code() != ErrorCode::runtime)
        broken(std::string("an error that is not the file's: ") + e.what());
    } catch (const std::exception& e) { broken(e.what()); }
    return false;
  }
  void broken(const std::string& rule) {
    std::cout << rule << "\n";
    ++failures_;
  }

  Folder folder_;
  std::string path_;
  Mutator mutate_;
  std::vector<SeedFile> files_;  // of HDF5 first
  size_t hdf5_ = 0;              // how many these are
  std::map<std::string, Count> counts_;
  uint64_t mutants_ = 0;
  int failures_ = 0;
};

}  // namespace
}  // namespace luth::io

int main(int argc, char** argv) {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit memory{uint64_t(3) << 30, uint64_t(3) << 30};  // a mutant of 40 KB has no business with more
  setrlimit(RLIMIT_AS, &memory);
#endif
  return luth::io::Campaign(luth::testing::options(argc, argv)).report();
}
