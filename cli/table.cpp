#include "cli/table.h"

#include <climits>

#include "cli/subcommands.h"

namespace luth::cli {
namespace {

// ---- options of several subcommands ----

constexpr Option threads{"--threads", "N",
                         "threads to compute with (else LUTH_THREADS, OMP_NUM_THREADS, or the cores there are)"};
constexpr Option log_placement{"--log-device-placement", "", "print where each operator runs"};
constexpr Option help_row{"--help", "", "print this text"};

constexpr Option device(std::string_view otherwise) {
  return {"--device", "D", "where to compute: cpu, cuda, cuda:1, ..., or auto: a GPU where there is one", otherwise,
          "auto cpu cuda"};
}
constexpr Option amp{"--amp", "bf16|off", "mixed precision: matrix products and convolutions in bfloat16, or off",
                     "off", "bf16 off"};

// ---- the options of each ----

constexpr Option of_program[] = {
    {"-e", "CODE", "run a piece of Lua"},
    {"-l", "MODULE", "require a module into a global of its name; -l NAME=MODULE into another"},
    {"-i", "", "the prompt, after what else is asked for"},
    {"-v", "", "print the version, and run what else is asked for"},
    {"-E", "", "ignore LUA_INIT, LUA_PATH and LUA_CPATH"},
    {"-W", "", "turn Lua's warnings on"},
    {"-", "", "the script comes from standard input"},
    {"--", "", "what follows is the script, whatever its name"},
    threads,
    device("cpu"),
    log_placement,
    {"--version", "", "print the version"},
    help_row,
};

constexpr Option of_bench[] = {
    {"--list", "", "print the names of the workloads and stop"},
    {"--json", "", "print one JSON object a line"},
    {"--filter", "PATTERN", "run the workloads whose names have this Lua pattern in them"},
    {"--seconds", "S", "how long to take samples of each workload", "0.5"},
    device("cpu"),
    {"--no-cudnn", "", "compute convolutions on a GPU by luth's own kernels"},
    log_placement,
    threads,
    help_row,
};

constexpr Option of_eval[] = {
    {"--checkpoint", "FILE", "the checkpoint to evaluate, where a recipe is named"},
    device("auto"),
    amp,
    log_placement,
    threads,
    help_row,
};

constexpr Option of_help[] = {
    {"--man", "", "print the manual page, in roff: luth help --man | man -l -"},
    threads,
    help_row,
};

constexpr Option of_train[] = {
    {"--dir", "DIR", "the folder of the run", "runs/<recipe>-<n>"},
    {"--resume", "[FILE]", "go on with the run in the folder, from ckpt/last.h5 or from FILE"},
    device("auto"),
    amp,
    log_placement,
    threads,
    help_row,
};

constexpr Option of_others[] = {threads, help_row};

// ---- the subcommands, by name ----

constexpr Subcommand table[] = {
    {"bench", "measure luth", "", 0, 0,
     "Measures luth: the same workloads under the same names as a peer's benchmark.\n", of_bench, bench},
    {"check", "find mistakes that Lua accepts silently", "FILE...", 1, INT_MAX,
     "Finds in Lua files what Lua accepts silently and nobody means: a tensor as a condition,\n"
     "== between a tensor and a number, a global assigned by mistake, a scope that is never\n"
     "closed, unknown names of torch, a method called with a dot. Prints file:line: message,\n"
     "and exits with 1 where it found something, else with 0.\n",
     of_others, check},
    {"completion", "print a completion script for bash, zsh or fish", "bash|zsh|fish", 1, 1,
     "Prints a completion script. In bash: eval \"$(luth completion bash)\"\n", of_others, completion, false,
     "bash zsh fish"},
    {"doctor", "show what luth is made of and what it found here", "", 0, 0,
     "Shows what this luth is made of, what it found on this machine, and which settings of the\n"
     "environment change its speed.\n",
     of_others, doctor},
    {"eval", "evaluate a checkpoint", "CHECKPOINT|DIR|RECIPE", 1, 1,
     "Prints loss and metrics of a checkpoint over the test data, a name and a number in each\n"
     "line. DIR stands for DIR/ckpt/last.h5; RECIPE wants --checkpoint FILE.\n",
     of_eval, eval, true},
    {"help", "explain a subcommand or a function", "[NAME]", 0, 1,
     "Explains a subcommand or a function: luth help torch.softmax\n", of_help, help},
    {"train", "train what a recipe says", "RECIPE", 1, 1,
     "Trains what the recipe says. Writes ckpt/last.h5 and ckpt/best.h5 below DIR.\n"
     "`luth train RECIPE --help` lists the options of the recipe too.\n",
     of_train, train, true},
};

}  // namespace

Options program_options() { return of_program; }
std::span<const Subcommand> subcommands() { return table; }

const Subcommand* find_subcommand(std::string_view name) {
  for (auto& c : table)
    if (name == c.name) return &c;
  return nullptr;
}

std::vector<std::string> subcommand_names() {
  std::vector<std::string> names;
  for (auto& c : table) names.emplace_back(c.name);
  return names;
}

const Option* find_option(Options options, std::string_view name) {
  for (auto& row : options)
    if (name == row.name) return &row;
  return nullptr;
}

}  // namespace luth::cli
