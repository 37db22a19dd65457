// The rows of options for cli/table.cpp: those of several subcommands, of luth itself, and of each subcommand.
#pragma once
#include "cli/option.h"

namespace luth::cli {

// ---- options of several subcommands ----

inline constexpr Option threads{
    "--threads", "N", "number of threads (default: LUTH_THREADS, else OMP_NUM_THREADS, else the number of cores)"};
inline constexpr Option log_placement{"--log-device-placement", "", "print where each operator runs"};
inline constexpr Option help_row{"--help", "", "print this text"};

constexpr Option device(std::string_view otherwise) {
  return {"--device", "D", "where to compute: cpu, cuda, cuda:1, ..., or auto (a GPU if there is one)", otherwise,
          "auto cpu cuda"};
}
inline constexpr Option amp{"--amp", "bf16|off",
                            "mixed precision: matrix products and convolutions in bfloat16, or off", "off", "bf16 off"};
inline constexpr Option dist_timeout{"--dist-timeout", "S", "how many seconds the ranks of a run wait for each other",
                                     "120"};

// ---- options of luth itself, and of what has none of its own ----

inline constexpr Option of_program[] = {
    {"-e", "CODE", "run a piece of Lua code"},
    {"-l", "MODULE", "require a module and assign it to a global of its name; -l NAME=MODULE: to NAME"},
    {"-i", "", "start the prompt after everything else"},
    {"--debug", "", "stop in the debugger at the script's first line, and where an error is that nothing catches"},
    {"-v", "", "print the version, then go on"},
    {"-E", "", "ignore LUA_INIT, LUA_PATH and LUA_CPATH"},
    {"-W", "", "turn on Lua's warnings"},
    {"-", "", "read the script from standard input"},
    {"--", "", "end of the options; the next word is the script"},
    threads,
    device("cpu"),
    log_placement,
    {"--version", "", "print the version"},
    help_row,
};

inline constexpr Option of_others[] = {threads, help_row};
inline constexpr Option of_all_with_recipe[] = {log_placement, threads, help_row};

// ---- the options of each subcommand ----

inline constexpr Option of_bench[] = {
    {"--list", "", "print the names of the workloads and stop"},
    {"--json", "", "print one JSON object per line"},
    {"--filter", "REGEX", "run only the workloads in whose names this regular expression is found"},
    {"--seconds", "S", "how many seconds to measure each workload", "0.5"},
    {"--check", "FILE", "count instructions of small calls by valgrind; fail where one takes 2 % more than FILE says"},
    device("cpu"),
    {"--no-cudnn", "", "on a GPU, compute convolutions by luth's own kernels, not by cuDNN"},
    log_placement,
    threads,
    help_row,
};

inline constexpr Option of_check[] = {
    {"--json", "", "print one JSON object for each finding: file, line, text"},
    threads,
    help_row,
};

inline constexpr Option of_ckpt[] = {
    {"--tensors", "", "ls: list tensors alone"},
    {"--part", "NAME", "export, average: the weights under this name of the file", "ema if there is one, else model"},
    {"--base", "0|1", "export: names count positions from 0, as PyTorch's, or from 1", "0", "0 1"},
    {"--force", "", "convert, export, average: replace a file that exists"},
    threads,
    help_row,
};

inline constexpr Option of_data[] = {
    {"--dir", "DIR", "ls, get, show: the folder of the data set", "$XDG_DATA_HOME/luth/NAME"},
    {"--from", "ADDRESS", "get: a folder that has the files, or its address, in place of the publishers'"},
    {"--force", "", "get: fetch what is there already"},
    {"--count", "N", "show: how many samples", "16"},
    {"--split", "PART", "show: train or test", "train", "train test"},
    threads,
    help_row,
};

inline constexpr Option of_eval[] = {
    {"--checkpoint", "FILE", "the checkpoint to evaluate, if the argument is a recipe"},
    {"--split", "PART", "the data to evaluate on: test, val or train", "test, else val, else train", "test val train"},
    {"--require", "LIST", "fail with exit code 7 where a metric misses its bound: accuracy=0.98,loss=0.1"},
    {"--confidence", "", "print 95 % intervals too, by bootstrap over the samples"},
    {"--per-class", "", "print precision, recall, F1 and samples of each class too"},
    {"--predictions", "FILE", "write outputs and targets of all samples, as .csv or for torch.load (.h5, .npz)"},
    {"--print-recipe", "", "print the recipe that would run, its path first, and run nothing"},
    device("auto"),
    amp,
    dist_timeout,
    log_placement,
    threads,
    help_row,
};

inline constexpr Option of_help[] = {
    {"--search", "", "find names, topics and pages by words: luth help --search largest elements"},
    {"--man", "", "print the manual page, in roff: luth help --man | man -l -"},
    threads,
    help_row,
};

inline constexpr Option of_kernel[] = {
    {"--user", "", "install: below the user's own folder, $XDG_DATA_HOME/jupyter", "unless --prefix"},
    {"--prefix", "DIR", "install: below DIR/share/jupyter, as of a virtual environment"},
    {"--name", "NAME", "install: the name of the kernel", "luth"},
    device("cpu"),
    threads,
    help_row,
};

inline constexpr Option of_launch[] = {
    {"--nproc", "N|auto|gpu", "how many processes on this machine; auto: one for each GPU, or for each core", "auto"},
    {"--nnodes", "M", "how many machines", "1"},
    {"--node-rank", "R", "the number of this machine, from 0", "0"},
    {"--master", "HOST:PORT", "the machine of node 0 and a port that is free there"},
    {"--local-addr", "A", "the address of this machine, for a run of one machine", "127.0.0.1"},
    {"--max-restarts", "K", "how often to start again after a failure", "0"},
    {"--log-dir", "DIR", "write the output of each rank to DIR/rank-R.log"},
    dist_timeout,
    {"--threads", "N", "threads of each process", "cores / N"},
    help_row,
};

inline constexpr Option of_lsp[] = {
    {"--stdio", "", "speak over stdin and stdout, as it does anyway: editors pass this option"},
    threads,
    help_row,
};

inline constexpr Option of_new[] = {
    {"--kind", "KIND", "what the recipe is for: image, tabular (classes), regression or text",
     "what the data look like", "image tabular regression text"},
    {"--data", "PATH",
     "a folder of images in a folder for each class (also below train/, val/, test/), a table (.csv, .tsv), or a text"},
    {"--target", "COLUMN", "of a table, the column to predict", "the last one"},
    {"--force", "", "replace a recipe that exists"},
    threads,
    help_row,
};

inline constexpr Option of_predict[] = {
    {"--checkpoint", "FILE", "the checkpoint or the weights to predict with, if the argument is a recipe"},
    {"--top", "K", "how many classes to print for each sample, the likeliest first", "3"},
    {"--json", "", "print one JSON object per line"},
    device("auto"),
    amp,
    log_placement,
    threads,
    help_row,
};

inline constexpr Option of_report[] = {
    {"--out", "FILE", "the file to write", "RUN/report.html, of several runs report.html"},
    threads,
    help_row,
};

inline constexpr Option of_train[] = {
    {"--dir", "DIR", "the folder of the run", "runs/<recipe>-<n>"},
    {"--resume", "[FILE]", "continue the run in the folder, from ckpt/last.h5 or from FILE"},
    {"--force", "",
     "resume though the data, the seed or the place in an epoch are others, so that the run is no exact one"},
    {"--config", "FILE",
     "values of options, a JSON object; those of the command line and of LUTH_... count before them"},
    {"--print-config", "", "print the values of all options of the recipe, for --config, and train nothing"},
    {"--sweep", "GRID", "train with each combination of values, as runs in one folder: 'lr=1e-3,3e-3 batch=32,64'"},
    {"--random", "N", "try so many combinations of --sweep at random; values may be ranges: lr=1e-4..1e-1"},
    {"--find-lr", "[FILE]", "try learning rates, say which is good and keep nothing; FILE: a picture, .svg or .png"},
    {"--find-batch", "", "try sizes of batches, say how fast they are and keep nothing"},
    {"--profile", "[STEPS]", "record 20 steps, or so many: where the time goes, by operator, module and line"},
    {"--quiet", "", "print warnings and errors alone"},
    {"--json", "", "print what happens as JSON, an object a line, on standard output"},
    device("auto"),
    amp,
    {"--sync-bn", "", "on several ranks, BatchNorm's statistics are those of all ranks' samples"},
    {"--fsdp", "", "on several ranks, each keeps a part of the parameters and of the optimizer's state"},
    dist_timeout,
    log_placement,
    threads,
    help_row,
};

}  // namespace luth::cli
