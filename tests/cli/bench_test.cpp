// `luth bench`: its lines, its choice of workloads, and workloads that measure themselves.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const std::string& filter) {
  const Result r = run({"bench", "--json", "--threads", "1", "--seconds", "0", "--filter", filter});
  EXPECT_EQ(r.code, 0) << filter << "\n" << r.err << r.out;
  std::vector<Json> lines;
  std::istringstream in(r.out);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}
Json line_of(const std::string& name) {
  const auto lines = lines_of("^" + name + "$");
  EXPECT_EQ(lines.size(), 1u) << name;
  return lines.empty() ? Json() : lines[0];
}

// Small ones of each kind: statements, kernels, passes, training steps.
TEST(Bench, LinesHaveTheirFields) {
  const auto lines =
      lines_of("^overhead/(?!chain|function)|elementwise/.*/64Ki$|sgemm/64$|randn_1Ki|train/mlp_b8|infer/(mlp|lenet5)");
  EXPECT_GT(lines.size(), 40u);
  for (auto& line : lines) {
    for (auto field : {"value", "best", "min", "median"}) EXPECT_GT(line.value(field, 0.0), 0) << line << "\n" << field;
    EXPECT_GE(line.value("n", 0), 5) << line;
    EXPECT_LE(line.value("min", 1e9), line.value("median", 0.0)) << line;
    EXPECT_EQ(line.value("peer", ""), "luth");
    EXPECT_EQ(line.value("threads", 0), 1);
    EXPECT_EQ(line.value("device", ""), "cpu");
    const std::string name = line.value("name", "");
    EXPECT_EQ(line.contains("GB/s"), name.starts_with("elementwise") || name.starts_with("random")) << line;
  }
}

TEST(Bench, ValuesAreOfTheMedian) {
  const Json time = line_of("overhead/add10"), rate = line_of("matmul/sgemm/64");
  EXPECT_NEAR(time.value("value", 0.0), time.value("median", 0.0) * 1e9, 1e-3);
  EXPECT_NEAR(rate.value("value", 0.0), 2e-9 * 64 * 64 * 64 / rate.value("median", 1.0), 1e-3);
}

TEST(Bench, WholeRuns) {
  const Json file = line_of("io/load_h5py_touched");
  EXPECT_EQ(file.value("n", 0), 5);
  EXPECT_NEAR(file.value("value", 0.0), 44.675328 / file.value("median", 1.0), 1e-3);
  EXPECT_EQ(line_of("io/save_safetensors").value("n", 0), 5);
  EXPECT_EQ(line_of("data/mnist_dataloader_w2").value("n", 0), 3);
  const Json start = line_of("process/start_first_add");
  EXPECT_EQ(start.value("out", ""), "6.0");
  EXPECT_GT(start.value("rss_mb", 0.0), 5);
  if (!address_sanitizer) { EXPECT_LT(start.value("rss_mb", 1e9), 200); }
  EXPECT_GT(line_of("process/installed_size").value("value", 0.0), 10);
}

TEST(Bench, FilesOfImages) {
  const Json line = line_of("data/jpeg_folder_w0");
  if (line.contains("error") && has(line.value("error", ""), "libturbojpeg")) GTEST_SKIP() << "no decoder of JPEG";
  EXPECT_EQ(line.value("n", 0), 2) << line.dump();
}

TEST(Bench, FilterIsARegularExpression) {
  EXPECT_EQ(run({"bench", "--list", "--filter", "^optim/adamw?$"}).out, "optim/adam\noptim/adamw\n");
  Result r = run({"bench", "--list", "--filter", "("});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "'(' is no regular expression")) << r.err;
  r = run({"bench", "--list", "--filter", "nothing_like_it"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--list prints them")) << r.err;
}

}  // namespace
}  // namespace luth::testing
