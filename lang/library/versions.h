// The versions of luth and of the libraries that it computes and reads files with: `luth doctor`, env.json of a run.
#pragma once
#include <string>
#include <vector>

namespace luth::lang {

/// The commit of which luth was built, with "-dirty" where the sources had other changes; "" where that is not known.
const char* commit_text();
/// "g++ 12.2.0"
const char* compiler_text();

struct LibraryVersion {
  std::string name, version;  // "" where it is missing, or tells none
  std::string note;
};
/// It opens none: OpenBLAS and oneDNN are among them once an operator has opened them.
std::vector<LibraryVersion> library_versions();

}  // namespace luth::lang
