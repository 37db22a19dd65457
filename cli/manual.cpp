#include "cli/manual.h"

#include <fmt/format.h>

#include "cli/environment.h"
#include "cli/recipe_options.h"
#include "cli/table.h"
#include "core/base/version.h"

namespace luth::cli {
namespace {

// Text that roff prints as it is: a backslash, a dash and a point at the start of a line mean something to it.
std::string plain(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string entry(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, plain(text));
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string list(Options options) {
  std::string text;
  for (auto& row : options) {
    std::string term = (row.name == "--help" ? bold("-h") + ", " : "") + bold(row.name);
    if (!row.value.empty()) term += " " + italic(row.value);
    text += entry(
        term, std::string(row.help) + (row.otherwise.empty() ? "." : fmt::format(" (default: {}).", row.otherwise)));
  }
  return text;
}

std::string subcommand_section(const Subcommand& command, Options of_recipes) {
  std::string text = fmt::format(
      ".SS {}\n{}",
      plain(fmt::format("luth {}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments)),
      plain(command.about));
  text += list(command.options);
  if (command.extended) text += ".PP\nOptions of every recipe, behind its name:\n" + list(of_recipes);
  return text + fmt::format(".PP\nExample:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", plain(command.example));
}

constexpr std::string_view description =
    "luth is a toolkit for deep learning: Lua 5.4 with tensors, automatic differentiation and\n"
    "networks, on the CPU and on NVIDIA GPUs. Without a script it shows a prompt.\n";

struct ExitCode {
  int code;
  std::string_view text;
};
constexpr ExitCode exit_codes[] = {{0, "Success."},
                                   {1, "An error of a script or at run time."},
                                   {2, "A wrong option or setting."},
                                   {3, "Training diverged."},
                                   {4, "Out of memory."},
                                   {5, "A checkpoint that cannot be used."},
                                   {6, "A peer failed."},
                                   {7, "A metric missed the bound of --require."},
                                   {130, "Interrupted."},
                                   {143, "Terminated."}};

}  // namespace

std::string manual() {
  const RecipeOptions of_recipes = recipe_options();
  std::string text = fmt::format(".TH LUTH 1 \"\" \"luth {}\" \"luth manual\"\n", version);
  text += ".SH NAME\nluth \\- a scriptable toolkit for deep learning\n.SH SYNOPSIS\n";
  text +=
      ".B luth\n[\\fIoptions\\fR] [\\fIscript\\fR [\\fIargs\\fR]]\n.br\n.B luth\n\\fIsubcommand\\fR [\\fIargs\\fR]\n";
  text +=
      fmt::format(".SH DESCRIPTION\n{}.SH OPTIONS\n{}.SH SUBCOMMANDS\n", plain(description), list(program_options()));
  for (auto& command : subcommands()) text += subcommand_section(command, of_recipes.rows);
  text += ".SH ENVIRONMENT\n";
  for (auto& v : documented_variables()) text += entry(bold(v.name), v.text);
  text += ".SH \"EXIT STATUS\"\n";
  for (auto& e : exit_codes) text += entry(std::to_string(e.code), e.text);
  return text + ".SH \"SEE ALSO\"\n.BR lua (1)\n";
}

}  // namespace luth::cli
