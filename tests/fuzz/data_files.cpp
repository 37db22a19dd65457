#include "tests/fuzz/data_files.h"

#include <filesystem>
#include <numeric>

#include "core/data/cifar.h"
#include "core/data/image_folder.h"
#include "core/data/table.h"
#include "core/io/rows.h"
#include "core/records/csv.h"
#include "core/records/json_lines.h"
#include "core/text/tokenizer.h"
#include "tests/core/io/io_util.h"

namespace luth::data {
namespace {

void read_all(Dataset& d) {
  std::vector<int64_t> all(size_t(std::min<int64_t>(d.size(), 1000)));
  std::iota(all.begin(), all.end(), 0);
  d.batch(all, {});
}

void read_table(Records& records, const std::string& target, const std::string& encode) {
  TableSpec spec;
  spec.target = {target};
  spec.encode = encode;
  TableDataset table(records, {}, spec);
  read_all(table);
  if (table.size() < 2) return;
  const std::vector<int64_t> half{0, 1};
  table.learn(half);
  read_all(table);
}

void csv(const std::string& path) { read_table(*read_csv(path), "price", "one_hot"); }
void tsv(const std::string& path) {
  CsvSpec spec;
  spec.delimiter = "\t";
  read_table(*read_csv(path, spec), "kind", "codes");
}
void json_lines(const std::string& path) { read_table(*read_json_lines(path), "y", "one_hot"); }
void images(const std::string& path) {
  ImageListSpec spec;
  spec.list = path;
  image_list(spec);
}
void cifar(const std::string& path) {
  const std::string folder = path + ".folder";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(path, folder + "/test.bin", std::filesystem::copy_options::overwrite_existing);
  CifarSpec spec;
  spec.root = folder;
  spec.train = false;
  const auto removed = [&] { std::filesystem::remove_all(folder); };
  try {
    read_all(*cifar100(spec));
  } catch (...) {
    removed();
    throw;
  }
  removed();
}

// What is read must encode and decode, or say why not; and what is written of it must be read again.
void tokenizer(const std::string& path) {
  const auto t = text::read_tokenizer(path);
  std::string again;
  try {
    text::tokenizer_from_json(t->to_json(false), "what was written");
  } catch (const Error& e) { again = e.what(); }
  if (!again.empty()) throw std::logic_error(again);
  t->decode(t->encode("It's na\u00efve, \U0001f600 <extra> [SEP] caf\u00e9\u0301 12", nullptr, true).ids, false);
}

std::string rows_of_numbers(const std::string& head, const std::string& row, int n) {
  std::string s = head;
  for (int i = 0; i < n; ++i) s += std::to_string(i) + row;
  return s;
}

}  // namespace

void read_rows(const std::string& path) {
  const io::RowsFile file(path, {});
  if (file.size() == 0) return;
  const std::vector<int64_t> ends{0, file.size() - 1};
  file.batch(ends, 1);
}

std::vector<DataSeed> data_seeds() {
  std::string records;
  for (int i = 0; i < 3; ++i) records += std::string(1, char(i)) + char(90 + i) + std::string(3072, char(i));
  std::vector<DataSeed> seeds{
      {"table.csv", rows_of_numbers("n,city,\"a \"\"b\"\"\",price\n", ",\"Rome, old\",NA,2.5e1\r\n", 20), csv},
      {"quotes.csv", rows_of_numbers("\xef\xbb\xbfn,text,price\n", ",\"two\nlines \"\"q\"\"\",-1\n", 20), csv},
      {"table.tsv", rows_of_numbers("n\tkind\n", "\tx\n7\ty\n", 20), tsv},
      {"rows.jsonl",
       "{\"x\": [1, 2.5], \"y\": \"a\", \"z\": {\"t\": true, \"u\": null}}\n{\"y\": \"b\", \"x\": [0, -3e4], \"w\": "
       "7, \"z\": {\"u\": 1}}\n",
       json_lines},
      {"images.csv", "path,label\na.png,dog\nb.png,\"cat\"\n", images},
      {"test.bin", records, cifar},
  };
  for (const char* name : {"gpt2", "llama3", "bert", "t5", "sentencepiece"}) {
    const std::string file = name + std::string(".json");
    seeds.push_back(
        {"tokenizer " + file, io::testing::slurp(LUTH_SOURCE_DIR "/tests/data/tokenizers/" + file), tokenizer});
  }
  return seeds;
}

}  // namespace luth::data
