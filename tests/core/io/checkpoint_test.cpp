// Trees through checkpoints and back.
#include "core/io/checkpoint.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <limits>
#include <thread>

#include "core/io/description.h"
#include "core/io/many_values.h"
#include "core/io/names.h"
#include "core/tensor/tensor.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

Item round_trip(const Item& item) {
  Folder dir;
  save_file(item, dir / "a.h5");
  EXPECT_EQ(dir.count(), 1) << "a temporary file was left";
  EXPECT_TRUE(is_described_well(dir / "a.h5"));
  return load_file(dir / "a.h5");
}
#define EXPECT_ROUND_TRIP(item)                            \
  do {                                                     \
    Item before = item;                                    \
    EXPECT_EQ(difference(before, round_trip(before)), ""); \
  } while (0)

TEST(Checkpoint, EveryDtype) {
  for (int d = 0; d < dtype_count; ++d) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{3, 5}, Shape{2, 0, 3}, Shape{1, 2, 1, 2, 1, 2, 1, 2}})
      EXPECT_ROUND_TRIP(map_of({{"x", counted(shape, Dtype(d))}}));
  }
}

TEST(Checkpoint, EveryBitOfFloats) {
  Tensor h = Tensor::empty({65536}, Dtype::f16, host()), b = Tensor::empty({65536}, Dtype::bf16, host());
  for (int i = 0; i < 65536; ++i) h.data<uint16_t>()[i] = b.data<uint16_t>()[i] = uint16_t(i);
  EXPECT_ROUND_TRIP(map_of({{"h", h}, {"b", b}}));
}

TEST(Checkpoint, PlainValues) {
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_ROUND_TRIP(map_of({{"t", true},
                            {"f", false},
                            {"i", 1},
                            {"d", 1.0},
                            {"min", std::numeric_limits<int64_t>::min()},
                            {"max", std::numeric_limits<int64_t>::max()},
                            {"third", 1.0 / 3},
                            {"inf", -inf},
                            {"nan", std::nan("")},
                            {"zero", -0.0},
                            {"s", "text"},
                            {"empty", ""},
                            {"zeros", std::string("a\0b\0\0", 5)},
                            {"bytes", "\xff\xfe \xc3\xa9"},
                            {"nothing", Item()}}));
}

TEST(Checkpoint, RootsOtherThanMaps) {
  for (const Item& item : {Item(), Item(true), Item(7), Item(0.5), Item("x"), Item(""), Item(counted({2, 3})),
                           Item(List{1, 2}), Item(List{}), Item(List{counted({2}), "x", Map()}), Item(Map())})
    EXPECT_ROUND_TRIP(item);
  EXPECT_ROUND_TRIP(map_of({{"value", 3}}));
}

TEST(Checkpoint, Lists) {
  EXPECT_ROUND_TRIP(map_of({{"ints", List{1, 2, 3}},
                            {"floats", List{0.9, 0.999}},
                            {"bools", List{true, false}},
                            {"strings", List{"a", "", "long one"}},
                            {"ends in zero", List{std::string("a\0", 2), "b"}},
                            {"uneven", List{std::string(5000, 'x'), "b", "c", "d", "e", "f"}},
                            {"mixed", List{1, 1.0, "1", true, Item(), List{1, 2}}},
                            {"nils", List{Item(), Item()}},
                            {"empty", List{}},
                            {"nested", List{List{}, List{List{1}}, Map()}},
                            {"tensors", List{counted({2}), counted({3})}},
                            {"many", List(300, Item(counted({1})))}}));
}

TEST(Checkpoint, NestedTables) {
  Item item = 1;
  for (int i = 0; i < max_depth - 2; ++i) item = map_of({{"a", item}, {i, i}});
  EXPECT_ROUND_TRIP(item);
}

TEST(Checkpoint, LongStringsAndLists) {
  Map m;
  for (size_t n : {size_t(32767), size_t(32768), size_t(32769), size_t(40 * 1024), size_t(64 * 1024), size_t(1) << 20})
    m.add(std::to_string(n), std::string(n, 'x'));
  List ints, strings, floats;
  for (int i = 0; i < 20000; ++i) ints.push_back(i), strings.push_back(std::to_string(i)), floats.push_back(i / 7.0);
  m.add("ints", ints), m.add("strings", strings), m.add("floats", floats), m.add("bools", List(40000, Item(true)));
  EXPECT_ROUND_TRIP(m);
}

TEST(Checkpoint, ManyAttributes) {
  Map m;  // beyond what an object header holds: 2 MB
  for (int i = 0; i < 100; ++i) m.add(fmt::format("text {}", i), std::string(20000, char('a' + i % 26)));
  EXPECT_ROUND_TRIP(m);
}

TEST(Checkpoint, OddKeys) {
  Map m;
  int i = 0;
  for (std::string key : {"",       ".",     "..",       "a/b",          "/",
                          "//",     "%",     "%25",      "100%",         "%kind",
                          "%order", "[1]",   "[",        "a[1]",         "1",
                          " ",      "\n",    "\x01\x7f", "1.weight",     "features.1.weight",
                          "ä€𝄞",    "\xff",  "\xc3",     "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "luth",   "value", "model"})
    m.add(key, i % 2 ? Item(i) : Item(counted({i % 3}))), ++i;
  m.add(std::string("\0", 1), "zero"), m.add(std::string("a\0b", 3), counted({1}));
  m.add(1, "integer"), m.add(-1, counted({2})), m.add(0, Map()), m.add(std::numeric_limits<int64_t>::min(), 5);
  m.add(std::string(1000, '/'), "long");
  EXPECT_ROUND_TRIP(m);
  for (const auto& e : m) {
    Key back;
    EXPECT_TRUE(from_name(to_name(e.key), back) && back == e.key) << key_text(e.key);
  }
}

TEST(Checkpoint, NamesHaveOneForm) {
  Key k;
  for (const char* name : {"", "%4", "%zz", "%2f", "%41", "a%", "[", "[x]", "[01]", "[1", "[1]x", "[+1]", "a/b", "."})
    EXPECT_FALSE(from_name(name, k)) << name;
}

TEST(Checkpoint, OrderOfKeys) {
  EXPECT_ROUND_TRIP(map_of({{"z", counted({1})}, {"b", 1}, {"y", Map()}, {"a", 2}, {"x", counted({1})}}));
  EXPECT_ROUND_TRIP(map_of({{"b", 1}, {"a", 2}, {"z", counted({1})}, {"y", counted({1})}}));
  EXPECT_ROUND_TRIP(map_of({{"z", counted({1})}, {"a", 2}}));
}

TEST(Checkpoint, StridedTensors) {
  Tensor x = counted({4, 6});
  Tensor t = Tensor::alias(x.storage(), {6, 4}, {1, 6}, 0, Dtype::f32);
  Tensor narrowed = Tensor::alias(x.storage(), {2, 3}, {12, 2}, 7, Dtype::f32);
  Tensor expanded = Tensor::alias(x.storage(), {3, 6}, {0, 1}, 6, Dtype::f32);
  Tensor row = Tensor::alias(x.storage(), {6}, {1}, 18, Dtype::f32);
  Tensor last = Tensor::empty({2, 3, 2, 2}, Dtype::i16, host(), &static_cast<const Strides&>(Strides{12, 1, 6, 3}));
  for (int i = 0; i < 24; ++i) last.data<int16_t>()[i] = int16_t(i);
  Item back = round_trip(map_of({{"t", t}, {"n", narrowed}, {"e", expanded}, {"r", row}, {"l", last}}));
  EXPECT_EQ(difference(back, map_of({{"t", t}, {"n", narrowed}, {"e", expanded}, {"r", row}, {"l", last}})), "");
  EXPECT_TRUE(back.as<Map>()->find("t")->as<Tensor>()->is_contiguous());
}

TEST(Checkpoint, TiedTensorsStayTied) {
  Tensor w = counted({1000}), other = counted({1000});
  Tensor alias = w.detach(), part = Tensor::alias(w.storage(), {999}, {1}, 1, Dtype::f32);
  Folder dir;
  Item tree = map_of({{"model", map_of({{"encoder", w}, {"decoder", w}, {"other", other}, {"part", part}})},
                      {"list", List{alias, 1}}});
  save_file(tree, dir / "a.h5");
  EXPECT_LT(slurp(dir / "a.h5").size(), 3 * 4000u + 4096u);
  Item back = load_file(dir / "a.h5");
  EXPECT_EQ(difference(tree, back), "");
  const Map& model = *back.as<Map>()->find("model")->as<Map>();
  auto tensor = [&](const char* name) { return *model.find(name)->as<Tensor>(); };
  EXPECT_TRUE(tensor("encoder").same(tensor("decoder")));
  EXPECT_TRUE(tensor("encoder").same(*(*back.as<Map>()->find("list")->as<List>())[0].as<Tensor>()));
  EXPECT_FALSE(tensor("encoder").storage() == tensor("other").storage());
  EXPECT_FALSE(tensor("encoder").storage() == tensor("part").storage());
}

TEST(Checkpoint, RequiresGradIsKept) {
  Tensor w = counted({3});
  w.set_requires_grad();
  EXPECT_ROUND_TRIP(map_of({{"w", w}, {"v", counted({3})}}));
}

TEST(Checkpoint, EqualTreesGiveEqualFiles) {
  Folder dir;
  Item tree = map_of({{"a", 1}, {"b", map_of({{"x", counted({3})}})}});
  save_file(tree, dir / "a.h5");
  save_file(tree, dir / "b.h5");
  EXPECT_TRUE(slurp(dir / "a.h5") == slurp(dir / "b.h5"));
}

TEST(Checkpoint, Seal) {
  Folder dir;
  save_file(map_of({{"a", 1}}), dir / "a.h5");
  Seal s = inspect(dir / "a.h5");
  EXPECT_TRUE(s.present);
  EXPECT_EQ(s.version, 1u);
  EXPECT_EQ(s.length, slurp(dir / "a.h5").size());
  EXPECT_EQ(s.digest.size(), 32u);
  EXPECT_EQ(s.problem, "");
  spit(dir / "b", "hello");
  EXPECT_FALSE(inspect(dir / "b").present);
}

void spit_sealed(const std::string& path, const std::string& bytes) {
  spit(path, bytes);
  Disk disk(::open(path.c_str(), O_RDWR | O_CLOEXEC), bytes.size());
  EXPECT_TRUE(write_seal(disk));
}

// A file whose HDF5 nobody can read, and with a seal that holds.
TEST(Checkpoint, TheDescriptionIsReadInsteadOfTheHdf5) {
  Folder dir;
  const Item tree = map_of({{"a", 1}, {"b", map_of({{"x", counted({3})}})}, {"c", List{1, "text", List{}}}});
  save_file(tree, dir / "a.h5");
  std::string bytes = slurp(dir / "a.h5");
  bytes[seal_bytes + 1] = '?';  // in HDF5's signature
  spit_sealed(dir / "a.h5", bytes);
  EXPECT_EQ(difference(load_file(dir / "a.h5"), tree), "");
  const std::string text = failure([&] { is_described_well(dir / "a.h5"); }).text;
  EXPECT_TRUE(contains(text, "file signature not found")) << text;
  LoadOptions small;
  small.max_bytes = 1;
  EXPECT_EQ(failure([&] { load_file(dir / "a.h5", small); }).code, 5);
}

DescriptionEnd end_of(const std::string& bytes) {
  DescriptionEnd end;
  std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
  return end;
}
std::string with_end(std::string bytes, const DescriptionEnd& end) {
  std::memcpy(bytes.data() + bytes.size() - sizeof end, &end, sizeof end);
  return bytes;
}

TEST(Checkpoint, ADescriptionOfSomethingElseIsSeen) {
  Folder dir;
  save_file(map_of({{"a", 1}}), dir / "a.h5");
  std::string bytes = slurp(dir / "a.h5");
  DescriptionEnd end = end_of(bytes);
  const size_t at = bytes.size() - sizeof end;
  bytes[at - sizeof(int64_t)] = 2;  // the value
  end.digest = XXH3_64bits(bytes.data() + at - end.size, end.size);
  spit_sealed(dir / "a.h5", with_end(bytes, end));
  EXPECT_EQ(difference(load_file(dir / "a.h5"), map_of({{"a", 2}})), "");
  EXPECT_FALSE(is_described_well(dir / "a.h5"));
}

// A description of a later luth, or one that is no description: the HDF5 is read.
TEST(Checkpoint, AnOddDescriptionIsNotRead) {
  Folder dir;
  const Item tree = map_of({{"a", 1}});
  save_file(tree, dir / "a.h5");
  const std::string good = slurp(dir / "a.h5");
  DescriptionEnd later = end_of(good), longer = later, shorter = later, other = later, unmarked = later;
  later.layout = 99, longer.size = UINT64_MAX, shorter.size = 3, ++other.digest, ++unmarked.mark;
  for (const DescriptionEnd& end : {later, longer, shorter, other, unmarked}) {
    spit_sealed(dir / "a.h5", with_end(good, end));
    EXPECT_EQ(difference(load_file(dir / "a.h5"), tree), "");
    EXPECT_TRUE(is_described_well(dir / "a.h5"));
  }
}

TEST(Checkpoint, LongTextsAreNotStoredTwice) {
  Folder dir;
  const Item tree = map_of({{"a", std::string(3 << 20, 'x')}});
  save_file(tree, dir / "a.h5");
  EXPECT_LT(slurp(dir / "a.h5").size(), size_t(4) << 20);
  EXPECT_EQ(difference(load_file(dir / "a.h5"), tree), "");
}

// The seal computes it in pieces, by the processor's widest instructions.
TEST(Checkpoint, TheSealsDigestIsThatOfXxhash) {
  Folder dir;
  for (const int64_t n : {1, 1000, 1'000'003}) {
    save_file(map_of({{"x", counted({n}, Dtype::u8)}, {"y", counted({n})}}), dir / "a.h5");
    const std::string bytes = slurp(dir / "a.h5").substr(512);
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes.data(), bytes.size()));
    std::string hex;
    for (unsigned char c : digest.digest) hex += fmt::format("{:02x}", c);
    EXPECT_EQ(inspect(dir / "a.h5").digest, hex);
  }
}

TEST(Checkpoint, ASymbolicLinkIsFollowed) {
  Folder dir;
  std::filesystem::create_directory(dir / "sub");
  ASSERT_EQ(symlink("sub/real.h5", (dir / "link.h5").c_str()), 0);
  ASSERT_EQ(symlink("link.h5", (dir / "link2.h5").c_str()), 0);
  for (int i : {1, 2}) {  // the first time the link leads nowhere yet
    save_file(Item(i), dir / "link2.h5");
    EXPECT_TRUE(std::filesystem::is_symlink(dir / "link2.h5") && std::filesystem::is_symlink(dir / "link.h5"));
    EXPECT_EQ(*load_file(dir / "sub/real.h5").as<int64_t>(), i);
  }
  ASSERT_EQ(symlink("loop", (dir / "loop").c_str()), 0);
  EXPECT_EQ(failure([&] { save_file(Item(1), dir / "loop"); }).code, 1);
}

TEST(Checkpoint, TheModeOfTheOldFileIsKept) {
  Folder dir;
  save_file(Item(1), dir / "a.h5");
  ASSERT_EQ(chmod((dir / "a.h5").c_str(), 0640), 0);
  save_file(Item(2), dir / "a.h5");
  struct stat s;
  ASSERT_EQ(stat((dir / "a.h5").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
}

TEST(Checkpoint, RotationKeepsTheOneBefore) {
  Folder dir;
  for (int i = 1; i <= 3; ++i) {
    save_rotating(map_of({{"step", i}}), dir.path);
    EXPECT_EQ(*load_file(dir / "last.h5").as<Map>()->find("step")->as<int64_t>(), i);
    if (i > 1) { EXPECT_EQ(*load_file(dir / "prev.h5").as<Map>()->find("step")->as<int64_t>(), i - 1); }
  }
  EXPECT_EQ(dir.count(), 2);
}

TEST(Checkpoint, ThreadsTakeTurns) {
  Folder dir;
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::string path = dir / std::to_string(i);
      for (int round = 0; round < 5; ++round) {
        Item item = map_of({{"x", counted({i + 1, 100})}, {"round", round}});
        save_file(item, path);
        good += difference(item, load_file(path)).empty();
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(good, 20);
}

TEST(Checkpoint, LoadsToTheDeviceThatIsAsked) {
  Folder dir;
  save_file(map_of({{"x", counted({2, 3})}}), dir / "a.h5");
  Item back = load_file(dir / "a.h5", &device("meta"));
  const Tensor& t = *back.as<Map>()->find("x")->as<Tensor>();
  EXPECT_EQ(describe(t), "meta float32[2, 3]");
  Failure f = failure([&] { save_file(map_of({{"model", map_of({{"x", t}})}}), dir / "b.h5"); });
  EXPECT_TRUE(contains(f.text, "/model/x") && contains(f.text, "no data") && contains(f.text, "b.h5")) << f.text;
  EXPECT_EQ(dir.count(), 1);
}

// More plain values than HDF5 takes as attributes, of every kind, in their order, beside others.
Map many_values(int n) {
  Map m;
  for (int i = 0; i < n; ++i) {
    const std::string name = fmt::format("key {}", i);
    const Item items[] = {i, i / 2., i % 3 == 0, fmt::format("text {}", i) + std::string(1, '\0'), "", Item()};
    m.add(i % 7 ? Key(name) : Key(int64_t(i)), items[i % 6]);
    if (i % 5000 == 0) m.add(name + " of others", i % 10000 ? Item(counted({2})) : Item(map_of({{"deep", i}})));
  }
  return m;
}

TEST(Checkpoint, ManyValues) {
  Folder dir;
  List mixed, lists;
  for (int i = 0; i < 70'000; ++i) {
    mixed.push_back(i % 2 ? Item(i) : Item(std::to_string(i)));
    lists.push_back(List{i, i + 1});
  }
  for (const Item& tree : {Item(many_values(70'000)), Item(mixed), Item(map_of({{"deep", many_values(10'020)}})),
                           Item(map_of({{"deep", mixed}})), Item(map_of({{"lists", lists}}))}) {
    save_file(tree, dir / "a.h5");
    EXPECT_EQ(difference(load_file(dir / "a.h5"), tree), "");
  }
}

TEST(Checkpoint, ManyValuesThatDoNotFit) {
  Folder dir;
  const Map good = to_columns(many_values(100));
  EXPECT_EQ(difference(from_columns(good), many_values(100)), "");
  for (const Map::Entry& left_out : good) {
    Map bad;
    for (const Map::Entry& e : good)
      if (&e != &left_out) bad.add(e.key, e.value);
    const bool still_a_list = std::get<std::string>(left_out.key) == "names";
    EXPECT_EQ(failure([&] { from_columns(bad); }).code, still_a_list ? 0 : 5) << key_text(left_out.key);
    bad.add(left_out.key, counted({5}, Dtype::f32));
    EXPECT_EQ(failure([&] { from_columns(bad); }).code, 5) << key_text(left_out.key);
  }
  Map type = good;
  Tensor types = counted({good.find("types")->as<Tensor>()->numel()}, Dtype::u8);
  type.set("types", types);
  EXPECT_EQ(failure([&] { from_columns(type); }).code, 5);
}

// Files of every version stay readable.
TEST(Checkpoint, FilesOfEachVersion) {
  const std::string data = LUTH_SOURCE_DIR "/tests/data/version";
  EXPECT_EQ(*load_file(data + "1.h5").as<Map>()->find("step")->as<int64_t>(), 7);
  EXPECT_EQ(load_file(data + "2.h5").as<Map>()->kind, "module");
  const Item three = load_file(data + "3.h5");
  EXPECT_EQ(*three.as<Map>()->find("k10001")->as<int64_t>(), 10001);
}

}  // namespace
}  // namespace luth::io
