// The loops of elementwise kernels, and of steps of optimizers over floats, in the libraries' machine code: none calls
// a scalar function, and each uses vectors, but for those that a list allows, with reasons.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

/// Loops that may call functions or use no vectors: by a part of the loop's name, which has the operator and its types
/// ("Calls<luth::ops::Fmod>, float, float, float").
struct Allowed {
  const char* loops;  // a regular expression
  const char* call;   // the only function that they may call, and they must use vectors; null: they may do as they like
  const char* reason;
};
const Allowed allowed[] = {
    {"ops::(Sin|Sinc)>, double", "sin", "after the quick form, for what is too large for it, infinities and nan"},
    {"ops::Cos>, double", "cos", "the same"},
    {"ops::Tan>, double", "tan", "the same"},
    {"ops::(Lgamma|Digamma)>, double,", nullptr, "by range, in series or by libm's: quick forms have float's digits"},
    {"ops::(FloorDivide|Remainder|Fmod)>, float,", "fmodf",
     "after the quick form, for elements whose quotient is beyond what it holds"},
    {"ops::(FloorDivide|Remainder|Fmod)>, double,", "fmod", "the same"},
    {"ops::Lgamma>", "lgamma_r", "after the quick form, for poles, infinities and nan"},
    {"ops::Digamma>", "luth::math::digamma(double)", "after the quick form, for poles, infinities and nan"},
    {"Converts, (float|double), long$|Converts, long, (float|double)$", nullptr,
     "AVX2 converts no integers of 64 bits"},
    {"ops::(Gcd|Lcm)>", nullptr, "Euclid's algorithm: as many divisions of integers as the elements need"},
    {"ops::Pow>, (long|int|short|signed char|unsigned char),", nullptr, "as many products as the exponent has bits"},
    {"ops::BesselJ0>, float,", "j0", "after the quick form, next to zeros and far out"},
    {"ops::BesselJ1>, float,", "j1", "the same"},
    {"ops::BesselY0>, float,", "y0", "the same"},
    {"ops::BesselY1>, float,", "y1", "the same"},
    {"ops::SphericalBesselJ0>, float,", "sin", "after the quick form, far out"},
    {"ops::(Spherical)?Bessel[JY][01]>, double,", nullptr, "libm's: the quick forms have float's digits"},
    {"ops::AiryAi>", nullptr, "series in double whose length depends on the element"},
    {"ops::(Igammac?>|Zeta>|Polygamma::F<(float|double), false>)", nullptr, "the same"},
    {"ops::(Chebyshev|Hermite|Laguerre|Legendre)", nullptr, "as many steps as the degree says"},
    {"ops::(Ldexp|NextHalf)", nullptr, "works on the parts of a number, for scripts that prepare something"},
    {"ops::IsClose", nullptr, "ends early, for tests of scripts"},
};

/// What a vector loop may call: libmvec, what moves memory, and libm's function of the same name for the elements
/// behind the last whole vector.
bool may_call(const std::string& callee, const std::set<std::string>& all) {
  if (callee.starts_with("_ZGV") || callee == "memset" || callee == "memcpy" || callee == "memmove") return true;
  for (const std::string& other : all)
    if (other.starts_with("_ZGV") && other.ends_with("_" + callee)) return true;
  return false;
}

struct Loop {
  std::set<std::string> calls;
  bool vectors = false;
};
using Loops = std::map<std::string, Loop>;

constexpr const char* functions[] = {"luth::cpu::loop_fn<", "::update_range<float, luth::ops::"};
/// Of the start of a function: the text between < and > of its name, if it is one of the above.
std::string name_of(const std::string& line) {
  for (const std::string start : functions)
    if (const auto at = line.find(start); at != line.npos)
      return line.substr(at + start.size(),
                         line.find(start[0] == ':' ? ">(luth" : ">(void const*") - at - start.size());
  return "";
}
bool is_own(const std::string& callee) {  // a jump inside the function
  return std::ranges::any_of(functions, [&](const char* start) { return callee.find(start) != callee.npos; });
}

/// The functions of a library that are loops, by name_of.
Loops loops_of(const std::string& library) {
  Loops loops;
  Loop* in = nullptr;
  const std::string command = "objdump -d -C --no-show-raw-insn '" + library + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char text[16384];
  while (pipe && fgets(text, sizeof text, pipe.get())) {
    const std::string line(text);
    if (line.ends_with(">:\n")) {
      const std::string name = name_of(line);
      in = name.empty() ? nullptr : &loops[name];
      continue;
    }
    if (!in) continue;
    in->vectors |= line.find("%ymm") != line.npos || line.find("%zmm") != line.npos;
    const auto call = line.find("\tcall"), jump = line.find("\tjmp");
    const auto target = line.find('<', call != line.npos ? call : jump);
    if ((call == line.npos && jump == line.npos) || target == line.npos) continue;
    std::string callee = line.substr(target + 1, line.rfind('>') - target - 1);
    if (is_own(callee)) continue;
    in->calls.insert(callee.substr(0, callee.find("@plt")));
  }
  return loops;
}

const Allowed* allowance(const std::string& name) {
  for (const Allowed& a : allowed)
    if (std::regex_search(name, std::regex(a.loops))) return &a;
  return nullptr;
}

/// "" or what is wrong; `call`: a function that the loop may call.
std::string fault_of(const Loop& loop, const std::string& call) {
  std::string fault;
  for (const std::string& callee : loop.calls)
    if (callee != call && !may_call(callee, loop.calls)) fault += " calls " + callee.substr(0, 100);
  const bool only_fills = loop.calls.contains("memset");
  return fault + (loop.vectors || only_fills ? "" : " uses no vectors");
}

/// Checks the loops of a library, and adds the lines of the list that it needs to `used`.
void check_library(const std::string& library, std::set<const Allowed*>& used) {
  const Loops loops = loops_of(library);
  ASSERT_GT(loops.size(), 500u) << library << " has lost its symbols";
  for (const auto& [name, loop] : loops) {
    if (fault_of(loop, "").empty()) continue;
    const Allowed* a = allowance(name);
    used.insert(a);
    if (a && !a->call) continue;
    EXPECT_EQ(fault_of(loop, a ? a->call : ""), "") << name << " of " << library;
  }
}

TEST(Vectorised, Loops) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__clang__)
  GTEST_SKIP() << "kernels of this build are not optimised by g++";
#endif
  if (std::system("objdump --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "objdump is not installed (binutils)";
  std::set<const Allowed*> used;
  int libraries = 0;
  for (const char* isa : {"v3", "v4"}) {
    const std::string library = std::string(LUTH_BINARY_DIR) + "/lib/libluth_cpu_" + isa + ".so";
    if (!std::filesystem::exists(library)) continue;
    ++libraries;
    check_library(library, used);
  }
  if (libraries == 0) GTEST_SKIP() << "no library of v3 or v4 was built";
  if (libraries < 2) return;
  for (const Allowed& a : allowed) EXPECT_TRUE(used.contains(&a)) << "no longer needed: " << a.loops;
}

}  // namespace
