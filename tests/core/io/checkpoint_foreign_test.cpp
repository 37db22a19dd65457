// HDF5 files of others: what h5py writes loads; what could read other files, run code or use up memory is refused.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>

#include "core/io/checkpoint.h"
#include "core/io/hdf5.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

template <class T>
std::vector<T> elements(const Item& item) {
  const Tensor* t = item.as<Tensor>();
  if (!t) return {};
  EXPECT_EQ(name(t->dtype()), name(dtype_of<T>));
  return std::vector<T>(t->data<T>(), t->data<T>() + t->numel());
}

class H5py : public ::testing::Test {
 protected:
  const Item& operator[](const char* key) {
    const Item* item = map_->find(key);
    if (!item) throw std::runtime_error(key);
    return *item;
  }
  const Tensor& tensor(const char* key) { return *(*this)[key].as<Tensor>(); }
  Item file_ = load_file(LUTH_SOURCE_DIR "/tests/data/h5py.h5");
  const Map* map_ = file_.as<Map>();
};

TEST(H5pyLatest, LayoutOfHdf5110) {
  const Item file = load_file(LUTH_SOURCE_DIR "/tests/data/v110.h5");
  EXPECT_EQ(difference(*file.as<Map>()->find("plain"), counted({4, 6})), "");
  EXPECT_EQ(difference(*file.as<Map>()->find("packed"), counted({20, 20}, Dtype::i64)), "");
}

// libver = 'latest' of HDF5 1.12 to 1.14, and of 2.0.
TEST(H5pyLatest, LayoutsOfLaterVersions) {
  const Item older = load_file(LUTH_SOURCE_DIR "/tests/data/small_v108.h5");
  for (const bool trusted : {false, true})
    for (const char* name : {"v112.h5", "v200.h5"}) {
      SCOPED_TRACE(name);
      LoadOptions options;
      options.trusted = trusted;
      const Item file = load_file(std::string(LUTH_SOURCE_DIR "/tests/data/") + name, options);
      const Map& tree = *file.as<Map>();
      for (auto& [key, value] : *older.as<Map>()) {
        if (key == Key("many")) continue;
        ASSERT_TRUE(tree.find(key)) << std::get<std::string>(key);
        EXPECT_EQ(difference(*tree.find(key), value), "") << std::get<std::string>(key);
      }
      std::vector<bool> thirds;
      for (int i = 0; i < 400; ++i) thirds.push_back(i % 3 == 0);
      for (const char* how : {"packed_", "chunked_"})
        for (const char* index : {"single", "fixed", "growing1", "growing2"})
          EXPECT_EQ(elements<bool>(*tree.find(std::string(how) + index)), thirds) << how << index;
      const Map& flags = *tree.find("flags")->as<Map>();
      for (int i = 0; i < 12; ++i) EXPECT_EQ(*flags.find("flag" + std::to_string(i))->as<bool>(), i % 2 == 1);
    }
}

TEST_F(H5py, Elements) {
  EXPECT_EQ(difference((*this)["plain"], counted({4, 6})), "");
  EXPECT_EQ(difference((*this)["big_endian"], counted({24}, Dtype::f64)), "");
  EXPECT_EQ(difference((*this)["big_int"], counted({2, 12}, Dtype::i16)), "");
  EXPECT_EQ(difference((*this)["half"], counted({24}, Dtype::f16)), "");
  EXPECT_EQ(difference((*this)["big_half"], counted({24}, Dtype::f16)), "");
  EXPECT_EQ(elements<int32_t>((*this)["unsigned16"]), (std::vector<int32_t>{0, 65535}));
  EXPECT_EQ(elements<int64_t>((*this)["unsigned32"]), (std::vector<int64_t>{0, 4294967295}));
  EXPECT_EQ(elements<bool>((*this)["bool"]), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(tensor("scalar").dim(), 0);
  EXPECT_EQ(tensor("scalar").item().integer(), -7);
  EXPECT_EQ(to_string(tensor("empty").shape()), "[0, 3]");
  EXPECT_TRUE((*this)["nothing"].is_nil());
  EXPECT_EQ(*(*this)["bytes"].as<std::string>(), "text");
  EXPECT_EQ(difference((*this)["names"], List{"a", "bcd"}), "");
}

TEST_F(H5py, StringsOfVariableLength) {
  EXPECT_EQ(*(*this)["text"].as<std::string>(), "größer");
  EXPECT_EQ(difference((*this)["texts"], List{"a", "", "bcd"}), "");
  const Map& layer = *(*this)["layer"].as<Map>();
  EXPECT_EQ(*layer.find("note")->as<std::string>(), "of variable length");
  EXPECT_EQ(difference(*layer.find("notes"), List{"x", "yz"}), "");
}

TEST_F(H5py, NamesAreTakenAsTheyAre) {
  EXPECT_EQ(tensor("it%41").item().integer(), 1);
  EXPECT_EQ(tensor("[1]").item().integer(), 2);
}

TEST_F(H5py, Storage) {
  EXPECT_EQ(difference((*this)["packed"], counted({20, 20}, Dtype::i32)), "");
  EXPECT_EQ(elements<double>((*this)["zeros"]), std::vector<double>(90000, 0.0));
  EXPECT_EQ(difference((*this)["growing"], counted({24}, Dtype::u8)), "");
  EXPECT_EQ(elements<float>((*this)["unwritten"]), std::vector<float>(5, 2.5f));
}

TEST_F(H5py, GroupsAndAttributes) {
  const Map& layer = *(*this)["layer"].as<Map>();
  EXPECT_EQ(*layer.find("z")->as<int64_t>(), 3);
  EXPECT_EQ(*layer.find("a")->as<double>(), 0.5);
  EXPECT_EQ(*layer.find("flag")->as<bool>(), true);
  EXPECT_EQ(difference(*layer.find("list"), List{1.5, 2.5}), "");
  EXPECT_EQ(elements<double>(*layer.find("matrix")), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(*layer.find("text")->as<std::string>(), "fixed");
  EXPECT_TRUE(layer.find("none")->is_nil());
  std::string order;
  for (const auto& e : layer) order += std::get<std::string>(e.key) + " ";
  EXPECT_EQ(order, "z a flag list matrix text none note notes weight bias ");
  EXPECT_TRUE(layer.find("weight")->as<Tensor>()->same(tensor("tied")));
}

// A file that `fill` made with HDF5's own calls; the text of the error that loading it throws.
std::string refusal(const std::function<void(hid_t)>& fill) {
  Folder dir;
  hid_t file = H5Fcreate((dir / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  fill(file);
  H5Fclose(file);
  Failure f = failure([&] { load_file(dir / "a.h5"); });
  EXPECT_EQ(f.code, 5) << f.text;
  EXPECT_TRUE(contains(f.text, dir / "a.h5")) << f.text;
  return f.text;
}
void dataset(hid_t file, hid_t type, std::vector<hsize_t> dims, hid_t how = H5P_DEFAULT) {
  hid_t space = H5Screate_simple(int(dims.size()), dims.data(), nullptr);
  H5Dclose(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, how, H5P_DEFAULT));
  H5Sclose(space);
}
#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(contains(text, part)) << text

// libhdf5 gives an array that nothing was stored for an address when the file begins behind other bytes.
TEST(H5pyUserBlock, ArraysWithoutStoredElements) {
  h5::Library library;
  const Folder dir;
  const std::string path = dir / "a.h5";
  {
    const h5::Id how(H5Pcreate(H5P_FILE_CREATE), H5Pclose), type = h5::file_type(Dtype::f32);
    H5Pset_userblock(how, 512);
    const h5::Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, how, H5P_DEFAULT), H5Fclose);
    const auto create = [&](const char* name) {
      return h5::Id(H5Dcreate2(file, name, type, h5::simple_space({3}), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
    };
    create("unstored");
    const float values[] = {1, 2, 3};
    ASSERT_GE(H5Dwrite(create("stored"), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  }
  const Item tree = load_file(path);
  EXPECT_EQ(elements<float>(*tree.as<Map>()->find("unstored")), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(elements<float>(*tree.as<Map>()->find("stored")), (std::vector<float>{1, 2, 3}));
}

TEST(CheckpointRefuses, OtherFiles) {
  EXPECT_CONTAINS(refusal([](hid_t f) { H5Lcreate_soft("/y", f, "x", H5P_DEFAULT, H5P_DEFAULT); }), "symbolic link");
  EXPECT_CONTAINS(refusal([](hid_t f) { H5Lcreate_external("/etc/b.h5", "/y", f, "x", H5P_DEFAULT, H5P_DEFAULT); }),
                  "external link");
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
                    H5Pset_external(how, "/etc/passwd", 0, 40);
                    dataset(f, H5T_STD_U8LE, {40}, how);
                    H5Pclose(how);
                  }),
                  "other files");
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
                    hsize_t n = 4;
                    hid_t space = H5Screate_simple(1, &n, nullptr);
                    H5Pset_virtual(how, space, "other.h5", "/y", space);
                    dataset(f, H5T_STD_U8LE, {4}, how);
                    H5Sclose(space);
                    H5Pclose(how);
                  }),
                  "other files");
}

TEST(CheckpointRefuses, TypesThatItCannotHold) {
  auto of_type = [](hid_t type) { return refusal([&](hid_t f) { dataset(f, type, {2}); }); };
  hid_t list = H5Tvlen_create(H5T_STD_I32LE), pair = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(pair, "r", 0, H5T_IEEE_F64LE);
  H5Tinsert(pair, "i", 8, H5T_IEEE_F64LE);
  hid_t color = H5Tenum_create(H5T_STD_I8LE);
  int8_t red = 0, green = 1;
  H5Tenum_insert(color, "RED", &red);
  H5Tenum_insert(color, "GREEN", &green);
  EXPECT_CONTAINS(of_type(list), "variable length");
  EXPECT_CONTAINS(of_type(pair), "compound");
  EXPECT_CONTAINS(of_type(color), "enumeration");
  EXPECT_CONTAINS(of_type(H5T_STD_REF_OBJ), "references");
  EXPECT_CONTAINS(of_type(H5T_STD_U64LE), "uint64");
  EXPECT_CONTAINS(of_type(H5T_NATIVE_LDOUBLE), "floats of 128 bits");
  for (hid_t t : {list, pair, color}) H5Tclose(t);
}

TEST(CheckpointRefuses, StringsOfTwoDims) {
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    hid_t type = H5Tcopy(H5T_C_S1);
                    H5Tset_size(type, H5T_VARIABLE);
                    const hsize_t dims[] = {3, 2};
                    hid_t space = H5Screate_simple(2, dims, nullptr);
                    H5Dclose(H5Dcreate2(f, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                    H5Sclose(space);
                    H5Tclose(type);
                  }),
                  "strings with more than one dim");
}

TEST(CheckpointRefuses, SizesThatTheFileDoesNotHave) {
  const hsize_t huge = hsize_t(1) << 50;
  EXPECT_CONTAINS(refusal([&](hid_t f) { dataset(f, H5T_IEEE_F32LE, {huge}); }), "stores 0");
  EXPECT_CONTAINS(refusal([&](hid_t f) { dataset(f, H5T_IEEE_F32LE, {huge, huge}); }), "more elements");
  EXPECT_CONTAINS(refusal([&](hid_t f) { dataset(f, H5T_IEEE_F32LE, std::vector<hsize_t>(9, 1)); }), "9 dims");
  EXPECT_CONTAINS(refusal([&](hid_t f) {
                    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
                    hsize_t chunk = 1024;
                    H5Pset_chunk(how, 1, &chunk);
                    H5Pset_deflate(how, 9);
                    dataset(f, H5T_IEEE_F32LE, {huge}, how);
                    H5Pclose(how);
                  }),
                  "stores 0");
  EXPECT_CONTAINS(refusal([&](hid_t f) {
                    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
                    hsize_t chunk = hsize_t(1) << 28, n = 4, most = H5S_UNLIMITED;
                    H5Pset_chunk(how, 1, &chunk);
                    hid_t space = H5Screate_simple(1, &n, &most);
                    H5Dclose(H5Dcreate2(f, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
                    H5Sclose(space);
                    H5Pclose(how);
                  }),
                  "chunks");
}

TEST(CheckpointRefuses, ShapesThatAreNoTree) {
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    H5Gclose(H5Gcreate2(f, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                    H5Lcreate_hard(f, "/a", f, "/a/b", H5P_DEFAULT, H5P_DEFAULT);
                  }),
                  "two places");
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    std::string path;
                    for (int i = 0; i < 300; ++i)
                      H5Gclose(H5Gcreate2(f, (path += "/a").c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                  }),
                  "deeper");
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
                    H5Tcommit2(f, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
                    H5Tclose(type);
                  }),
                  "neither");
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    dataset(f, H5T_STD_I8LE, {2});
                    hid_t space = H5Screate(H5S_SCALAR);
                    H5Aclose(H5Acreate2(f, "x", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT));
                    H5Sclose(space);
                  }),
                  "both");
}

TEST(CheckpointRefuses, FiltersThatWouldNeedPlugins) {
  EXPECT_CONTAINS(refusal([](hid_t f) {
                    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
                    hsize_t chunk = 4;
                    H5Pset_chunk(how, 1, &chunk);
                    H5Pset_scaleoffset(how, H5Z_SO_INT, 2);
                    dataset(f, H5T_STD_I32LE, {4}, how);
                    H5Pclose(how);
                  }),
                  "filter");
}

}  // namespace
}  // namespace luth::io
