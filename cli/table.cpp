#include "cli/table.h"

#include <climits>

#include "cli/option_rows.h"
#include "cli/subcommands.h"

namespace luth::cli {
namespace {

// ---- the subcommands, by name ----

constexpr Subcommand bench_command = {
    "bench",
    "measure the speed of luth",
    "",
    0,
    0,
    "Measures the speed of luth. Workloads and names are those of the benchmark of PyTorch\n"
    "with which luth is compared.\n",
    "luth bench --filter add --seconds 0.1",
    of_bench,
    bench};

constexpr Subcommand check_command = {
    "check",
    "find mistakes that Lua accepts silently",
    "FILE...",
    1,
    INT_MAX,
    "Finds mistakes in Lua files that Lua accepts silently: a tensor as a condition, == between\n"
    "a tensor and a number, a global assigned by mistake, a scope that is never closed, unknown\n"
    "names of torch, a method called with a dot. Prints file:line: message. The exit code is 1\n"
    "if it found something, else 0.\n",
    "luth check script.lua",
    of_check,
    check};

constexpr Subcommand ckpt_command = {
    "ckpt",
    "look into checkpoints, compare and convert them",
    "ls|show|verify|diff|convert|export|average FILE...",
    1,
    INT_MAX,
    "Works on checkpoints and on other files of tensors (HDF5, .safetensors, .npz, .npy, .pth):\n"
    "  ls FILE...                 names, dtypes, shapes and sizes\n"
    "  show FILE [NAME]           values; of tensors the extremes, mean and standard deviation\n"
    "  verify FILE...             whether each can be loaded, and its seal holds (exit code 5 if not)\n"
    "  diff FILE FILE             what differs, and by how much (exit code 1 if anything does)\n"
    "  convert FILE NEW           the same content in the format of NEW's suffix\n"
    "  export FILE NEW            the weights alone, under PyTorch's names\n"
    "  average FILE FILE... NEW   the mean of the weights of several files\n"
    "Runs nothing of a recipe or a script.\n",
    "luth ckpt diff before.h5 after.h5\n"
    "luth ckpt export after.h5 weights.safetensors",
    of_ckpt,
    ckpt,
    false,
    "ls show verify diff convert export average"};

constexpr Subcommand completion_command = {"completion",
                                           "print a completion script for bash, zsh or fish",
                                           "bash|zsh|fish",
                                           1,
                                           1,
                                           "Prints a completion script. In bash: eval \"$(luth completion bash)\"\n",
                                           "eval \"$(luth completion bash)\"",
                                           of_others,
                                           completion,
                                           false,
                                           "bash zsh fish"};

constexpr Subcommand data_command = {
    "data",
    "fetch public data sets, show samples of data",
    "ls|get|show NAME|PATH...",
    1,
    INT_MAX,
    "Public data sets, and samples of any data:\n"
    "  ls [NAME...]       names and sizes; of a set its addresses and checksums\n"
    "  get NAME...        fetches a set by curl or wget, checks it and unpacks it; prints its folder\n"
    "  show NAME|PATH...  draws samples of a set, a folder of images, a table, a text, a file of arrays\n"
    "data.mnist, data.CIFAR10 and their kind find the sets under their names.\n",
    "luth data show points.csv --count 4",
    of_data,
    data_sets,
    false,
    "ls get show"};

constexpr Subcommand doctor_command = {
    "doctor",
    "show versions, devices and settings",
    "",
    0,
    0,
    "Shows the versions of luth and its libraries, the devices of this machine, and the\n"
    "environment variables that change luth's speed.\n",
    "luth doctor",
    of_others,
    doctor};

constexpr Subcommand eval_command = {
    "eval",
    "evaluate a checkpoint",
    "CHECKPOINT|DIR|RECIPE",
    1,
    1,
    "Prints loss and metrics of a checkpoint on the test data: a name and a number in each line.\n"
    "DIR means DIR/ckpt/last.h5. RECIPE requires --checkpoint FILE.\n",
    "luth eval runs/points-1 --confidence --require accuracy=0.1",
    of_eval,
    eval,
    true};

constexpr Subcommand help_command = {
    "help",
    "explain a subcommand, a function or a topic",
    "[NAME]",
    0,
    INT_MAX,
    "Explains a subcommand, a function or a topic: luth help torch.softmax, luth help indexing\n",
    "luth help torch.softmax\n"
    "luth help --search largest elements",
    of_help,
    help};

constexpr Subcommand kernel_command = {
    "kernel",
    "serve notebooks of Jupyter",
    "install|run",
    1,
    2,
    "  install          registers luth as a kernel, for the user or below --prefix DIR\n"
    "  run FILE         serves the front end that the connection file describes; Jupyter calls it\n",
    "luth kernel install --prefix venv",
    of_kernel,
    kernel,
    false,
    "install run"};

constexpr Subcommand launch_command = {
    "launch",
    "start a script on several processes",
    "SCRIPT|train|eval|bench [ARGUMENTS]",
    1,
    INT_MAX,
    "Starts N processes of `luth SCRIPT ARGUMENTS` or `luth train RECIPE ...` that compute together,\n"
    "by torch.distributed. The exit code is that of the first process that failed by itself.\n",
    "luth launch --nproc 2 train points.lua --epochs 3",
    of_launch,
    launch,
    false,
    {},
    true};

constexpr Subcommand lsp_command = {
    "lsp",
    "answer an editor: findings, help, completion",
    "",
    0,
    0,
    "Serves an editor by the Language Server Protocol over stdin and stdout: the findings of luth\n"
    "check, the help of names, completion, signatures. Runs nothing of the files.\n",
    "vim.lsp.start { name = 'luth', cmd = { 'luth', 'lsp' } }   -- in Neovim, for Lua files",
    of_lsp,
    lsp};

constexpr Subcommand new_command = {
    "new",
    "write a recipe for data of your own",
    "NAME",
    1,
    1,
    "Looks at the data, and writes NAME.lua, a recipe with comments that luth train runs on them.\n",
    "luth new classes --data points.csv",
    of_new,
    new_recipe};

constexpr Subcommand predict_command = {
    "predict",
    "say what a model makes of files",
    "CHECKPOINT|DIR|RECIPE FILE...",
    1,
    INT_MAX,
    "Prints what a trained model says of images, tables (.csv), texts and tensors (.npy, .h5, ...), a line\n"
    "for each sample: classes with their probabilities, or the outputs. - is standard input.\n"
    "Files are read and transformed as the recipe's test data. RECIPE requires --checkpoint FILE.\n",
    "luth predict runs/points-1 points.npy --top 1",
    of_predict,
    predict,
    true};

constexpr Subcommand report_command = {
    "report",
    "compare runs of luth train in one page",
    "RUN...",
    1,
    INT_MAX,
    "Writes a page of one file that needs no network: summary, curves, settings and environment of\n"
    "runs of luth train, side by side. Prints a table of the runs. Runs nothing of the recipes.\n",
    "luth report runs/*",
    of_report,
    report};

constexpr Subcommand summary_command = {
    "summary",
    "show a model's modules, shapes and parameters",
    "RECIPE|CHECKPOINT|DIR",
    1,
    1,
    "Prints the tree of a recipe's model with the shapes of a batch, parameters, multiply-adds and\n"
    "the memory of a step. Of a checkpoint or a run, the recipe in its folder runs, as in luth eval.\n",
    "luth summary points.lua",
    of_others,
    summary,
    true};

constexpr Subcommand train_command = {
    "train",
    "train the model of a recipe",
    "RECIPE",
    1,
    1,
    "Trains the model of a recipe, a Lua file. Writes ckpt/last.h5 and ckpt/best.h5 below DIR.\n"
    "`luth train RECIPE --help` also lists the options of the recipe.\n",
    "luth train points.lua --epochs 3 --lr 0.01",
    of_train,
    train,
    true};

constexpr Subcommand table[] = {bench_command,   check_command,  ckpt_command,    completion_command,
                                data_command,    doctor_command, eval_command,    help_command,
                                kernel_command,  launch_command, lsp_command,     new_command,
                                predict_command, report_command, summary_command, train_command};

}  // namespace

Options program_options() { return of_program; }
Options common_options() { return of_all_with_recipe; }
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
