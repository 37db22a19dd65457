// `luth new`: the recipe that it writes for some data trains on them, evaluates and predicts.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

class New : public ::testing::Test {
 protected:
  Result luth(const std::vector<std::string>& words) { return run_in(dir_, words); }
  // Images of a folder for each of `counts` classes, whose brightest channel is that of the class.
  void images(const std::string& root, const std::vector<std::string>& counts, int channels) {
    dir_.write("draw.lua", R"lua(
local root, channels = arg[1], tonumber(arg[2])
for c = 1, #arg - 2 do
  local folder = string.format('%s/c%d', root, c)
  os.execute('mkdir -p "' .. folder .. '"')
  for i = 1, tonumber(arg[c + 2]) do
    local x = torch.zeros({ channels, 20, 18 + i }, { dtype = torch.uint8 })
    x[1 + c % channels] = 80 * c
    data.write_image(x, string.format('%s/%d.png', folder, i))
  end
end
)lua");
    std::vector<std::string> words{"draw.lua", root, std::to_string(channels)};
    words.insert(words.end(), counts.begin(), counts.end());
    const Result r = luth(words);
    EXPECT_EQ(r.code, 0) << r.err;
  }
  TempDir dir_;
};

TEST_F(New, ImagesOfOneFolder) {
  images("it's", {"4", "12", "4"}, 3);
  Result r = luth({"new", "a", "--data", "it's/"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "wrote a.lua: 3 classes of images")) << r.err;
  const std::string text = read_file(dir_ / "a.lua");
  for (auto part : {"c1 (4), c2 (12), c3 (4)", "20 images below \"it's\"", "19 to 30 pixels wide and 20 high",
                    "weight = torch.tensor { 1.67, 0.556, 1.67 }", "random_split"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_EQ(luth({"check", "a.lua"}).out, "");
  r = luth({"train", "a.lua", "--epochs", "1", "--width", "4"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "val_accuracy")) << r.err;
  EXPECT_TRUE(has(luth({"predict", "runs/a-1", "it's/c2/1.png"}).out, "it's/c2/1.png  c"));
  r = luth({"new", "a.lua", "--data", "it's"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "a.lua exists; --force replaces it")) << r.err;
}

TEST_F(New, ImagesInParts) {
  for (auto part : {"x/train", "x/valid", "x/test"}) images(part, {"3", "3"}, 1);
  ASSERT_EQ(luth({"new", "g", "--kind", "image", "--data", "x"}).code, 0);
  const std::string text = read_file(dir_ / "g.lua");
  for (auto part : {", gray.", "'/train', changed", "'/valid', plain", "test = test", "channels = 1"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  const Result r = luth({"train", "g.lua", "--dry-run"});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(New, Tables) {
  std::string table = "size,colour,mood,price\n", half;
  for (int i = 0; i < 60; ++i)
    table += std::to_string(i % 7) + (i % 2 ? ",red," : ",blue,") + (i % 3 ? "good," : "bad,") +
             std::to_string(0.5 * (i % 7)) + "\n";
  dir_.write("train.csv", table), dir_.write("test.csv", table);
  Result r = luth({"new", "n", "--data", "train.csv"});
  EXPECT_TRUE(has(r.err, "wrote n.lua: a regression of price")) << r.err;
  const std::string text = read_file(dir_ / "n.lua");
  for (auto part : {"60 rows in 'train.csv', with 1 column of numbers and 2 of categories.", "test = { 'test.csv'"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_EQ(luth({"check", "n.lua"}).out, "");
  r = luth({"train", "n.lua", "--epochs", "2"});
  EXPECT_TRUE(has(r.err, "val_r2")) << r.err;
  // classes, of texts and of numbers
  r = luth({"new", "c", "--data", "train.csv", "--target", "mood"});
  EXPECT_TRUE(has(r.err, "2 classes of mood")) << r.err;
  r = luth({"train", "c.lua", "--epochs", "4"});
  EXPECT_TRUE(has(r.err, "val_accuracy")) << r.err;
  r = luth({"new", "d", "--kind", "tabular", "--data", "train.csv", "--target", "size"});
  EXPECT_TRUE(has(r.err, "7 classes of size")) << r.err;
  EXPECT_EQ(luth({"train", "d.lua", "--dry-run"}).code, 0);
  r = luth({"new", "e", "--kind", "regression", "--data", "train.csv", "--target", "mood"});
  EXPECT_TRUE(has(r.err, "the column 'mood' holds texts")) << r.err;
  // what it predicts needs no target
  dir_.write("few.csv", "mood,price,size,colour\n?,1,3,red\n,,,\n");
  r = luth({"predict", "runs/c-1", "few.csv", "--top", "2"});
  EXPECT_TRUE(r.out.starts_with("few.csv:1  ") && has(r.out, "good 0.") && has(r.out, "bad 0.") && lines(r.out) == 2)
      << r.out << r.err;
  r = luth({"predict", "runs/n-1", "few.csv"});
  double price = 0;
  EXPECT_EQ(sscanf(r.out.c_str(), "few.csv:1  %lf\nfew.csv:2  ", &price), 1) << r.out << r.err;
}

// A target whose values are far from 0 and 1 is learned like any other.
TEST_F(New, TargetsOfAnySize) {
  std::string table = "size,price\n";
  for (int i = 0; i < 200; ++i) table += std::to_string(i % 40) + "," + std::to_string(500000 + 1000 * (i % 40)) + "\n";
  dir_.write("homes.csv", table);
  ASSERT_EQ(luth({"new", "n", "--data", "homes.csv"}).code, 0);
  ASSERT_EQ(luth({"train", "n.lua", "--quiet"}).code, 0);
  const Result r = luth({"eval", "runs/n-1", "--require", "r2=0.9"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
}

TEST_F(New, LinesOfJson) {
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows +=
        R"({"size": )" + std::to_string(i % 7) + (i % 2 ? R"(, "colour": "red"})" : R"(, "colour": "blue"})") + "\n";
  dir_.write("x.jsonl", rows);
  Result r = luth({"new", "j", "--data", "x.jsonl", "--target", "colour"});
  EXPECT_TRUE(has(r.err, "wrote j.lua: 2 classes of colour")) << r.err;
  EXPECT_EQ(luth({"train", "j.lua", "--epochs", "1"}).code, 0);
  EXPECT_TRUE(luth({"predict", "runs/j-1", "x.jsonl"}).out.starts_with("x.jsonl:1  "));
  // the last key of the file is the target, not the last name
  EXPECT_TRUE(has(luth({"new", "k", "--data", "x.jsonl"}).err, "wrote k.lua: 2 classes of colour"));
}

TEST_F(New, Text) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "The cat sat on the mat.\n";
  dir_.write("t.txt", text);
  Result r = luth({"new", "t", "--data", "t.txt"});
  EXPECT_TRUE(has(r.err, "wrote t.lua: a language model of characters")) << r.err;
  EXPECT_EQ(luth({"check", "t.lua"}).out, "");
  r = luth({"train", "t.lua", "--epochs", "3", "--width", "16", "--layers", "1", "--dropout", "0", "--lr", "0.03"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "val_perplexity") && has(r.err, "  The cat sat on t")) << r.err;
  r = run({"predict", "runs/t-1", "-"}, {.in = "The ca\n\nThe cat sa", .dir = dir_.path()});
  EXPECT_TRUE(r.out.starts_with("stdin:1  \"") && has(r.out, "\nstdin:3  \"")) << r.out << r.err;
}

TEST_F(New, WrongWords) {
  images("one", {"2"}, 3);
  auto refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"new", "n"});
    const Result r = luth(words);
    EXPECT_NE(r.code, 0) << part;
    EXPECT_TRUE(has(r.err, part)) << r.err;
  };
  refused({}, "luth new needs --data PATH");
  refused({"--data", "nowhere"}, "--data: there is no 'nowhere'");
  dir_.write("x.db", "SQLite format 3" + std::string(85, '\0'));
  refused({"--data", "x.db"}, "data.SQLite reads it in a recipe");
  for (auto name : {"pipe", "pipe.csv"}) {
    ASSERT_EQ(mkfifo((dir_ / name).c_str(), 0600), 0);
    const Result r = run({"new", "n", "--data", name}, {.dir = dir_.path(), .timeout = 20});
    EXPECT_FALSE(r.timed_out) << name;
    EXPECT_NE(r.code, 0) << name;
  }
  for (auto name : {"", "one/"}) {
    const Result r = luth({"new", name, "--data", "one"});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, "luth new needs a name for the recipe")) << r.err;
  }
  refused({"--data", "one", "--kind", "imge"}, "did you mean 'image'?");
  refused({"--data", "one", "--kind", "text"}, "--kind text takes a file, and 'one' is a folder");
  refused({"--data", "x.db", "--kind", "image"}, "data.SQLite");
  dir_.write("empty.txt", "");
  refused({"--data", "empty.txt"}, "--data: 'empty.txt' is empty");
  dir_.write("words.txt", "words");
  refused({"--data", "words.txt", "--kind", "image"},
          "--kind image takes a folder of images, and 'words.txt' is a file");
  refused({"--data", "one"}, "'one' has one class, 'c1'");
  dir_.write("one/c2/1.png", "no image");
  refused({"--data", "one"}, "one/c2/1.png");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "n.lua"));
}

}  // namespace
}  // namespace luth::testing
