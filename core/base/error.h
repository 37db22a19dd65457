// The one error type of luth and the exit codes that go with it.
#pragma once
#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace luth {

/// What kind of failure it was; the value is the exit code of the program.
enum class ErrorCode : int {
  runtime = 1,
  usage = 2,
  diverged = 3,
  memory = 4,
  checkpoint = 5,
  peer = 6,
  interrupted = 130,
  terminated = 143
};

/// Thrown by every part of luth. The text says what happened, where, and what to do next.
class Error : public std::runtime_error {
 public:
  template <class... A>
  explicit Error(fmt::format_string<A...> text, A&&... args)
      : Error(ErrorCode::runtime, text, std::forward<A>(args)...) {}
  template <class... A>
  Error(ErrorCode code, fmt::format_string<A...> text, A&&... args)
      : Error(code, fmt::string_view(text), fmt::format_args(fmt::make_format_args(args...))) {}
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;  // defined in error.cpp, so that the type is one across libraries

  ErrorCode code() const { return code_; }
  /// Puts the operator and its arguments before the text, "add(float32[2], float32[3]): "; at most once.
  Error& add_context(const std::string& prefix);
  bool has_context() const { return has_context_; }
  /// Puts the module behind the text; at most once.
  Error& add_module(const std::string& suffix);
  bool has_module() const { return has_module_; }

 private:
  Error(ErrorCode code, fmt::string_view text, fmt::format_args args);
  ErrorCode code_;
  bool has_context_ = false, has_module_ = false;
  std::string text_;  // with what was added; empty: nothing was added

 public:
  const char* what() const noexcept override { return text_.empty() ? std::runtime_error::what() : text_.c_str(); }
};

}  // namespace luth
