// `luth completion bash|zsh|fish`: a completion script for the shell, made from the list of subcommands. Options of a
// subcommand are read from its --help when Tab is pressed, so that nothing is listed by hand.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "cli/cli.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace luth::cli {
namespace {

constexpr const char* bash_script = R"sh(# bash completion for luth: eval "$(luth completion bash)"
_luth() {
  local word=${COMP_WORDS[COMP_CWORD]} sub=${COMP_WORDS[1]} names="@NAMES@"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    case $word in
      -*) COMPREPLY=($(compgen -W "-e -l -i -v -E -W --threads --device --log-device-placement --help --version" -- "$word")) ;;
      *) COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -X '!*.lua' -- "$word") $(compgen -d -S / -- "$word")) ;;
    esac
  elif [[ " $names " == *" $sub "* && $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "$sub" --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]*')" -- "$word"))
  elif [ "$sub" = completion ]; then
    COMPREPLY=($(compgen -W "bash zsh fish" -- "$word"))
  elif [ "$sub" = help ]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -o nospace -F _luth luth
)sh";

constexpr const char* zsh_script = R"sh(#compdef luth
# zsh completion for luth: luth completion zsh > a folder of $fpath, as _luth; or eval "$(luth completion zsh)"
_luth() {
  local -a names options
  names=(@DESCRIBED@)
  if (( CURRENT == 2 )); then
    _describe subcommand names
    _files -g '*.lua'
  elif [[ ${words[CURRENT]} == -* ]]; then
    options=(${(f)"$(luth ${words[2]} --help 2>/dev/null | grep -oE -e '--[a-z][a-z-]*' | sort -u)"})
    compadd -a options
  elif [[ ${words[2]} == completion ]]; then
    compadd bash zsh fish
  elif [[ ${words[2]} == help ]]; then
    _describe subcommand names
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_luth" ]; then _luth "$@"; else compdef _luth luth; fi
)sh";

constexpr const char* fish_script = R"sh(# fish completion for luth: luth completion fish | source
function __luth_options
  set -l words (commandline -opc)
  test (count $words) -ge 2; and luth $words[2] --help 2>/dev/null | string match -ar -- '--[a-z][a-z-]*'
end
@DESCRIBED@complete -c luth -n '__fish_is_first_token' -k -xa '(__fish_complete_suffix .lua)'
complete -c luth -n 'not __fish_is_first_token; and string match -q -- "-*" (commandline -ct)' -xa '(__luth_options)'
complete -c luth -n '__fish_seen_subcommand_from completion' -xa 'bash zsh fish'
)sh";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  return text.replace(at, what.size(), with);
}

std::string script_for(const std::string& shell) {
  std::string names, zsh, fish;
  for (auto& c : subcommands()) {
    names += (names.empty() ? "" : " ") + std::string(c.name);
    zsh += fmt::format(" '{}:{}'", c.name, c.brief);
    fish += fmt::format("complete -c luth -n '__fish_is_first_token' -xa '{}' -d '{}'\n", c.name, c.brief);
  }
  if (shell == "bash") return replaced(bash_script, "@NAMES@", names);
  if (shell == "zsh") return replaced(zsh_script, "@DESCRIBED@", zsh.substr(1));
  if (shell == "fish") return replaced(fish_script, "@DESCRIBED@", fish);
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  throw Error(ErrorCode::usage, "no completion for '{}': expected bash, zsh or fish{}", shell,
              did_you_mean(shell, shells));
}

int completion(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    puts(
        "usage: luth completion bash|zsh|fish\n\nPrints a completion script. In bash: eval \"$(luth completion "
        "bash)\"");
    return 0;
  }
  if (argc != 2) throw Error(ErrorCode::usage, "`luth completion` expects one of bash, zsh and fish");
  fputs(script_for(argv[1]).c_str(), stdout);
  return 0;
}

const Register entry{{"completion", "print a completion script for bash, zsh or fish", completion}};

}  // namespace
}  // namespace luth::cli
