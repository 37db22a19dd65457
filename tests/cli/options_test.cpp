// The table of options: --help, completion and the manual page name the same ones, all ways to write them are read, and
// what scripts, subcommands and recipes share takes effect by call.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/cli/train.h"

namespace luth::testing {
namespace {

using Names = std::set<std::string>;

const std::vector<std::string> subcommands{"bench",   "check",  "ckpt",    "completion", "data", "doctor",
                                           "eval",    "help",   "kernel",  "launch",     "lsp",  "new",
                                           "predict", "report", "summary", "train"};

// The long options in the lines of a help text that begin with one.
Names options_in(const std::string& help) {
  std::istringstream lines(help);
  Names names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  -h, ")) line = "  " + line.substr(6);
    if (line.starts_with("  --") && line.size() > 4 && line[4] != ' ')
      names.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

Names help_of(const std::string& subcommand) {
  const Result r = run({subcommand, "--help"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "Usage: luth " + subcommand)) << r.out;
  return options_in(r.out);
}

// What bash offers for the last of the words.
Names bash_offers(const std::string& script, const std::vector<std::string>& words) {
  TempDir dir;
  std::string list;
  for (auto& w : words) list += " '" + w + "'";
  dir.write("complete.sh", script + "\nCOMP_WORDS=(luth" + list + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                               "\n_luth\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  EXPECT_EQ(system(("cd '" + dir.path() + "' && bash complete.sh >out 2>&1").c_str()), 0);
  std::istringstream lines(read_file(dir / "out"));
  Names names;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) names.insert(line);
  return names;
}

TEST(Options, HelpCompletionAndManualNameTheSame) {
  const std::string bash = run({"completion", "bash"}).out, zsh = run({"completion", "zsh"}).out;
  const std::string fish = run({"completion", "fish"}).out, manual = run({"help", "--man"}).out;
  for (auto& subcommand : subcommands) {
    const Names names = help_of(subcommand);
    EXPECT_TRUE(names.count("--help") && names.count("--threads")) << subcommand;
    EXPECT_EQ(bash_offers(bash, {subcommand, "--"}), names) << subcommand;
    EXPECT_EQ(run({"help", subcommand}).out.empty(), false);
    const size_t section = manual.find(".SS luth " + subcommand);
    ASSERT_NE(section, std::string::npos) << subcommand;
    const std::string page = manual.substr(section, manual.find(".S", section + 4) - section);
    for (std::string name : names) {
      EXPECT_TRUE(has(zsh, "'" + name + ":")) << name;
      EXPECT_TRUE(has(fish, "__fish_seen_subcommand_from " + subcommand + "' -l " + name.substr(2) + " ")) << name;
      for (size_t at = 0; (at = name.find('-', at)) != name.npos; at += 2) name.replace(at, 1, "\\-");
      EXPECT_TRUE(has(page, "\\fB" + name + "\\fR")) << name;
    }
  }
  EXPECT_TRUE(help_of("train").count("--epochs"));  // of every recipe
  EXPECT_EQ(bash_offers(bash, {"--"}), options_in(run({"--help"}).out));
}

TEST(Options, CompletionOfWords) {
  const std::string bash = run({"completion", "bash"}).out;
  EXPECT_EQ(bash_offers(bash, {""}), Names(subcommands.begin(), subcommands.end()));
  EXPECT_EQ(bash_offers(bash, {"help", "c"}), (Names{"check", "ckpt", "completion"}));
  EXPECT_EQ(bash_offers(bash, {"completion", ""}), (Names{"bash", "zsh", "fish"}));
  EXPECT_EQ(bash_offers(bash, {"--device", ""}), (Names{"auto", "cpu", "cuda"}));
  EXPECT_EQ(bash_offers(bash, {"train", "r.lua", "--amp", "b"}), (Names{"bf16"}));
  EXPECT_EQ(bash_offers(bash, {"script.lua", "--"}), Names{});
  EXPECT_EQ(bash_offers(bash, {"eval", "comp"}), (Names{"complete.sh"}));
}

TEST(Options, ManualPage) {
  const std::string page = run({"help", "--man"}).out;
  EXPECT_TRUE(page.starts_with(".TH LUTH 1 "));
  for (auto part : {".SH ENVIRONMENT", "\\fBLUTH_THREADS\\fR", ".SH \"EXIT STATUS\"", "\\fB\\-e\\fR \\fICODE\\fR"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_EQ(read_file(LUTH_BINARY_DIR "/share/man/man1/luth.1"), page) << "the target luth_generated makes it";
  if (system("groff --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no groff";
  TempDir dir;
  const std::string file = dir.write("luth.1", page);
  EXPECT_EQ(system(("groff -man -ww -Tutf8 -z '" + file + "' >'" + (dir / "said") + "' 2>&1").c_str()), 0);
  EXPECT_EQ(read_file(dir / "said"), "");
}

// ---- how they are written ----

void expect_refused(const std::vector<std::string>& words, const std::vector<std::string>& parts) {
  const Result r = run(words);
  EXPECT_EQ(r.code, 2) << words[0] << "\n" << r.err;
  for (auto& p : parts) EXPECT_TRUE(has(r.err, p)) << p << " is not in\n" << r.err;
}

TEST(Options, WhatNoRowKnowsIsRefused) {
  expect_refused({"bench", "--jsno"}, {"unknown option '--jsno'", "luth bench --help", "did you mean '--json'?"});
  expect_refused({"bench", "stray"}, {"unexpected argument 'stray'"});
  expect_refused({"bench", "-x"}, {"unexpected argument '-x'"});
  expect_refused({"bench", "--json=perhaps"}, {"--json takes no value, got 'perhaps'"});
  expect_refused({"bench", "--filter"}, {"--filter needs a value"});
  expect_refused({"bench", "--filter", "--list"}, {"--filter needs a value"});
  for (auto seconds : {"x", "-1", "3601", "", "nan"})
    expect_refused({"bench", "--seconds", seconds}, {"--seconds expects a number from 0 to 3600"});
  expect_refused({"check"}, {"luth check needs FILE", "Usage: luth check"});
  expect_refused({"help", "a", "b"}, {"explains one name, got 'b' too"});
  expect_refused({"--device", "cpu", "check", "x.lua"}, {"unknown option '--device'", "luth check --help"});
  expect_refused({"--device", "floppy", "bench", "--list"}, {"device 'floppy' is not available"});
  expect_refused({"doctor", "--threads", "0"}, {"--threads expects a count of 1 to 4096, got '0'"});
}

TEST(Options, WaysToWriteThem) {
  EXPECT_EQ(run({"bench", "--list", "--filter=add10$"}).out, run({"bench", "--filter", "add10$", "--list"}).out);
  EXPECT_EQ(run({"bench", "--no_cudnn", "--list", "--filter", "x", "--filter", "add10$"}).out,
            run({"bench", "--filter", "add10$", "--list"}).out);
  TempDir dir;
  dir.write("-x.lua", "y = 1");
  const Result r = run_in(dir, {"check", "--", "-x.lua"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(has(r.out, "-x.lua:1:")) << r.out;
}

TEST(Options, OfRecipes) {
  TempDir dir;
  dir.write("p.lua",
            "local o = options { lr = 0.02, name = 'x', wide = false, deep_down = 8 }\n"
            "print(o.lr, o.name, o.wide, o.deep_down)\nos.exit(0)\n");
  auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "p.lua"});
    const Result r = run_in(dir, words);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  EXPECT_EQ(said({"--lr", "-1", "--name", "-x"}), "-1.0\t-x\tfalse\t8\n");
  EXPECT_EQ(said({"--name=", "--deep-down", "3"}), "0.02\t\tfalse\t3\n");
  EXPECT_EQ(said({"--name", "", "--deep_down=4"}), "0.02\t\tfalse\t4\n");
  EXPECT_EQ(said({"--name=a=b", "--wide", "no"}), "0.02\ta=b\tfalse\t8\n");
  EXPECT_EQ(said({"--no-wide=false", "--name", "{}"}), "0.02\t{}\ttrue\t8\n");
  EXPECT_EQ(said({"--name", "[a,b]", "--lr", "1", "--lr", "2"}), "2.0\t[a,b]\tfalse\t8\n");
  EXPECT_EQ(said({"--wide", "--dir", "d", "--log-device-placement"}), "0.02\tx\ttrue\t8\n");
  EXPECT_EQ(said({"--name", "train", "--wide"}), "0.02\ttrain\ttrue\t8\n");
  EXPECT_EQ(run_in(dir, {"train", "--dir", "d", "p.lua", "--lr", "3"}).out, "3.0\tx\tfalse\t8\n");
  const Result r = run_in(dir, {"train", "--lr", "3", "p.lua"});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "options of a recipe come after the file, got '--lr'")) << r.err;
}

TEST(Options, HelpOfARecipeHasTheSameForm) {
  TempDir dir;
  dir.write("p.lua", points_recipe());
  const std::string help = run_in(dir, {"train", "p.lua", "--help"}).out;
  const Names names = options_in(help);
  for (auto name : {"--lr", "--wide", "--hidden", "--epochs", "--save-every", "--dir", "--log-device-placement"})
    EXPECT_TRUE(names.count(name)) << name;
  for (auto part : {"  --lr X ", "  --wide [BOOL] ", "  --hidden N ", "  --name TEXT ", "  --batch N ", " [16]\n"})
    EXPECT_TRUE(has(help, part)) << part << "\n" << help;
}

// ---- by call ----

TEST(Options, TakeEffectByCall) {
  const std::string code = "print(torch.get_num_threads(), os.getenv('LUTH_THREADS'), os.getenv('LUTH_LOG_PLACEMENT'))";
  EXPECT_EQ(run({"--threads", "3", "--log-device-placement", "-e", code}).out, "3\tnil\tnil\n");
  EXPECT_EQ(run({"--threads", "3", "-e", code}, {.env = {{"LUTH_THREADS", "2"}}}).out, "3\t2\tnil\n");
  TempDir dir;
  dir.write("p.lua", code + " local _ = torch.ones(2) + 1 os.exit(0)");
  for (auto& words :
       std::vector<std::vector<std::string>>{{"train", "p.lua", "--threads", "3", "--log-device-placement"},
                                             {"--threads=3", "--log-device-placement", "train", "p.lua"}}) {
    const Result r = run_in(dir, words);
    EXPECT_EQ(r.out, "3\tnil\tnil\n") << r.err;
    EXPECT_TRUE(has(r.err, "add: cpu\n")) << r.err;
  }
  for (auto& words : std::vector<std::vector<std::string>>{{"--threads", "3", "doctor"}, {"doctor", "--threads=3"}})
    EXPECT_TRUE(has(run(words).out, "3 (from --threads)"));
}

// ---- the environment ----

TEST(Environment, DoctorSaysWhatSlowsDown) {
  const Env env{{"OPENBLAS_CORETYPE", "Prescott"}, {"OMP_NUM_THREADS", "4096"}, {"LUTH_THREADS", ""},
                {"DNNL_MAX_CPU_ISA", "SSE41"},     {"MKL_DEBUG_CPU_TYPE", "5"}, {"ONEDNN_VERBOSE", "0"}};
  const std::string text = run({"doctor"}, {.env = env}).out;
  for (auto part : {"environment\n", "OPENBLAS_CORETYPE Prescott", "OMP_NUM_THREADS 4096: more threads than the ",
                    "DNNL_MAX_CPU_ISA SSE41", "MKL_DEBUG_CPU_TYPE 5\n", "ONEDNN_VERBOSE 0\n"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(text, "LUTH_THREADS "));
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_TRUE(has(text, "Prescott: large matrix products without AVX")) << text;
    EXPECT_TRUE(has(text, "SSE41: convolutions without AVX")) << text;
  }
  if (__builtin_cpu_supports("avx512bw")) {
    const std::string wide = run({"doctor"}, {.env = {{"OPENBLAS_CORETYPE", "Haswell"}}}).out;
    EXPECT_TRUE(has(wide, "Haswell: large matrix products without AVX-512, which this processor has")) << wide;
    const std::string best = run({"doctor"}, {.env = {{"OPENBLAS_CORETYPE", "SkylakeX"}}}).out;
    EXPECT_TRUE(has(best, "OPENBLAS_CORETYPE SkylakeX\n")) << best;
  }
  EXPECT_TRUE(has(run({"doctor"}, {.env = {{"LUTH_CPU_ISA", "v9"}}}).out, "v9: LUTH_CPU_ISA=v9 is unknown"));
  TempDir dir;
  EXPECT_EQ(system(("env -i '" + program() + "' doctor >'" + (dir / "out") + "'").c_str()), 0);
  EXPECT_TRUE(has(read_file(dir / "out"), "no setting that changes the speed"));
}

TEST(Environment, TimeOutsOfRanksHaveFractions) {
  const char* start =
      "torch.distributed.init_process_group('gloo', { rank = 0, world_size = 1, store = "
      "torch.distributed.FileStore('f', 1) })";
  const TempDir dir;
  EXPECT_EQ(run({"-e", start}, {.env = {{"LUTH_DIST_TIMEOUT", "2.5"}}, .dir = dir.path()}).err, "");
  const Result r = run({"-e", start}, {.env = {{"LUTH_DIST_TIMEOUT", "soon"}}, .dir = dir.path()});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "LUTH_DIST_TIMEOUT is in seconds, above 0, got 'soon'")) << r.err;
}

TEST(Environment, BenchNamesIt) {
  const Env env{{"OPENBLAS_CORETYPE", "Prescott"}};
  const std::vector<std::string> words{"bench", "--seconds", "0", "--filter", "add10$"};
  Result r = run(words, {.env = env});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "luth: the environment sets ") && has(r.err, "OPENBLAS_CORETYPE=Prescott")) << r.err;
  auto json = words;
  json.push_back("--json");
  r = run(json, {.env = env});
  EXPECT_TRUE(has(r.out, "\"environment\":{") && has(r.out, "\"OPENBLAS_CORETYPE\":\"Prescott\"")) << r.out;
  EXPECT_FALSE(has(run({"bench", "--list"}, {.env = env}).err, "environment"));
}

}  // namespace
}  // namespace luth::testing
