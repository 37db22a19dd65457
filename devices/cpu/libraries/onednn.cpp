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

namespace {
Desc bytes(size_t n) { return Desc({int64_t(n)}, dnnl::memory::data_type::u8, Tag::a); }

// The arguments of an operand's reorder.
struct Arguments {
  const Operand& operand;
  dnnl::memory from, to, scratch;
  std::unordered_map<int, dnnl::memory> args;
  Arguments(const Operand& o, const Desc& source, const Desc& target)
      : operand(o), from(source, engine(), nullptr), to(target, engine(), nullptr) {
    args = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    if (!o.scratch) return;
    scratch = dnnl::memory(bytes(o.scratch), engine(), nullptr);
    args[DNNL_ARG_SCRATCHPAD] = scratch;
  }
  void reorder() const {
    const Scratch room(int64_t(operand.scratch));
    if (room.get()) scratch.set_data_handle(room.get());
    operand.reorder->execute(stream(), args);
  }
};

// A primitive with its arguments.
struct BoundPrimitive {
  std::shared_ptr<const Primitive> primitive;
  std::vector<Arguments> in;
  Arguments out;
  dnnl::memory scratch;
  std::unordered_map<int, dnnl::memory> args;

  explicit BoundPrimitive(const std::shared_ptr<const Primitive>& p)
      : primitive(p), out(p->out, p->out.wanted, p->out.plain) {
    for (const Operand& o : p->in) args[o.arg] = in.emplace_back(o, o.plain, o.wanted).to;
    args[p->out.arg] = out.from;
    if (!p->scratch) return;
    scratch = dnnl::memory(bytes(p->scratch), engine(), nullptr);
    args[DNNL_ARG_SCRATCHPAD] = scratch;
  }
  void run(const void* const* data, void* result, const ConvFilters* filters) const {
    std::vector<Scratch> room;  // operands in the primitive's layouts
    const auto fresh = [&](const dnnl::memory& m, size_t size) {
      m.set_data_handle(room.emplace_back(int64_t(size)).get());
    };
    for (const Arguments& a : in) {
      void* const from = const_cast<void*>(*data++);
      const Operand& o = a.operand;
      if (filters && o.arg == DNNL_ARG_WEIGHTS && filters->layout == o.wanted) {
        a.to.set_data_handle(filters->data.get());
      } else if (o.reorder) {
        a.from.set_data_handle(from), fresh(a.to, o.wanted.get_size());
        a.reorder();
      } else {
        a.to.set_data_handle(from);
      }
    }
    const Operand& o = primitive->out;
    if (o.reorder)
      out.to.set_data_handle(result), fresh(out.from, o.wanted.get_size());
    else
      out.from.set_data_handle(result);
    if (primitive->scratch) fresh(scratch, primitive->scratch);
    primitive->run.execute(stream(), args);
    if (o.reorder) out.reorder();
    stream().wait();
  }
};
}  // namespace

void reorder_once(const Operand& o, const void* from, void* to) {
  const Arguments a(o, o.plain, o.wanted);
  a.from.set_data_handle(const_cast<void*>(from)), a.to.set_data_handle(to);
  a.reorder();
  stream().wait();
}

void execute(const std::shared_ptr<const Primitive>& p, std::initializer_list<const void*> in, void* out,
             const ConvFilters* filters) {
  static constinit thread_local PerThread<std::unique_ptr<BoundPrimitive>> of_thread;
  auto& bound = *of_thread;
  if (!bound || bound->primitive != p) bound = std::make_unique<BoundPrimitive>(p);
  bound->run(in.begin(), out, filters);
}

}  // namespace luth::cpu
