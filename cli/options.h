// Options of a subcommand by CLI11, with luth's exit codes and nearest names. Included by the files of subcommands
// only: it takes seconds to compile and is not needed to run a script.
//
//   int bench(int argc, char** argv) {
//     CLI::App app("measure luth", "luth bench");
//     bool list = false;
//     app.add_flag("--list", list, "print the names");
//     if (auto done = parse(app, argc, argv)) return *done;   // --help was printed
#pragma once
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {

/// Reads argv (argv[0] is the subcommand's name), and --threads for every subcommand. Returns 0 after --help was
/// printed, else nothing. Throws luth::Error (usage) with the nearest option's name.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  std::string threads;
  app.add_option("--threads", threads, "threads to compute with");
  try {
    app.parse(argc, argv);
    if (app.count("--threads")) use_threads(thread_count("--threads", threads.c_str()));
  } catch (const CLI::CallForHelp&) {
    fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ExtrasError& e) {
    std::vector<std::string> known;
    for (auto* o : app.get_options())
      for (auto& name : o->get_lnames()) known.push_back("--" + name);
    for (auto& word : app.remaining()) {
      const std::string name = word.substr(0, word.find('='));
      throw Error(ErrorCode::usage, "{}: unexpected {} '{}' (`{} --help` lists the options){}", app.get_name(),
                  word[0] == '-' ? "option" : "argument", name, app.get_name(), did_you_mean(name, known));
    }
    throw Error(ErrorCode::usage, "{}: {}", app.get_name(), e.what());
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorCode::usage, "{}: {}; `{} --help` lists the options", app.get_name(), e.what(), app.get_name());
  }
  return std::nullopt;
}

}  // namespace luth::cli
