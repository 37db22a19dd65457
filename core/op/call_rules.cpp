#include "core/op/call_rules.h"

namespace luth {
namespace {

// Made when first asked for: operators register from static objects. A handful of entries.
template <class Check>
std::vector<std::pair<const OpInfo*, Check>>& checks() {
  static std::vector<std::pair<const OpInfo*, Check>> all;
  return all;
}
template <class Check, class... Arguments>
void run_check(const OpInfo& info, const Arguments&... arguments) {
  for (auto& [of, check] : checks<Check>())
    if (of == &info) return check(arguments...);
}

struct KeptNumber {};
struct CastResult {};
template <class Mark>
bool is_marked(const OpInfo& info) {
  for (auto& marked : checks<Mark>())
    if (marked.first == &info) return true;
  return false;
}

}  // namespace

void set_bool_check(const OpInfo& info, BoolCheck check) { checks<BoolCheck>().emplace_back(&info, check); }
void check_bool(const OpInfo& info, const Inputs& in) {
  for (auto& v : in)
    if (v && v.dtype() == Dtype::boolean) return run_check<BoolCheck>(info, in);
}

void set_inplace_check(const OpInfo& info, InplaceCheck check) { checks<InplaceCheck>().emplace_back(&info, check); }
void check_inplace_form(const OpInfo& info, const void* op, const Inputs& in) { run_check<InplaceCheck>(info, op, in); }

void set_keeps_number(const OpInfo& info) { checks<KeptNumber>().emplace_back(&info, KeptNumber()); }
bool keeps_number(const OpInfo& info) { return is_marked<KeptNumber>(info); }
void set_casts_out(const OpInfo& info) { checks<CastResult>().emplace_back(&info, CastResult()); }
bool casts_out(const OpInfo& info) { return is_marked<CastResult>(info); }

}  // namespace luth
