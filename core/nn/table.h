// Torch7's modules that take or give tables.
#pragma once
#include "core/nn/container.h"

namespace luth::nn {

/// The base of containers that give each child arguments and collect the results.
class Branches : public ListModule {
 protected:
  /// The result of child i, several as a list.
  Argument result_of(size_t i, const Values& in);
};

/// Gives the same arguments to each child, and joins the results along `dim`.
class Concat final : public Container<Concat, Branches> {
 public:
  static constexpr const char* name = "Concat";
  static constexpr const char* brief = "the results of all children of the same input, joined along a dim";
  int64_t dim = 0;
  void describe(Fields& f) override { f("dim", dim, "dim to join along", as::dim | as::required); }
  Values forward(const Values& in) override;
  ModuleRef fresh() const override;
};

/// Gives the same arguments to each child. The result is the table of theirs.
class ConcatTable final : public Container<ConcatTable, Branches> {
 public:
  static constexpr const char* name = "ConcatTable";
  static constexpr const char* brief = "the table of the results of all children of the same input";
  Values forward(const Values& in) override;
};

/// Gives element i of a table to child i. The result is the table of theirs.
class ParallelTable final : public Container<ParallelTable, Branches> {
 public:
  static constexpr const char* name = "ParallelTable";
  static constexpr const char* brief = "child i of element i of a table, as a table";
  Values forward(const Values& in) override;
};

/// The base of modules of one table: Self has `Values run(const Values& table)`.
template <class Self, class S>
class OfTable : public Module {
 public:
  using Spec = S;
  explicit OfTable(Spec s) : spec(std::move(s)) {}
  Spec spec;
  std::string type() const override { return Spec::name; }
  void describe(Fields& f) override { spec.describe(f); }
  ModuleRef fresh() const override { return ModuleRef(new Self(spec)); }
  /// Several arguments are a table too.
  Values forward(const Values& in) override {
    return static_cast<Self&>(*this).run(in.size() == 1 && in[0].is_list() ? in[0].items() : in);
  }
};

struct JoinTableSpec {
  static constexpr const char* name = "JoinTable";
  static constexpr const char* brief = "the tensors of a table, joined along a dim";
  int64_t dim = 0;
  std::optional<int64_t> n_input_dims;
  void describe(auto& field) {
    field("dim", dim, "dim to join along", as::dim | as::required);
    field("n_input_dims", n_input_dims, "dims of a sample: tensors of more have batch dims before, and dim moves");
  }
};
class JoinTable final : public OfTable<JoinTable, JoinTableSpec> {
 public:
  using OfTable::OfTable;
  Values run(const Values& table);
};

struct SplitTableSpec {
  static constexpr const char* name = "SplitTable";
  static constexpr const char* brief = "the slices of a tensor along a dim, as a table";
  int64_t dim = 0;
  std::optional<int64_t> n_input_dims;
  void describe(auto& field) {
    field("dim", dim, "dim to split", as::dim | as::required);
    field("n_input_dims", n_input_dims, "dims of a sample: a tensor of more has batch dims before, and dim moves");
  }
};
class SplitTable final : public OfTable<SplitTable, SplitTableSpec> {
 public:
  using OfTable::OfTable;
  Values run(const Values& in);
};

struct SelectTableSpec {
  static constexpr const char* name = "SelectTable";
  static constexpr const char* brief = "one element of a table";
  int64_t index = 0;
  void describe(auto& field) {
    field("index", index, "position in the table; negative ones count from its end", as::index | as::required);
  }
};
class SelectTable final : public OfTable<SelectTable, SelectTableSpec> {
 public:
  using OfTable::OfTable;
  Values run(const Values& table);
};

struct CAddTableSpec {
  static constexpr const char* name = "CAddTable";
  static constexpr const char* brief = "the sum of the tensors of a table";
  bool inplace = false;
  void describe(auto& field) { field("inplace", inplace, "write the sum into the first tensor", as::if_set); }
};
class CAddTable final : public OfTable<CAddTable, CAddTableSpec> {
 public:
  using OfTable::OfTable;
  Values run(const Values& table);
};

struct CMulTableSpec {
  static constexpr const char* name = "CMulTable";
  static constexpr const char* brief = "the product of the tensors of a table, element by element";
  void describe(auto&) {}
};
class CMulTable final : public OfTable<CMulTable, CMulTableSpec> {
 public:
  using OfTable::OfTable;
  Values run(const Values& table);
};

}  // namespace luth::nn
