// nn.utils.rnn: packed and padded sequences.
#include "core/autograd/autograd.h"
#include "core/ops/elementwise/arith.h"
#include "lang/collector/trial_deletion.h"
#include "lang/nn/nn.h"
#include "lang/runtime/bridge.h"
#include "lang/runtime/functions.h"
#include "lang/runtime/tables.h"
#include "lang/values/devices.h"
#include "lang/values/named_arguments.h"
#include "lang/values/settings.h"
#include "lang/values/tensor_values.h"

namespace luth::lang {
namespace {

using nn::PackedRef;

// ---- Arguments -----------------------------------------------------------------------------------------------------

// Moves the arguments of these names from the table at the end to the first positions, unless they are there; nil for
// those that are nowhere. An empty table behind them names nothing.
void place_first(lua_State* L, const std::vector<std::string>& names) {
  if (const int top = lua_gettop(L); top > int(names.size()) && lua_istable(L, top)) {
    lua_pushnil(L);
    lua_settop(L, lua_next(L, top) ? top : top - 1);
  }
  for (int at = 1; at <= int(names.size()); ++at) {
    const int top = lua_gettop(L);
    if (at <= top && !is_named(L, at)) continue;
    if (top && is_named(L, top))
      lua_getfield(L, top, names[size_t(at - 1)].c_str());
    else
      lua_pushnil(L);
    lua_insert(L, at);
  }
}

nn::Lengths check_lengths(lua_State* L, int index, const std::string& what) {
  nn::Lengths list;
  if (to_tensor(L, index)) {
    const Tensor& t = check_tensor(L, index);
    if (is_floating(t.dtype()) || t.dim() != 1 || !t.device().on_host())
      throw Error("{} a list of integers or such a tensor on the CPU, got {}", what, given_text(L, index));
    return nn::to_lengths(t);
  }
  if (!lua_istable(L, index)) throw Error("{} a list of integers, got {}", what, given_text(L, index));
  each_element(L, index, [&](int at, lua_Integer) { list.push_back(check_integer(L, at)); });
  return list;
}
const PackedRef& check_packed(lua_State* L, int index, const char* what) {
  return check_ref<PackedRef>(L, index, what, "a PackedSequence");
}

// ---- PackedSequence ------------------------------------------------------------------------------------------------

// Positions count from 1 in the language.
Tensor moved(const Tensor& t, int by) {
  NoGrad no_grad;
  return t ? add(t, by) : t;
}
nn::PackedSequence& self(lua_State* L) { return self_ref<PackedRef>(L, "expects a PackedSequence"); }

int packed_index(lua_State* L) {
  const nn::PackedSequence& p = self(L);
  if (push_method(L)) return 1;
  const std::string_view name = luaL_checkstring(L, 2);
  if (name == "data") return push_tensor(L, p.data), 1;
  if (name == "batch_sizes") return push_tensor(L, p.batch_sizes), 1;
  if (name == "sorted_indices") return push_tensor(L, moved(p.sorted_indices, 1)), 1;
  if (name == "unsorted_indices") return push_tensor(L, moved(p.unsorted_indices, 1)), 1;
  if (name == "is_cuda") return lua_pushboolean(L, p.data.device().kind() == "cuda"), 1;
  throw Error("a PackedSequence has no field '{}': it has data, batch_sizes, sorted_indices, unsorted_indices", name);
}
int packed_text(lua_State* L) {
  self(L);
  std::string s = "PackedSequence(";
  for (const char* name : {"data", "batch_sizes", "sorted_indices", "unsorted_indices"}) {
    lua_getfield(L, 1, name);
    s += std::string(s.back() == '(' ? "" : ", ") + name + "=" +
         (lua_isnil(L, -1) ? "None" : luaL_tolstring(L, -1, nullptr));
    lua_settop(L, 1);
  }
  s += ")";
  return lua_pushlstring(L, s.data(), s.size()), 1;
}
int push_converted(lua_State* L, std::optional<Dtype> dtype, Device* device) {
  return push_packed(L, nn::converted(self(L), dtype, device)), 1;
}
int to(lua_State* L) {
  std::optional<Dtype> dtype;
  Device* device = nullptr;
  self(L);
  for (int i = 2; i <= lua_gettop(L); ++i)
    if (to_box<Dtype>(L, i))
      dtype = check_dtype(L, i);
    else
      device = &check_device(L, i);
  return push_converted(L, dtype, device);
}
template <Dtype d>
int to_dtype(lua_State* L) {
  return push_converted(L, d, nullptr);
}
int to_cpu(lua_State* L) { return push_converted(L, {}, &host()); }
int to_cuda(lua_State* L) { return push_converted(L, {}, &cuda_at(L, 2, "cuda")); }

constexpr Row packed_methods[] = {
    {"to", guarded<to>, "p:to(device or dtype)", "The same sequences, moved or converted."},
    {"cpu", guarded<to_cpu>, "p:cpu()", "The same sequences on the CPU."},
    {"cuda", guarded<to_cuda>, "p:cuda(device?)", "The same sequences on a GPU."},
    {"half", guarded<to_dtype<Dtype::f16>>, "p:half()", "The same sequences in float16."},
    {"float", guarded<to_dtype<Dtype::f32>>, "p:float()", "The same sequences in float32."},
    {"double", guarded<to_dtype<Dtype::f64>>, "p:double()", "The same sequences in float64."},
};

// ---- nn.utils.rnn --------------------------------------------------------------------------------------------------

/// The named settings that these functions have among them, and the arguments before them.
struct Given {
  std::string function;
  bool batch_first = false, enforce_sorted = true;
  double padding_value = 0;
  std::optional<int64_t> total_length;
  std::string padding_side = "right";

  /// Reads the arguments of `names`, which lie at 1, 2, … then, and the settings of `settings`.
  Given(lua_State* L, const char* name, const std::vector<std::string>& names, const std::vector<std::string>& settings)
      : function(std::string("nn.utils.rnn.") + name) {
    place_first(L, names);
    read_settings(
        L, int(names.size()) + 1, function,
        [&](Fields& f) {
          for (auto& s : settings) {
            if (s == "batch_first") f("batch_first", batch_first, "");
            if (s == "enforce_sorted") f("enforce_sorted", enforce_sorted, "");
            if (s == "padding_value") f("padding_value", padding_value, "");
            if (s == "total_length") f("total_length", total_length, "");
            if (s == "padding_side") f("padding_side", padding_side, "");
          }
        },
        names);
  }
  /// Argument 2.
  nn::Lengths lengths(lua_State* L) const { return check_lengths(L, 2, expects("lengths")); }
  std::string expects(const char* argument) const { return function + ": argument '" + argument + "' expects"; }
};

int new_packed(lua_State* L) {
  const Given g(L, "PackedSequence", {"data", "batch_sizes", "sorted_indices", "unsorted_indices"}, {});
  auto optional = [&](int at, const char* name) {
    return is_none(L, at) ? Tensor() : moved(check_tensor(L, at, g.expects(name).c_str()), -1);
  };
  push_packed(L, nn::make_packed(check_tensor(L, 1, g.expects("data").c_str()),
                                 check_tensor(L, 2, g.expects("batch_sizes").c_str()), optional(3, "sorted_indices"),
                                 optional(4, "unsorted_indices")));
  return 1;
}
int pack_padded(lua_State* L) {
  const Given g(L, "pack_padded_sequence", {"input", "lengths"}, {"batch_first", "enforce_sorted"});
  const Tensor& input = check_tensor(L, 1, g.expects("input").c_str());
  return push_packed(L, nn::pack_padded_sequence(input, g.lengths(L), g.batch_first, g.enforce_sorted)), 1;
}
int pad_packed(lua_State* L) {
  const Given g(L, "pad_packed_sequence", {"sequence"}, {"batch_first", "padding_value", "total_length"});
  const auto& p = *check_packed(L, 1, g.expects("sequence").c_str());
  const auto [padded, lengths] = nn::pad_packed_sequence(p, g.batch_first, g.padding_value, g.total_length);
  push_tensor(L, padded);
  push_tensor(L, nn::to_tensor(lengths));
  return 2;
}
int pad_list(lua_State* L) {
  const Given g(L, "pad_sequence", {"sequences"}, {"batch_first", "padding_value", "padding_side"});
  const Tensors list = check_tensors(L, 1, g.expects("sequences").c_str());
  return push_tensor(L, nn::pad_sequence(list, g.batch_first, g.padding_value, g.padding_side)), 1;
}
int pack_list(lua_State* L) {
  const Given g(L, "pack_sequence", {"sequences"}, {"enforce_sorted"});
  const Tensors list = check_tensors(L, 1, g.expects("sequences").c_str());
  return push_packed(L, nn::pack_sequence(list, g.enforce_sorted)), 1;
}
int unpad(lua_State* L) {
  const Given g(L, "unpad_sequence", {"padded_sequences", "lengths"}, {"batch_first"});
  const Tensor& padded = check_tensor(L, 1, g.expects("padded_sequences").c_str());
  return push_list(L, nn::unpad_sequence(padded, g.lengths(L), g.batch_first)), 1;
}
int unpack(lua_State* L) {
  const Given g(L, "unpack_sequence", {"packed_sequences"}, {});
  return push_list(L, nn::unpack_sequence(*check_packed(L, 1, g.expects("packed_sequences").c_str()))), 1;
}
int invert(lua_State* L) {
  const Tensor& order = check_tensor(L, 1, "nn.utils.rnn.invert_permutation expects");
  return push_tensor(L, moved(nn::invert_permutation(moved(order, -1)), 1)), 1;
}

constexpr Row rows[] = {
    {"PackedSequence", guarded<new_packed>,
     "nn.utils.rnn.PackedSequence(data, batch_sizes, sorted_indices = nil, unsorted_indices = nil)",
     "Sequences of different lengths without padding: data has the elements of all at step 1, then those at step 2, "
     "and so on; batch_sizes counts the sequences that have each step. RNN, LSTM and GRU take and give it."},
    {"pack_padded_sequence", guarded<pack_padded>,
     "nn.utils.rnn.pack_padded_sequence(input, lengths, {batch_first = false, enforce_sorted = true})",
     "Packs padded sequences, [steps, batch, …]. With enforce_sorted = false they need not be sorted by length."},
    {"pad_packed_sequence", guarded<pad_packed>,
     "nn.utils.rnn.pad_packed_sequence(sequence, {batch_first = false, padding_value = 0, total_length = nil})",
     "The sequences of a PackedSequence as a padded tensor, and their lengths."},
    {"pad_sequence", guarded<pad_list>,
     "nn.utils.rnn.pad_sequence(sequences, {batch_first = false, padding_value = 0, padding_side = 'right'})",
     "A list of sequences, [length, …] each, as one padded tensor."},
    {"pack_sequence", guarded<pack_list>, "nn.utils.rnn.pack_sequence(sequences, {enforce_sorted = true})",
     "Packs a list of sequences."},
    {"unpad_sequence", guarded<unpad>, "nn.utils.rnn.unpad_sequence(padded_sequences, lengths, {batch_first = false})",
     "Padded sequences as a list, without the padding."},
    {"unpack_sequence", guarded<unpack>, "nn.utils.rnn.unpack_sequence(packed_sequences)",
     "The sequences of a PackedSequence as a list."},
    {"invert_permutation", guarded<invert>, "nn.utils.rnn.invert_permutation(permutation)",
     "The permutation that undoes a permutation of positions."},
};

const void* each_tensor_of_packed(lua_State* L, int index, const HeldTensors::Visit& visit) {
  const PackedRef packed = to_packed(L, index);
  if (packed) visit(packed->data);
  return packed.get();
}
const HeldTensors held_tensors(each_tensor_of_packed);

}  // namespace

void push_packed(lua_State* L, const nn::PackedRef& p) { push_box<PackedRef>(L, p); }
nn::PackedRef to_packed(lua_State* L, int index) {
  const PackedRef* p = to_box<PackedRef>(L, index);
  return p ? *p : PackedRef();
}

void open_rnn_utils(lua_State* L, int utils) {
  open_box<PackedRef>(L, "nn.utils.rnn.PackedSequence");
  finish_class(L, packed_methods, guarded<packed_index>,
               {{"__gc", destroy_box<PackedRef>}, {"__tostring", guarded<packed_text>}});
  lua_newtable(L);
  add_functions(L, -1, rows);
  document(L, -1, "nn.utils.rnn\n  Sequences of different lengths: padded, packed, and in lists.");
  lua_setfield(L, utils, "rnn");
}

}  // namespace luth::lang
