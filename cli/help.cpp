// `luth help`, `luth help NAME`, and the texts of --help and --version.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/cli.h"
#include "cli/library.h"
#include "cli/manual.h"
#include "cli/recipe_options.h"
#include "cli/subcommands.h"
#include "core/base/error.h"
#include "core/base/version.h"
#include "lang/runtime/interp.h"

namespace luth::cli {
namespace {

// "--threads N", "-h, --help"
std::string left(const Option& row) {
  const std::string name = (row.name == "--help" ? "-h, " : "") + std::string(row.name);
  return row.value.empty() ? name : fmt::format("{} {}", name, row.value);
}

// A line for each row; a longer name than most has its help further to the right.
std::string list(Options options) {
  size_t width = 0;
  for (auto& row : options)
    if (const size_t n = left(row).size(); n <= 22) width = std::max(width, n);
  std::string text;
  for (auto& row : options)
    text += fmt::format("  {:<{}}  {}{}\n", left(row), width, row.help,
                        row.otherwise.empty() ? "" : fmt::format(" [{}]", row.otherwise));
  return text;
}

std::string indented(std::string_view lines) {
  std::string text = "  ";
  for (char c : lines) text += c == '\n' ? "\n  " : std::string(1, c);
  return text + "\n";
}

std::string usage_line(const Subcommand& command, std::string_view arguments) {
  return fmt::format("Usage: luth {}{}{} [options]\n", command.name, arguments.empty() ? "" : " ", arguments);
}

// What share/luth/train/field_help.lua says of a field of recipes, "recipe.ema" or "ema"; "" for other names.
std::string field_help(lang::Interp& interp, const std::string& name) {
  lua_State* L = interp.state();
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luth.train.field_help");
  if (interp.call(1, 1)) return "";
  lua_getfield(L, -1, "text");
  lua_pushstring(L, name.c_str());
  if (interp.call(1, 1) || !lua_isstring(L, -1)) return "";
  return lua_tostring(L, -1);
}

// Lets Lua's own `help` look the name up, then the fields of recipes.
int help_on(const std::string& name) {
  lang::Interp interp;
  interp.handle_signals();
  const std::string field = field_help(interp, name);
  if (!field.empty() && name.starts_with("recipe.")) return fputs(field.c_str(), stdout), 0;
  if (lua_getglobal(interp.state(), "help") != LUA_TFUNCTION)
    throw Error(ErrorCode::usage, "there is no help on '{}'", name);
  lua_pushstring(interp.state(), name.c_str());
  const int status = interp.call(1, 0);
  if (field.empty() || (!status && name != "recipe")) return interp.report(status);
  return fputs(field.c_str(), stdout), 0;
}

int search(const std::vector<std::string>& words) {
  std::string text;
  for (auto& word : words) text += (text.empty() ? "" : " ") + word;
  return run_library("luth.help.search", "run", [&](lua_State* L) {
    lua_pushlstring(L, text.data(), text.size());
    return 1;
  });
}

}  // namespace

std::string version_line() { return fmt::format("luth {}  {}", version, LUA_RELEASE); }

std::string program_help() {
  std::string text =
      "usage: luth [options] [script.lua [args]]   run a script, or start the prompt without one\n"
      "       luth SUBCOMMAND [args]\n\nsubcommands (`luth SUBCOMMAND --help` says more):\n";
  for (auto& c : subcommands()) text += fmt::format("  {:<12}  {}\n", c.name, c.brief);
  return text + "\noptions:\n" + list(program_options());
}

std::string subcommand_help(const Subcommand& command) {
  std::string text = fmt::format("{}\n{}", usage_line(command, command.arguments), command.about);
  if (command.extended) text += "\nOptions of every recipe:\n" + list(recipe_options().rows);
  return text + "\nOptions:\n" + list(command.options) + "\nExample\n" + indented(command.example);
}

std::string recipe_help(const Subcommand& command, std::string_view recipe, Options declared) {
  return fmt::format("{}\nOptions of the recipe:\n{}\nOptions of luth {}:\n{}", usage_line(command, recipe),
                     list(declared), command.name, list(command.options));
}

int help(const Arguments& arguments) {
  if (arguments.has("--man")) return fputs(manual().c_str(), stdout), 0;
  if (arguments.has("--search")) return search(arguments.rest);
  if (arguments.rest.empty()) {
    fputs(program_help().c_str(), stdout);
    puts(
        "`luth help NAME` explains a subcommand or a function: luth help torch.softmax\n"
        "`luth help TOPIC` a topic: indexing, counting-from-1, gradients, devices, checkpoints, recipes,\n"
        "coming-from-pytorch, coming-from-torch7, and every page of share/doc\n"
        "`luth help --search WORDS` finds names, topics and pages");
    return 0;
  }
  if (arguments.rest.size() > 1)
    throw Error(ErrorCode::usage, "luth help explains one name, got '{}' too; --search takes words", arguments.rest[1]);
  auto* command = find_subcommand(arguments.rest[0]);
  if (!command || command->run == help) return help_on(arguments.rest[0]);
  return fputs(subcommand_help(*command).c_str(), stdout), 0;
}

}  // namespace luth::cli
