// Datasets of arrays that stay in their file, in Lua.
#include "core/io/rows.h"
#include "lang/data/data.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"

namespace luth::lang {
namespace {

class RowsDataset final : public data::Dataset {
 public:
  RowsDataset(const std::string& path, const io::RowsSpec& spec) : name_("'" + path + "'"), file_(path, spec) {}
  std::string name() const override { return name_; }
  int64_t size() const override { return file_.size(); }
  bool makes_batches() const override { return true; }
  Tensors batch(std::span<const int64_t> indices, const data::Epoch&) override { return file_.batch(indices, base); }
  data::Sample get(int64_t i, const data::Epoch&) override {
    return data::only_sample(file_.batch(std::span(&i, 1), base));
  }

 private:
  std::string name_;
  io::RowsFile file_;
};

int array_file(lua_State* L) {
  const std::string path = find_data(luaL_checkstring(L, 1));
  NamedArguments options(L, 2, "data.ArrayFile");
  io::RowsSpec spec;
  spec.keys = names_at(L, options, "keys");
  spec.labels = names_at(L, options, "labels");
  spec.load.trusted = options.flag("trusted", false);
  const int64_t most = options.integer("max_bytes", 0);
  if (most < 0) throw Error("data.ArrayFile: max_bytes is a number of bytes, got {}", most);
  spec.load.max_bytes = uint64_t(most);
  options.done();
  return push_dataset(L, data::DatasetRef(new RowsDataset(path, spec)));
}

constexpr Row functions[] = {
    {"ArrayFile", guarded<array_file>,
     "data.ArrayFile(path, {keys = nil, labels = nil, trusted = false, max_bytes = nil})",
     "A dataset of the rows of arrays that stay in their file (.npy, .npz, .safetensors, HDF5), which is mapped: "
     "sample "
     "i is row i of each. keys are the names of the arrays in the order of a sample's values; of arrays in groups of "
     "HDF5 'group/name'. labels are those of integers that count from 0 in the file; samples count them from 1. What "
     "is "
     "packed is unpacked into memory. trusted and max_bytes as in torch.load."},
};

}  // namespace

void open_arrays(lua_State* L, int data) { add_functions(L, data, functions); }

}  // namespace luth::lang
