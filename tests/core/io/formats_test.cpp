// .safetensors, .npy and .npz, and the choice of the format.
#include <gtest/gtest.h>

#include <ctime>

#include "core/io/checkpoint.h"
#include "core/io/files.h"
#include "core/io/rows.h"
#include "tests/core/io/io_util.h"

namespace luth::io {
namespace {

using namespace testing;

const std::string data = LUTH_SOURCE_DIR "/tests/data/";

Map every_dtype(bool with_bf16) {
  Map m;
  for (int d = 0; d < dtype_count; ++d)
    if (with_bf16 || Dtype(d) != Dtype::bf16) m.add(std::string(name(Dtype(d))), counted({3, 5}, Dtype(d)));
  Tensor x = counted({4, 6});
  m.add("turned", Tensor::alias(x.storage(), {6, 4}, {1, 6}, 0, Dtype::f32));
  m.add("scalar", counted({}));
  m.add("empty", counted({0, 3}));
  m.add("key with \"quotes\" é", counted({1}));
  return m;
}

TEST(Formats, RoundTripBySuffix) {
  Folder dir;
  for (const char* name : {"a.h5", "a.safetensors", "a.SafeTensors", "a.npz", "a.NPZ", "a", "a.pt"}) {
    Map m = every_dtype(!contains(name, "np") && !contains(name, "NP"));
    save(m, dir / name);
    EXPECT_EQ(difference(load(dir / name), m), "") << name;
    std::filesystem::rename(dir / name, dir / "other");  // the contents say what it is
    EXPECT_EQ(difference(load(dir / "other"), m), "") << name;
  }
  EXPECT_TRUE(inspect(dir / "other").present);
  for (const Map::Entry& e : every_dtype(false)) {
    save(e.value, dir / "a.npy");
    EXPECT_EQ(difference(load(dir / "a.npy"), e.value), "");
  }
  EXPECT_EQ(dir.count(), 2);
}

TEST(Formats, EmptyTables) {
  Folder dir;
  for (const char* name : {"a.safetensors", "a.npz"}) {
    save(Map(), dir / name);
    EXPECT_EQ(difference(load(dir / name), Map()), "") << name;
  }
}

TEST(Formats, FilesOfNumPy) {
  Item fortran = load(data + "fortran.npy");
  EXPECT_EQ(difference(fortran, counted({2, 3, 4})), "");
  Item packed = load(data + "packed.npz");
  const Map& m = *packed.as<Map>();
  EXPECT_EQ(difference(*m.find("a"), counted({4, 6})), "");
  EXPECT_TRUE(m.find("b")->as<Tensor>()->data<bool>()[0]);
  EXPECT_EQ(m.find("c")->as<Tensor>()->item().value(), 0.5);
  Item plain = load(data + "plain.npz");
  EXPECT_EQ(difference(*plain.as<Map>()->find("a"), counted({24}, Dtype::i64)), "");
  EXPECT_EQ(describe(*plain.as<Map>()->find("e")->as<Tensor>()), "float16[0, 3]");
}

TEST(Formats, WhatTheyCannotHold) {
  Folder dir;
  auto text = [&](const Item& item, const char* name) {
    Failure f = failure([&] { save(item, dir / name); });
    EXPECT_EQ(f.code, 1) << name;
    EXPECT_TRUE(contains(f.text, dir / name)) << f.text;
    return f.text;
  };
  for (const char* name : {"a.safetensors", "a.npz"})
    for (const Item& item : {Item(counted({1})), Item(map_of({{"a", 1}})), Item(map_of({{1, counted({1})}})), Item()})
      EXPECT_TRUE(contains(text(item, name), "one table of tensors"));
  EXPECT_TRUE(contains(text(Map(), "a.npy"), "one tensor"));
  EXPECT_TRUE(contains(text(counted({1}, Dtype::bf16), "a.npy"), "no bfloat16"));
  EXPECT_TRUE(contains(text(map_of({{"\xff", counted({1})}}), "a.safetensors"), "UTF-8"));
  EXPECT_EQ(dir.count(), 0);
}

// Whatever is cut off is noticed; whatever is changed is noticed or gives other values, and never more than that.
TEST(Formats, Damage) {
  Folder dir;
  Map m = map_of({{"x", counted({3, 2})}, {"y", counted({4}, Dtype::boolean)}});
  save(m, dir / "a.safetensors");
  save(m, dir / "a.npz");
  save(*m.find("x"), dir / "a.npy");
  for (std::string file :
       {dir / "a.safetensors", dir / "a.npz", dir / "a.npy", data + "packed.npz", data + "fortran.npy"}) {
    std::string good = slurp(file);
    spit(dir / "b", good);
    std::fstream patch(dir / "b", std::ios::in | std::ios::out | std::ios::binary);
    for (size_t i = 0; i < good.size(); ++i) {
      patch.seekp(std::streamoff(i)).put(char(good[i] ^ (1 << i % 8))).flush();
      Failure f = failure([&] { load(dir / "b"); });
      ASSERT_TRUE(f.code == 0 || f.code == 5) << file << " " << i << " " << f.text;
      patch.seekp(std::streamoff(i)).put(good[i]).flush();
    }
    for (size_t n = good.size(); n-- > 0;) {
      std::filesystem::resize_file(dir / "b", n);
      Failure f = failure([&] { load(dir / "b"); });
      ASSERT_EQ(f.code, 5) << file << " " << n;
      ASSERT_TRUE(contains(f.text, dir / "b")) << f.text;
    }
    spit(dir / "b", good + std::string(3, 'x'));
    EXPECT_TRUE(failure([&] { load(dir / "b"); }).code == 5 || file.ends_with("npz")) << file;
  }
}

TEST(Formats, SafetensorsHeaders) {
  Folder dir;
  auto text = [&](const std::string& header, size_t bytes) {
    std::string file(8, '\0');
    file[0] = char(header.size() & 255), file[1] = char(header.size() >> 8);
    spit(dir / "a", file + header + std::string(bytes, '\1'));
    Failure f = failure([&] { load(dir / "a"); });
    EXPECT_TRUE(f.code == 0 || f.code == 5);
    return f.text;
  };
  auto one = [](const char* dtype, const char* shape, const char* offsets) {
    return fmt::format(R"({{"x":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
  };
  EXPECT_EQ(text(one("F32", "[2]", "[0,8]"), 8), "");
  EXPECT_EQ(text(R"({"__metadata__":{"format":"pt"}})", 0), "");
  EXPECT_TRUE(contains(text(one("F32", "[3]", "[0,8]"), 8), "does not fit"));
  EXPECT_TRUE(contains(text(one("F32", "[2]", "[0,8]"), 7), "does not fit"));
  EXPECT_TRUE(contains(text(one("F32", "[2]", "[0,8]"), 9), "follow"));
  EXPECT_TRUE(contains(text(one("F32", "[1]", "[4,8]"), 8), "does not fit"));
  EXPECT_TRUE(contains(text(one("F32", "[4611686018427387904,4611686018427387904]", "[0,8]"), 8), "does not fit"));
  EXPECT_TRUE(contains(text(one("F32", "[0,4611686018427387904,4]", "[0,0]"), 0), "does not fit"));
  EXPECT_TRUE(contains(text(one("F8_E4M3", "[8]", "[0,8]"), 8), "F8_E4M3"));
  EXPECT_TRUE(contains(text(one("F32", "[-2]", "[0,8]"), 8), "damaged"));
  EXPECT_TRUE(contains(text(one("F32", "2", "[0,8]"), 8), "damaged"));
  EXPECT_TRUE(contains(text(one("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), 8), "8 dims"));
  EXPECT_TRUE(contains(text("{not json", 8), "damaged"));
  EXPECT_TRUE(contains(text(R"({"x":5})", 0), "damaged"));
  EXPECT_TRUE(contains(text(one("F32", "[2]", "[0,8,8]"), 8), "damaged"));
  EXPECT_TRUE(contains(text(one("F32", "[2]", "[0,8],\"more\":1"), 8), "damaged"));
  EXPECT_TRUE(contains(text(one("F32", "[[2]]", "[0,8]"), 8), "nests arrays"));
  EXPECT_TRUE(contains(text(R"({"__metadata__":{"format":1}})", 0), "no text"));
}

// Twice the same name, and headers above the format's own limit.
TEST(Formats, SafetensorsKeysAndLengths) {
  Folder dir;
  auto text = [&](uint64_t length, const std::string& header) {
    std::string file(8, '\0');
    for (int i = 0; i < 8; ++i) file[size_t(i)] = char(length >> (8 * i));
    spit(dir / "a", file + header);
    const Failure f = failure([&] { load(dir / "a"); });
    EXPECT_EQ(f.code, 5);
    return f.text;
  };
  const std::string empty = R"("x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  for (const std::string& header :
       {"{" + empty + "," + empty + "}", std::string(R"({"__metadata__":{},"__metadata__":{}})"),
        std::string(R"({"__metadata__":{"a":"b","a":"c"}})"),
        std::string(R"({"x":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}})")})
    EXPECT_TRUE(contains(text(header.size(), header), "twice")) << header;
  EXPECT_TRUE(contains(text(100'000'001, "{}"), "the format allows 100000000"));
  std::string dims = "1";  // which would make a tree of many times their size
  for (int i = 0; i < 1000; ++i) dims += ",1";
  const std::string wide = R"({"x":{"dtype":"F32","shape":[)" + dims + R"(],"data_offsets":[0,4]}})";
  EXPECT_TRUE(contains(text(wide.size(), wide), "more than 8 dims"));
}

// Processor seconds to save and load that many names.
double seconds_for(const std::string& path, int names) {
  const std::clock_t start = std::clock();
  Map m;
  for (int i = 0; i < names; ++i)
    m.set(fmt::format("a name of some length {}", i), Tensor::empty({0}, Dtype::f32, host()));
  save(m, path);
  const Item back = load(path);
  EXPECT_EQ(back.as<Map>()->size(), size_t(names));
  EXPECT_NE(back.as<Map>()->find(fmt::format("a name of some length {}", names - 1)), nullptr);
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

// Eight times the names take about eight times as long, and 64 times where each is looked for among all.
TEST(Formats, ManyNames) {
  Folder dir;
  for (const char* file : {"a.safetensors", "a.npz"}) {
    seconds_for(dir / file, 1000);
    EXPECT_LT(seconds_for(dir / file, 32'000) / seconds_for(dir / file, 4'000), 32) << file;
  }
}

TEST(Formats, NpyHeaders) {
  Folder dir;
  auto text = [&](const std::string& dict, size_t bytes) {
    std::string head("\x93NUMPY\x01\0", 8);
    head += char(dict.size());
    spit(dir / "a", head + '\0' + dict + std::string(bytes, '\1'));
    const Failure f = failure([&] { load(dir / "a"); });
    EXPECT_TRUE(f.code == 0 || f.code == 5);
    return f.text;
  };
  auto dict = [](const char* descr, const char* order, const char* shape) {
    return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
  };
  EXPECT_EQ(text(dict("'<f4'", "False", "(2, 3)"), 24), "");
  EXPECT_EQ(text(dict("'|u1'", "True", "(2,3,)"), 6), "");
  EXPECT_EQ(text(dict("'|u1'", "False", "()"), 1), "");
  EXPECT_EQ(text("{'shape':(3,),\"descr\":'|u1','fortran_order':False}", 3), "");
  for (const std::string& bad :
       {dict("'|u1'", "Truely", "(2, 3)"), dict("'|u1'", "False", "(2 3)"), dict("'|u1'", "False", "(6)"),
        dict("'|u1'", "False", "(06,)"), dict("'|u1'", "False", "(2,,3)"), dict("'|u1'", "False", "(,6)"),
        dict("'|u1'", "0", "(6,)"), dict("'|u1'", "False", "(6,), 'shape': (6,)"),
        dict("'|u1'", "False", "(6,), 'more': (6,)"), dict("'|u1'", "False", "(6,)") + "x",
        std::string("{'descr': '|u1', 'shape': (6,)}"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (6,)")})
    EXPECT_NE(text(bad, 6), "") << bad;
}

// Unsigned integers become the next larger ones, in both byte orders, also where rows are read from the file.
TEST(Formats, UnsignedNumPy) {
  Folder dir;
  const auto read = [&](const char* descr, const char* fortran, const std::string& bytes) {
    const std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': (2, 1)}}\n", descr, fortran);
    spit(dir / "a", std::string("\x93NUMPY\x01\0", 8) + char(dict.size()) + '\0' + dict + bytes);
    const Tensors rows = RowsFile(dir / "a", {}).batch(std::vector<int64_t>{0, 1}, 0);
    EXPECT_EQ(difference(rows[0], load(dir / "a")), "") << descr;
    return load(dir / "a");
  };
  const auto two = [](Dtype dtype, int64_t a, int64_t b) {
    Tensor t = Tensor::empty({2, 1}, dtype, host());
    if (dtype == Dtype::i32)
      t.data<int32_t>()[0] = int32_t(a), t.data<int32_t>()[1] = int32_t(b);
    else
      t.data<int64_t>()[0] = a, t.data<int64_t>()[1] = b;
    return Item(t);
  };
  const std::string ones(8, '\xff'), zeros(8, '\0');
  for (const char* fortran : {"False", "True"}) {
    EXPECT_EQ(difference(read("<u2", fortran, "\xff\xff\x01\x80"), two(Dtype::i32, 65535, 32769)), "");
    EXPECT_EQ(difference(read(">u2", fortran, "\xff\xfe\x80\x01"), two(Dtype::i32, 65534, 32769)), "");
    EXPECT_EQ(difference(read("<u4", fortran, ones.substr(4) + "\1" + zeros.substr(5)), two(Dtype::i64, 4294967295, 1)),
              "");
    EXPECT_EQ(difference(read(">u8", fortran, zeros.substr(4) + ones.substr(4) + "\x7f" + ones.substr(1)),
                         two(Dtype::i64, 4294967295, INT64_MAX)),
              "");
  }
  const Failure f = failure([&] { read("<u8", "False", zeros + zeros.substr(1) + "\x80"); });
  EXPECT_TRUE(f.code == 5 && contains(f.text, "2^63")) << f.text;
}

// An archive whose entries are one place in the file, and one whose end counts fewer entries than it has.
TEST(Formats, HostileArchives) {
  const Failure bomb = failure([&] { load(data + "hostile/overlap_bomb.npz"); });
  EXPECT_EQ(bomb.code, 5);
  EXPECT_TRUE(contains(bomb.text, "overlap_bomb.npz")) << bomb.text;
  Folder dir;
  save(map_of({{"x", counted({100})}, {"y", counted({3})}}), dir / "a.npz");
  const std::string good = slurp(dir / "a.npz");
  for (char count : {0, 1, 3}) {
    std::string bad = good;
    bad[bad.size() - 12] = bad[bad.size() - 14] = count;
    spit(dir / "a.npz", bad);
    EXPECT_EQ(failure([&] { load(dir / "a.npz"); }).code, 5) << int(count);
  }
  spit(dir / "a.npz", good);
  LoadOptions bounded;
  bounded.max_bytes = 500;
  const Failure f = failure([&] { load(dir / "a.npz", bounded); });
  EXPECT_TRUE(f.code == 5 && contains(f.text, "more than 500 bytes")) << f.text;
  save(counted({200}), dir / "a.npy");
  save(map_of({{"x", counted({200})}}), dir / "a.safetensors");
  for (const char* name : {"a.npy", "a.safetensors"}) EXPECT_EQ(failure([&] { load(dir / name, bounded); }).code, 5);
  bounded.max_bytes = 5000;
  for (const char* name : {"a.npy", "a.npz", "a.safetensors"})
    EXPECT_EQ(failure([&] { load(dir / name, bounded); }).code, 0) << name;
}

// Tensors over the pages of the file; those that cannot be are read: booleans, and what lies at odd places.
TEST(Formats, MappedSafetensors) {
  const Folder dir;
  const std::string path = dir / "a.safetensors";
  const Map saved = map_of({{"a", counted({3}, Dtype::u8)},
                            {"b", counted({2, 3})},
                            {"c", counted({4}, Dtype::boolean)},
                            {"d", counted({0})},
                            {"e", counted({5}, Dtype::i64)}});
  save(saved, path);
  const std::string bytes = slurp(path);
  LoadOptions mapped;
  mapped.mmap = true;
  const Item loaded = load(path, mapped);
  EXPECT_EQ(difference(loaded, load(path)), "");
  for (const Map::Entry& e : *loaded.as<Map>())
    if (const Tensor& t = *e.value.as<Tensor>(); t.numel()) std::memset(t.raw(), 1, t.bytes());
  EXPECT_EQ(slurp(path), bytes) << "a write reached the file";
  mapped.max_bytes = 20;
  EXPECT_EQ(failure([&] { load(path, mapped); }).code, 5);
  mapped.max_bytes = 0;
  const Item before = load(path, mapped);
  save(map_of({{"b", counted({1})}}), path);
  EXPECT_EQ(difference(before, saved), "");
  save(saved, dir / "a.npz");
  const Failure f = failure([&] { load(dir / "a.npz", mapped); });
  EXPECT_TRUE(f.code == 5 && contains(f.text, "mmap = true is for .safetensors files")) << f.text;
}

TEST(Formats, MappedFilesThatBecomeShorter) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer takes SIGBUS itself";
#endif
  const Folder dir;
  const std::string path = dir / "a.safetensors";
  save(map_of({{"x", counted({1 << 20})}}), path);
  const auto use = [&] {
    LoadOptions mapped;
    mapped.mmap = true;
    const Item loaded = load(path, mapped);
    std::filesystem::resize_file(path, 4096);
    const Tensor& x = *loaded.as<Map>()->find("x")->as<Tensor>();
    _exit(int(x.data<float>()[x.numel() - 1]));
  };
  EXPECT_EXIT(use(), ::testing::KilledBySignal(SIGBUS), "a mapped file has become shorter");
}

// The directory of an archive that takes no space on the disk.
TEST(Formats, DirectoriesLargerThanTheMemory) {
  const uint64_t size = uint64_t(8) << 40;
  const auto number = [](uint64_t v) { return std::string(reinterpret_cast<const char*>(&v), sizeof v); };
  const std::string record = "PK\x06\x06" + std::string(28, '\0') + number(size / 46) + number(size) + number(0),
                    locator = "PK\x06\x07" + std::string(4, '\0') + number(size) + std::string(4, '\0'),
                    end = "PK\x05\x06" + std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  const Folder dir;
  spit(dir / "a.npz", "PK\x01\x02");
  std::error_code sparse;
  std::filesystem::resize_file(dir / "a.npz", size, sparse);
  if (sparse) GTEST_SKIP() << "no file of 8 TB can be made here";
  std::ofstream(dir / "a.npz", std::ios::binary | std::ios::app) << record << locator << end;
  const Failure f = failure([&] { load(dir / "a.npz"); });
  EXPECT_EQ(f.code, int(ErrorCode::memory));
  EXPECT_TRUE(contains(f.text, "a.npz") && contains(f.text, "more than is left of memory")) << f.text;
}

// A .safetensors file of a header and `bytes` zeros.
std::string safetensors(const std::string& header, size_t bytes = 0) {
  std::string file(8, '\0');
  for (int i = 0; i < 8; ++i) file[size_t(i)] = char(header.size() >> (8 * i));
  return file + header + std::string(bytes, '\0');
}

// A tensor without elements takes ten times its description, and an array of one element five times.
TEST(Formats, ManySmallTensorsAreBounded) {
  Folder dir;
  std::string header = "{", comma;
  Map arrays;
  for (int i = 0; i < 20000; ++i) {
    header += std::exchange(comma, ",") + fmt::format(R"("{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", i);
    arrays.add(std::to_string(i), counted({1}, Dtype::u8));
  }
  spit(dir / "a.safetensors", safetensors(header + "}"));
  save(arrays, dir / "a.npz");
  for (const char* name : {"a.safetensors", "a.npz"}) {
    LoadOptions bounded;
    bounded.max_bytes = std::filesystem::file_size(dir / name);
    const Failure f = failure([&] { load(dir / name, bounded); });
    EXPECT_TRUE(f.code == 5 && contains(f.text, "more memory than max_bytes")) << name << ": " << f.text;
    bounded.max_bytes = 20'000'000;
    EXPECT_EQ(failure([&] { load(dir / name, bounded); }).code, 0) << name;
  }
}

// Who asks gets the texts, in the order of the file; a save writes them again.
TEST(Formats, MetadataIsKept) {
  Folder dir;
  const Map tensors = map_of({{"x", counted({2})}}),
            texts = map_of({{"format", "pt"}, {"a \"b\" é\n", ""}, {"", std::string(100'000, 't')}});
  save(tensors, dir / "a.safetensors", texts);
  EXPECT_EQ(difference(load(dir / "a.safetensors"), tensors), "");
  EXPECT_EQ(difference(metadata(dir / "a.safetensors"), texts), "");
  save(Map(), dir / "a.safetensors", texts);
  EXPECT_EQ(difference(metadata(dir / "a.safetensors"), texts), "");
  save(tensors, dir / "a.safetensors");
  save(tensors, dir / "a.h5");
  for (const char* name : {"a.safetensors", "a.h5"}) EXPECT_TRUE(metadata(dir / name).empty()) << name;
  for (const Map& bad : {map_of({{"a", 1}}), map_of({{1, "a"}}), map_of({{"a", "\xff"}})})
    EXPECT_EQ(failure([&] { save(tensors, dir / "b.safetensors", bad); }).code, 1);
  EXPECT_TRUE(contains(failure([&] { save(tensors, dir / "b.h5", texts); }).text, ".safetensors alone"));
  EXPECT_EQ(dir.count(), 2);
}

// Half a million short texts take more memory than luth keeps; the tensors beside them are read.
TEST(Formats, MetadataIsBounded) {
  Folder dir;
  std::string texts;
  for (int i = 0; i < 700'000; ++i) texts += fmt::format(R"({}"{}":"")", i ? "," : "", i);
  spit(dir / "a", safetensors(R"({"__metadata__":{)" + texts + "}}"));
  EXPECT_TRUE(load(dir / "a").as<Map>()->empty());
  const Failure f = failure([&] { metadata(dir / "a"); });
  EXPECT_TRUE(f.code == 5 && contains(f.text, "takes more than 67108864 bytes")) << f.text;
}

TEST(Formats, MetadataHasTextsAlone) {
  Folder dir;
  const std::string tensor = R"(,"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  auto text = [&](const std::string& metadata) {
    spit(dir / "a", safetensors(R"({"__metadata__":)" + metadata + tensor, 2));
    const Failure asked = failure([&] { io::metadata(dir / "a"); });
    const Failure f = failure([&] { EXPECT_EQ(load(dir / "a").as<Map>()->size(), 1u); });
    EXPECT_EQ(asked.text, f.text);
    return f.text;
  };
  for (const char* good : {"{}", R"({"a":"b"})", R"({"a":"b","c":""})"}) EXPECT_EQ(text(good), "") << good;
  EXPECT_TRUE(contains(text(R"({"a":"b","c":"","a":"b"})"), "twice"));
  for (const char* bad : {R"({"a":1})", R"({"a":{"b":"c"}})", R"({"a":["b"]})", R"({"a":null})"})
    EXPECT_TRUE(contains(text(bad), "no text")) << bad;
  for (const char* bad : {"1", "[]", R"("a")", R"(["a"])"}) EXPECT_NE(text(bad), "") << bad;
}

// Names of files and of what they hold are lines of at most 100 characters.
TEST(Formats, NamesInErrorsAreShort) {
  Folder dir;
  const std::string name = std::string(100'000, 'n') + "\\n";
  const std::string entry = "{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,9]}})";
  const std::string type = R"({"x":{"dtype":")" + name + R"(","shape":[1],"data_offsets":[0,1]}})";
  for (const std::string& header : {entry, type}) {
    spit(dir / "a", safetensors(header, 1));
    const Failure f = failure([&] { load(dir / "a"); });
    EXPECT_TRUE(f.code == 5 && f.text.size() < 400 && contains(f.text, "nnn…")) << f.text.size();
  }
  Map one;
  one.add("line\nmore" + std::string(10'000, 'n'), counted({1}));
  save(one, dir / "a.npz");
  std::string bytes = slurp(dir / "a.npz");
  bytes[bytes.find("PK\1\2") + 16] ^= 1;  // its checksum
  spit(dir / "a.npz", bytes);
  const Failure f = failure([&] { load(dir / "a.npz"); });
  EXPECT_TRUE(f.code == 5 && f.text.size() < 400 && contains(f.text, "line\\x0amore")) << f.text.size() << f.text;
}

}  // namespace
}  // namespace luth::io
