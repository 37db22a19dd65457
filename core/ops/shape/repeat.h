// Repeating, turning round and rolling. See op.h for the recipe.
#pragma once
#include "core/op/define.h"

namespace luth::ops {

struct Repeat {
  static constexpr Doc doc{"repeat", "input", "Copies of the tensor side by side: as many along each dim as named."};
  static constexpr Traits traits{.offered = Offered::method};
  Ints repeats;
  void describe(auto& field) {
    field("repeats", repeats, "how often along each dim; more of them than dims make new first dims",
          as::sizes | as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Repeat> samples() {
    return {{{{2, 3}}, {{2, 3}}}, {{{2, 1, 3}}, {{2, 3}}}, {{{1, 1}}, {{2, 3}}}, {{{2}}, {{}}}, {{{0, 2}}, {{2, 3}}}};
  }
};
struct Tile {
  static constexpr Doc doc{"tile", "input",
                           "Copies of the tensor side by side, as repeat; numbers for the last dims may stand alone."};
  Ints dims;
  void describe(auto& field) {
    field("dims", dims, "how often along each dim, the last of them last", as::sizes | as::required);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<Tile> samples() { return {{{{2}}, {{2, 3}}}, {{{2, 1, 3}}, {{2, 3}}}, {{{}}, {{2, 3}}}}; }
};

/// What `repeat_interleave` takes beside `repeats`.
void describe_interleaved(auto& field, std::optional<int64_t>& dim, std::optional<int64_t>& output_size) {
  field("dim", dim, "the dim; nil: of all elements as one dim", as::dim);
  field("output_size", output_size, "how many there will be, where that is known", as::named);
}
struct RepeatInterleave {
  static constexpr Doc doc{"repeat_interleave", "input", "Each position along a dim, or each element, repeated."};
  int64_t repeats = 1;
  std::optional<int64_t> dim{}, output_size{};
  void describe(auto& field) {
    field("repeats", repeats, "how often", as::required);
    describe_interleaved(field, dim, output_size);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RepeatInterleave> samples();
};
struct RepeatInterleaveEach {
  static constexpr Doc doc{"repeat_interleave.each", "input, repeats",
                           "Each position along a dim, or each element, repeated as often as `repeats` says for it."};
  std::optional<int64_t> dim{}, output_size{};
  void describe(auto& field) { describe_interleaved(field, dim, output_size); }
  Tensor decompose(const Inputs& in) const;
  static Cases<RepeatInterleaveEach> samples();
};
struct RepeatedPositions {
  static constexpr Doc doc{"repeat_interleave.positions", "repeats",
                           "Each position in `repeats`, as often as the number there says."};
  static constexpr Traits traits{.not_differentiable = "its result is positions"};
  std::optional<int64_t> output_size;
  int base = 0;
  void describe(auto& field) {
    field("output_size", output_size, "how many there will be, where that is known", as::named);
    field("base", base, "from where positions count", as::base);
  }
  Tensor decompose(const Inputs& in) const;
  static Cases<RepeatedPositions> samples();
};

struct Flip {
  static constexpr Doc doc{"flip", "input", "The tensor with the order along some dims turned round; a copy."};
  Ints dims;
  void describe(auto& field) { field("dims", dims, "the dims", as::sizes | as::dim | as::required); }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Flip> samples() { return {{{{1}}, {{2, 3}}}, {{{0, -1}}, {{2, 3, 2}}}, {{{}}, {{2, 3}}}}; }
};
struct Roll {
  static constexpr Doc doc{"roll", "input",
                           "The tensor moved along some dims; what leaves at one end comes in at the other."};
  Ints shifts;
  Ints dims;
  void describe(auto& field) {
    field("shifts", shifts, "how far along each of dims, towards the end", as::required);
    field("dims", dims, "the dims; none: along all elements as one dim", as::dim);
  }
  Tensor decompose(const Inputs& in) const;
  Tensors vjp(const Call& c, const Tensor& dy) const;
  static Cases<Roll> samples() {
    return {{{{1}, {}}, {{2, 3}}}, {{{1, -5}, {0, 1}}, {{2, 3}}}, {{{0}, {1}}, {{2, 3}}}, {{{3}, {}}, {{}}}};
  }
};

}  // namespace luth::ops

namespace luth {
inline constexpr Fn<ops::Repeat> repeat;
inline constexpr Fn<ops::Tile> tile;
inline constexpr Fn<ops::RepeatInterleave> repeat_interleave;
inline constexpr Fn<ops::RepeatInterleaveEach> repeat_interleave_each;
inline constexpr Fn<ops::Flip> flip;
inline constexpr Fn<ops::Roll> roll;
}  // namespace luth
