// Variables of the environment that change luth's speed: those of the libraries that it computes with, and its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace luth::cli {

struct EnvironmentSetting {
  std::string name, value;
  std::string note;  // what it slows down, "" where nothing is known
};

/// Those that are set, by name.
std::vector<EnvironmentSetting> environment_settings();

/// "OPENBLAS_CORETYPE=Haswell (large matrix products ...), OMP_NUM_THREADS=2", or "".
std::string environment_line();

struct DocumentedVariable {
  std::string_view name, text;
};
/// Luth's own, for the manual page.
std::vector<DocumentedVariable> documented_variables();

}  // namespace luth::cli
