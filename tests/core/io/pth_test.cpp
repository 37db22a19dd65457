// PyTorch's files: what the files of tests/golden/pth hold, and files that are damaged or hostile.
#include <random>

#include "core/io/files.h"
#include "core/io/zip.h"
#include "tests/core/io/io_util.h"

namespace luth::io::testing {
namespace {

using namespace std::string_literals;

std::string golden(const std::string& name) { return LUTH_SOURCE_DIR "/tests/golden/pth/" + name + ".pth"; }

template <class T>
const T& get(const Item& item, std::initializer_list<Key> path) {
  const Item* at = &item;
  for (auto& k : path) {
    if (auto* list = at->as<List>())
      at = &list->at(size_t(std::get<int64_t>(k) - 1));
    else
      at = at->as<Map>() ? at->as<Map>()->find(k) : nullptr;
    if (!at) throw Error("nothing at {}", key_text(k));
  }
  if (!at->as<T>()) throw Error("another kind of value");
  return *at->as<T>();
}
Tensor counted(const Shape& shape) {
  Tensor t = Tensor::empty(shape, Dtype::f32, host());
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = float(i);
  return t;
}
// What load says of the file; "" where it takes it.
std::string text_of(const std::string& path) {
  try {
    load(path);
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::checkpoint) << e.what();
    return e.what();
  }
}

TEST(Pth, StateDicts) {
  const Item item = load(golden("state"));
  ASSERT_TRUE(item.as<Map>());
  std::string names;
  for (auto& e : *item.as<Map>()) names += std::get<std::string>(e.key) + " ";
  EXPECT_EQ(names,
            "0.weight 0.bias 1.weight 1.bias 1.running_mean 1.running_var 1.num_batches_tracked 2.weight 2.bias ");
  EXPECT_EQ(tensor_difference(get<Tensor>(item, {"0.weight"}), counted({2, 3}), ""), "");
  EXPECT_EQ(get<Tensor>(item, {"0.weight"}).storage(), get<Tensor>(item, {"2.weight"}).storage());
  EXPECT_EQ(get<Tensor>(item, {"1.num_batches_tracked"}).dtype(), Dtype::i64);
}

TEST(Pth, PlainValues) {
  const Item v = load(golden("values"));
  EXPECT_EQ(get<int64_t>(v, {"int"}), 7);
  EXPECT_EQ(get<int64_t>(v, {"negative"}), -3);
  EXPECT_EQ(get<int64_t>(v, {"long"}), int64_t(1) << 40);
  EXPECT_EQ(get<double>(v, {"float"}), 0.1);
  EXPECT_EQ(get<bool>(v, {"true"}), true);
  EXPECT_TRUE(v.as<Map>()->find("none")->is_nil());
  EXPECT_EQ(get<std::string>(v, {"text"}), "grün");
  EXPECT_EQ(get<int64_t>(v, {"size", 2}), 3);
  EXPECT_EQ(get<std::string>(v, {"tuple", 2, 2}), "x");
  EXPECT_EQ(get<List>(v, {"list"}).size(), 3u);
  EXPECT_EQ(get<bool>(v, {"nested", 1, "a", 1}), false);
  EXPECT_EQ(get<std::string>(v, {"dtype"}), "torch.float16");
  EXPECT_EQ(get<std::string>(v, {"device"}), "cuda:1");
  EXPECT_EQ(get<Map>(v, {"ordered"}).begin()->key, Key("b"));
}

TEST(Pth, TensorsOfAllKinds) {
  const Item v = load(golden("tensors"));
  const Tensor &base = get<Tensor>(v, {"views", 1}), &part = get<Tensor>(v, {"views", 2}),
               &turned = get<Tensor>(v, {"views", 3}), &row = get<Tensor>(v, {"views", 4});
  EXPECT_EQ(tensor_difference(base, counted({4, 6}), ""), "");
  EXPECT_EQ(part.storage(), base.storage());
  EXPECT_EQ(part.offset(), 6);
  EXPECT_EQ(part.strides(), (Strides{6, 2}));
  EXPECT_EQ(turned.strides(), (Strides{1, 6}));
  EXPECT_EQ(row.strides(), (Strides{0, 1}));
  for (auto& e : get<Map>(v, {"dtypes"})) {
    const Tensor& t = *e.value.as<Tensor>();
    EXPECT_EQ(name(t.dtype()), std::get<std::string>(e.key));
    EXPECT_EQ(t.shape(), Shape{3});
  }
  EXPECT_EQ(*get<Tensor>(v, {"scalar"}).data<float>(), 2.5f);
  EXPECT_EQ(get<Tensor>(v, {"empty"}).shape(), (Shape{0, 3}));
  EXPECT_TRUE(get<Tensor>(v, {"parameter"}).requires_grad());
  EXPECT_TRUE(get<Tensor>(v, {"grad"}).requires_grad());
  EXPECT_FALSE(get<Tensor>(v, {"scalar"}).requires_grad());
}

TEST(Pth, OptimizersAndBigEndianFiles) {
  const Item adam = load(golden("adam"));
  EXPECT_EQ(*get<Tensor>(adam, {"state", 0, "step"}).data<float>(), 1);
  EXPECT_EQ(get<double>(adam, {"param_groups", 1, "lr"}), 0.125);
  EXPECT_EQ(get<double>(adam, {"param_groups", 1, "betas", 2}), 0.999);
  EXPECT_EQ(tensor_difference(get<Tensor>(load(golden("big")), {"x"}), counted({5}), ""), "");
  EXPECT_EQ(get<Tensor>(load(golden("big"), &device("meta")), {"x"}).device().name(), "meta");
}

TEST(Pth, CountersAndBytes) {
  const Item v = load(golden("schedule"));
  EXPECT_EQ(get<int64_t>(v, {"schedule", "milestones", 12}), 2);
  EXPECT_EQ(get<std::string>(v, {"bytes"}), "a\0\x7f\x80\xff"s);
  EXPECT_EQ(get<std::string>(v, {"no bytes"}), "");
}

TEST(Pth, OtherFilesOfPyTorchAreRefused) {
  EXPECT_NE(text_of(golden("old")).find("torch.save(torch.load("), std::string::npos);
  EXPECT_NE(text_of(golden("model")).find("'torch.nn.modules.container.Sequential'"), std::string::npos);
}

// ---- Hostile files ------------------------------------------------------------------------------------------------

struct Archive {
  std::string pickle;
  std::vector<std::pair<std::string, std::string>> more = {};
};
// The bytes of the file.
std::string archive(const Archive& a) {
  Folder dir;
  {
    Replacement file(dir / "x.pth");
    ZipWriter zip(file);
    zip.add("x/data.pkl", "", a.pickle.data(), a.pickle.size());
    for (auto& [name, bytes] : a.more) zip.add("x/" + name, "", bytes.data(), bytes.size());
    zip.finish();
    file.commit();
  }
  return slurp(dir / "x.pth");
}
std::string refusal(const Archive& a) {
  Folder dir;
  spit(dir / "x.pth", archive(a));
  return text_of(dir / "x.pth");
}
void expect_refused(const Archive& a, const std::string& why) {
  EXPECT_NE(refusal(a).find(why), std::string::npos) << refusal(a) << "\nexpected: " << why;
}
std::string repeated(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}
// The opcodes of a tensor of 4 floats in storage '0'; the parts are pickles.
std::string tensor(const std::string& offset, const std::string& shape, const std::string& strides,
                   const std::string& count = "K\4", const std::string& key = "X\1\0\0\0000"s) {
  return "\x80\2ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\n"s + key + "X\3\0\0\0cpu"s +
         count + "tQ" + offset + shape + strides + "\x89}tR.";
}

TEST(Pth, CodeIsNamedAndRefused) {
  expect_refused({"\x80\2cos\nsystem\nX\4\0\0\0trueR."}, "'os.system'");
  expect_refused({"\x80\2cposix\nsystem\n."}, "'posix.system'");
  expect_refused({"\x80\4\x8c\x08"
                  "builtins\x8c\4eval\x93."},
                 "'builtins.eval'");
  expect_refused({"\x80\2ctorch.storage\n_load_from_bytes\n."}, "_load_from_bytes");
  expect_refused({"(i__main__\nx\n."}, "opcode 0x69");
  expect_refused({"\x80\2]}b."}, "attributes of an object");
  expect_refused({"\x80\2]", {{"constants.pkl", ""}}}, "TorchScript");
}

TEST(Pth, StructuresAreBounded) {
  expect_refused({repeated("]", 200000) + repeated("a", 199999) + "."}, "nested deeper");
  expect_refused({")" + repeated("\x85", 1000000) + "."}, "nested deeper");
  expect_refused({"]q\0h\0a."s}, "holds itself");
  std::string laughs = "(]q\0"s;  // each list has the one before it ten times
  for (char i = 1; i < 40; ++i) laughs += std::string("](") + repeated("h"s + char(i - 1), 10) + "eq" + i;
  expect_refused({laughs + "t."}, "many times its size");
  // refused before its last opcode is, so the copies were not made
  const std::string nothings = "((" + repeated("N", 20000) + "tq\0"s,
                    text = "(B\0\0\2\0"s + repeated("a", 1 << 17) + "q\0"s;
  expect_refused({nothings + "ctorch\nSize\nq\1" + repeated("h\1h\0\x85R"s, 300) + "\xff"}, "many times its size");
  expect_refused({text + "ctorch\ndevice\nq\1" + repeated("h\1h\0\x85R"s, 300) + "\xff"}, "many times its size");
  expect_refused({"."}, "nothing is left");
  expect_refused({""}, "cut short");
  expect_refused({"NN."}, "left over");
  expect_refused({"r\xff\xff\xff\xff"s + "."}, "memo");
  expect_refused({"q\0."s}, "nothing is left");
  expect_refused({"Nr\xff\xff\xff\x7f."s}, "memo");
  expect_refused({"h\5."s}, "memo");
  expect_refused({"K\1K\2s."}, "nothing is left");
  expect_refused({"}(K\1u."}, "entries");
  expect_refused({"}NNs."}, "key that is neither");
  EXPECT_EQ(refusal({"}K\1NsK\2Ns."}), "");
  expect_refused({"}K\1NsK\1Ns."}, "key of a dict twice");
  expect_refused({"\x8b\x09\0\0\0"s + "123456789."}, "integer of 9 bytes");
  expect_refused({"X\xff\xff\xff\x7f."}, "cut short");
  expect_refused({"\x8e\xff\xff\xff\xff\xff\xff\xff\xff."}, "cut short");
}

TEST(Pth, TensorsStayInTheirStorage) {
  const std::vector<std::pair<std::string, std::string>> data = {{"data/0", std::string(16, '\1')}};
  const std::string zero = "K\0"s, two = "K\2\x85", one = "K\1\x85";
  EXPECT_EQ(refusal({tensor(zero, two, one), data}), "");
  expect_refused({tensor("K\3", two, one), data}, "reaches beyond");
  expect_refused({tensor("J\xff\xff\xff\xff", two, one), data}, "reaches beyond");
  expect_refused({tensor(zero, "K\5\x85", one), data}, "reaches beyond");
  expect_refused({tensor(zero, two, "J\xff\xff\xff\xff\x85"), data}, "negative");
  expect_refused({tensor(zero, "J\xff\xff\xff\xff\x85", one), data}, "no tensor can have");
  expect_refused({tensor(zero, "K\2K\2\x86", one), data}, "2 dims and 1 strides");
  expect_refused({tensor(zero, "(" + repeated("K\1", 9) + "t", one), data}, "more than 8 dims");
  expect_refused({tensor(zero, "\x8a\x08\0\0\0\0\0\0\0\x7f\x85"s, "K\0\x85"s), data}, "no tensor can have");
  expect_refused({tensor(zero, two, one, "J\xff\xff\xff\x7f"), data}, "should have 2147483647 elements");
  expect_refused({tensor(zero, two, one, "\x8a\x08\4\0\0\0\0\0\0\x40"s), data}, "should have");
  expect_refused({tensor(zero, two, one, "J\xff\xff\xff\xff"), data}, "should have -1 elements");
  expect_refused({tensor(zero, two, one, "K\4", "X\1\0\0\0001"s), data}, "lacks the elements 'data/1'");
  expect_refused({tensor(zero, two, one), {{"data/0", "123"}}}, "but has 3 bytes");
  expect_refused({tensor(zero, "K\2", one), data}, "other arguments");
  expect_refused({tensor(zero, two, one), {data[0], {"byteorder", "middle"}}}, "byte order");
  expect_refused({"\x80\2(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\4tQ."s, data}, "storage");
}

// A stride of 0 costs the file nothing, and whoever computes with the tensor all of its elements.
TEST(Pth, TensorsRepeatLittle) {
  const std::vector<std::pair<std::string, std::string>> data = {{"data/0", std::string(16, '\1')}};
  const std::string zero = "K\0"s, still = "K\0\x85"s;
  EXPECT_EQ(refusal({tensor(zero, "J\0\0\x80\0\x85"s, still), data}), "");  // 32 MiB
  expect_refused({tensor(zero, "J\0\0\0\2\x85"s, still), data}, "its tensors repeat elements");
  Folder dir;
  spit(dir / "x.pth", archive({tensor(zero, "J\0\0\x80\0\x85"s, still), data}));
  LoadOptions bounded;
  bounded.max_bytes = 1 << 20;
  EXPECT_EQ(failure([&] { load(dir / "x.pth", bounded); }).code, 5);
}

void put(std::string& s, size_t at, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) s[at + size_t(i)] = char(v >> (8 * i));
}

TEST(Pth, EntriesDoNotOverlap) {
  Folder dir;
  std::string bytes = slurp(golden("tensors"));
  Disk disk = Disk::open(golden("tensors"), ErrorCode::checkpoint);
  const auto entries = zip_entries(disk, "x", 0);
  const size_t directory = bytes.find("PK\1\2"), second = bytes.find("PK\1\2", directory + 4);
  put(bytes, second + 42, entries[0].at, 4);
  spit(dir / "x.pth", bytes);
  EXPECT_NE(text_of(dir / "x.pth").find("overlap"), std::string::npos) << text_of(dir / "x.pth");
}

// Headers of entries and of the end hold to what the directory says. Each changes one field, of this place and bytes.
TEST(Pth, HeadersFitTheDirectory) {
  Folder dir;
  const Archive a{"N.", {{"data/0", std::string(100, 'x')}}};
  const std::string good = archive(a);
  auto text = [&](size_t at, uint64_t v, int n) {
    std::string bytes = good;
    put(bytes, at, v, n);
    spit(dir / "x.pth", bytes);
    return text_of(dir / "x.pth");
  };
  const size_t end = good.rfind("PK\5\6");
  EXPECT_EQ(text(28, 0, 2), "");
  for (const std::string& reply : {text(28, 60, 2), text(28, 200, 2), text(8, 8, 2), text(30, 'y', 1), text(26, 9, 2)})
    EXPECT_NE(reply.find("does not fit the directory"), std::string::npos) << reply;
  for (const size_t at : {4, 6, 8}) EXPECT_NE(text(end + at, 1, 2).find("belong together"), std::string::npos) << at;
}

// One None takes a byte of the file and more than a hundred of memory.
TEST(Pth, ValuesAreBoundedByTheCaller) {
  Folder dir;
  spit(dir / "x.pth", archive({"(" + repeated("N", 10000) + "t."}));
  LoadOptions bounded;
  bounded.max_bytes = 100000;
  const Failure f = failure([&] { load(dir / "x.pth", bounded); });
  EXPECT_TRUE(f.code == 5 && contains(f.text, "more values than max_bytes")) << f.text;
  bounded.max_bytes = 10000000;
  EXPECT_EQ(failure([&] { load(dir / "x.pth", bounded); }).code, 0);
}

// A packed pickle is no larger than the file. This one is a list of 10,000 None.
TEST(Pth, PackedPicklesAreSmall) {
  const std::string packed =
      "\355\301\061\015\000\000\010\003\060\073\134\223\202\022\374\337"
      "\370\130\332\316\002\000\000\000\000\000\000\000\000\100\201\313\003"s;
  auto text = [&](const Archive& a) {
    Folder dir;
    std::string bytes = archive(a);
    const size_t directory = bytes.find("PK\1\2");
    put(bytes, 8, 8, 2), put(bytes, directory + 10, 8, 2), put(bytes, directory + 16, 111217663, 4),
        put(bytes, directory + 24, 10003, 4);
    spit(dir / "x.pth", bytes);
    return text_of(dir / "x.pth");
  };
  EXPECT_NE(text({packed}).find("larger than the file"), std::string::npos);
  EXPECT_EQ(text({packed, {{"data/0", std::string(10000, 'x')}}}), "");
}

// The first entry's numbers and the directory's lie in the records for archives of more than 4 GB.
TEST(Pth, WideArchives) {
  Folder dir;
  const std::string bytes = slurp(golden("values"));
  Disk disk = Disk::open(golden("values"), ErrorCode::checkpoint);
  const ZipEntry e = zip_entries(disk, "x", 0)[0];
  const size_t at = bytes.find("PK\1\2"), end = bytes.rfind("PK\5\6"), name = size_t(uint8_t(bytes[at + 28]));
  // until where the directory goes: PyTorch has wide records of its own behind it
  const size_t behind = std::min(bytes.find("PK\6\6"), end);
  std::string directory = bytes.substr(at, behind - at), extra(28, '\0'), wide(56, '\0'), locator(20, '\0');
  put(extra, 0, 1, 2), put(extra, 2, 24, 2), put(extra, 4, e.size, 8), put(extra, 12, e.packed, 8);
  put(extra, 20, e.at, 8);
  const size_t old = size_t(uint8_t(directory[30]));
  directory.replace(46 + name, old, extra);
  put(directory, 20, ~0u, 4), put(directory, 24, ~0u, 4), put(directory, 42, ~0u, 4), put(directory, 30, 28, 2);
  std::string last = bytes.substr(end);
  put(wide, 0, 0x06064b50, 4), put(wide, 32, uint64_t(uint8_t(last[10])), 8), put(wide, 40, directory.size(), 8);
  put(wide, 48, at, 8);
  put(locator, 0, 0x07064b50, 4), put(locator, 8, at + directory.size(), 8);
  put(last, 8, 0xffff, 2), put(last, 10, 0xffff, 2), put(last, 12, ~0u, 4), put(last, 16, ~0u, 4);
  spit(dir / "x.pth", bytes.substr(0, at) + directory + wide + locator + last);
  EXPECT_EQ(difference(load(dir / "x.pth"), load(golden("values"))), "");
  put(extra, 12, uint64_t(1) << 63, 8);
  directory.replace(46 + name, 28, extra);
  spit(dir / "x.pth", bytes.substr(0, at) + directory + wide + locator + last);
  EXPECT_NE(text_of(dir / "x.pth").find("wrong size"), std::string::npos) << text_of(dir / "x.pth");
  put(locator, 8, ~uint64_t(0), 8);
  spit(dir / "x.pth", bytes.substr(0, at) + directory + wide + locator + last);
  EXPECT_NE(text_of(dir / "x.pth").find("cut short"), std::string::npos) << text_of(dir / "x.pth");
}

TEST(Pth, EveryTruncationIsRefused) {
  Folder dir;
  const std::string bytes = slurp(golden("state"));
  for (size_t n = 0; n < bytes.size(); n += n < 64 ? 1 : 37) {
    spit(dir / "x.pth", bytes.substr(0, n));
    EXPECT_NE(text_of(dir / "x.pth"), "") << n << " bytes";
  }
}

uint32_t crc32(std::string_view s) {
  uint32_t c = ~0u;
  for (const char b : s) {
    c ^= static_cast<unsigned char>(b);
    for (int k = 0; k < 8; ++k) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
  }
  return ~c;
}

// Bytes of the pickle, with the checksum made right, or of the whole file. Either is an answer: a tree, or a sentence.
TEST(Pth, MutationsDoNoHarm) {
  Folder dir;
  std::mt19937 random(7);
  const char* tries = std::getenv("LUTH_PTH_MUTATIONS");
  int taken = 0;
  for (const char* name : {"tensors", "values", "state"}) {
    const std::string bytes = slurp(golden(name));
    Disk disk = Disk::open(golden(name), ErrorCode::checkpoint);
    const auto entries = zip_entries(disk, "x", 0);
    const ZipEntry& pickle = entries[0];
    ASSERT_TRUE(pickle.name.ends_with("data.pkl"));
    const size_t at = bytes.find('\x80', size_t(pickle.at)), directory = bytes.find("PK\1\2");
    for (int i = 0; i < (tries ? std::atoi(tries) : 100); ++i) {
      std::string s = bytes;
      const bool whole = i % 4 == 0;
      for (unsigned k = 1 + random() % 3; k > 0; --k) {
        const size_t place = whole ? random() % s.size() : at + random() % pickle.size;
        s[place] = random() % 2 ? char(random()) : s[at + random() % pickle.size];
      }
      if (!whole) put(s, directory + 16, crc32(std::string_view(s).substr(at, pickle.size)), 4);
      spit(dir / "x.pth", s);
      taken += text_of(dir / "x.pth").empty();
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace luth::io::testing
