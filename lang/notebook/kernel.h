// The kernel of notebooks: answers the messages of a Jupyter front end with a session of the prompt.
#pragma once
#include <string>

#include "lang/runtime/interp.h"

namespace luth::lang {

/// Serves the front end that the connection file at `path` describes until it asks for an end. Returns the exit code.
/// stdout and stderr of the process become messages; stdin is empty. Throws ErrorCode::usage for a file that is none
/// and for places that cannot be had.
int serve_notebook(Interp& interp, const std::string& path);

}  // namespace luth::lang
