// The functions behind the subcommands, which the table (cli/table.cpp) names. Each is in the file of its name.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace luth::cli {

int bench(const Arguments& arguments);
int check(const Arguments& arguments);
int ckpt(const Arguments& arguments);
int completion(const Arguments& arguments);
int data_sets(const Arguments& arguments);
int doctor(const Arguments& arguments);
int eval(const Arguments& arguments);
int help(const Arguments& arguments);
int kernel(const Arguments& arguments);
int launch(const Arguments& arguments);
int lsp(const Arguments& arguments);
int new_recipe(const Arguments& arguments);
int predict(const Arguments& arguments);
int report(const Arguments& arguments);
int summary(const Arguments& arguments);
int train(const Arguments& arguments);

/// What completion offers behind these words of luth's command line.
std::vector<std::string> words_behind(const std::vector<std::string>& before);

}  // namespace luth::cli
