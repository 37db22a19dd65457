#include "devices/cpu/libraries/onednn.h"

#include "core/base/per_thread.h"

namespace luth::cpu {

// Never destroyed, as the caches of primitives: threads may outlive static objects.
const dnnl::engine& engine() {
  static const auto& e = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return e;
}
dnnl::stream& stream() {
  struct Stream : dnnl::stream {
    Stream() : stream(engine()) {}
  };
  static constinit thread_local PerThread<Stream> s;
  return *s;
}

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

Operand operand(int arg, const Desc& plain, const Desc& wanted, bool output) {
  Operand o{arg, plain, wanted, nullptr, 0};
  if (plain == wanted) return o;
  const Desc& from = output ? wanted : plain;
  const Desc& to = output ? plain : wanted;
  dnnl::reorder::primitive_desc pd(engine(), from, engine(), to, attributes());
  o.scratch = pd.scratchpad_desc().get_size();
  o.reorder = std::make_unique<dnnl::reorder>(pd);
  return o;
}

void run_reorder(const Operand& o, const dnnl::memory& from, const dnnl::memory& to) {
  Scratch scratch(int64_t(o.scratch));
  std::unordered_map<int, dnnl::memory> args{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  if (o.scratch)
    args[DNNL_ARG_SCRATCHPAD] =
        dnnl::memory(Desc({int64_t(o.scratch)}, dnnl::memory::data_type::u8, Tag::a), engine(), scratch.get());
  o.reorder->execute(stream(), args);
}

void execute(const Primitive& p, std::initializer_list<const void*> in, void* out, const ConvFilters* filters) {
  std::unordered_map<int, dnnl::memory> args;
  std::vector<std::unique_ptr<Scratch>> reordered;  // inputs and output in the primitive's layouts
  auto fresh = [&](const Desc& d) {
    reordered.push_back(std::make_unique<Scratch>(int64_t(d.get_size())));
    return dnnl::memory(d, engine(), reordered.back()->get());
  };
  auto data = in.begin();
  for (const Operand& o : p.in) {
    dnnl::memory user(o.plain, engine(), const_cast<void*>(*data++));
    if (filters && o.arg == DNNL_ARG_WEIGHTS && filters->layout == o.wanted) {
      user = dnnl::memory(o.wanted, engine(), filters->data.get());
    } else if (o.reorder) {
      dnnl::memory inner = fresh(o.wanted);
      run_reorder(o, user, inner);
      user = inner;
    }
    args.emplace(o.arg, user);
  }
  dnnl::memory user(p.out.plain, engine(), out), inner = p.out.reorder ? fresh(p.out.wanted) : user;
  args.emplace(p.out.arg, inner);
  Scratch scratch(int64_t(p.scratch));
  if (p.scratch)
    args.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(Desc({int64_t(p.scratch)}, dnnl::memory::data_type::u8, Tag::a),
                                                   engine(), scratch.get()));
  p.run.execute(stream(), args);
  if (p.out.reorder) run_reorder(p.out, inner, user);
  stream().wait();
}

}  // namespace luth::cpu
