// Datasets of tables: numbers and categories in columns, as vectors of features and targets.
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "core/data/dataset.h"
#include "core/records/records.h"
#include "core/tensor/describe.h"

namespace luth::data {

/// How columns become values. Names of columns are those of the file.
struct TableSpec {
  std::vector<std::string> target;      // empty: samples are features alone
  std::vector<std::string> usecols;     // features in this order; empty: all but the targets, in the file's order
  std::vector<std::string> drop;        // columns that are left out
  std::vector<std::string> categories;  // columns that hold categories though they may look like numbers
  std::vector<std::string> na_values;   // texts that stand for missing values, beside the usual ones
  std::string decimal = ".", encode = "one_hot", missing = "mean";
  bool standardize = true;
  void describe(auto& field) {
    field("encode", encode, "'one_hot': a feature for each category; 'codes': labels in a tensor of their own",
          as::named);
    field("missing", missing, "'mean': of the column; 'drop': leaves the row out; 'error'", as::named);
    field("standardize", standardize, "numbers of features get mean 0 and standard deviation 1", as::named);
  }
};

using OpenRecords = std::function<std::unique_ptr<Records>(const std::string& path)>;

/// A sample is a vector of features, float32[D]: numbers, and with one_hot the categories; with 'codes' the labels of
/// the categories, int64[C], behind it; then the target: a label where it is a category, else float32 for each. The
/// label behind the last one, and no feature with one_hot, is of a category that is missing or that is not known.
class TableDataset final : public Dataset {
 public:
  /// Reads all rows, 8 bytes for each value. `open` reads other files, for of_files; it may be null. `fit`: what
  /// another dataset has learned, whose columns are taken; null: learned of these rows. Columns whose first value is a
  /// number are numbers, others are categories, in the order of their names. Throws, with line and column, for a column
  /// that holds both, for a target that is missing or no class that is known; for columns that are not there, a target
  /// of one class, and a table without rows.
  TableDataset(Records& records, OpenRecords open, TableSpec spec, const Fit* fit = nullptr);
  ~TableDataset() override;
  std::string name() const override { return name_; }
  int64_t size() const override { return rows_; }
  Sample get(int64_t i, const Epoch& epoch) override;
  Tensors batch(std::span<const int64_t> indices, const Epoch& epoch) override;
  bool makes_batches() const override { return true; }
  std::vector<std::string> classes() const override;
  /// The features of the rows of these files, as this dataset has learned to read them; rows with missing values stay.
  DatasetRef of_files(const std::vector<std::string>& paths) const override;

  const Fit* fit() const override { return &fit_; }
  /// Throws where columns differ, or a target is no class of it.
  void set_fit(Fit fit) override;
  /// Learns of these rows alone.
  void learn(std::span<const int64_t> rows);
  /// The names of the features in a sample: "area", "city=Paris".
  std::vector<std::string> features() const;

 private:
  struct Column;
  void choose_columns(const std::vector<std::string>& names, const Fit* fit);
  void add_column(const std::vector<std::string>& names, const std::string& name);
  void read(Records& records);
  bool add_row(const Records& records, const std::vector<Cell>& cells);
  double value_of(const Records& records, Column& column, const Cell& cell) const;
  void check_columns() const;
  void check_fit(const std::vector<ColumnFit>& fit, size_t from, size_t n) const;
  std::vector<std::string> categories_in(std::span<const int64_t> rows, size_t column) const;
  void measure(std::span<const int64_t> rows, std::vector<ColumnFit*>& columns) const;
  void prepare();
  double& at(int64_t row, size_t column) const;
  bool has_classes() const;
  Tensors outputs(int64_t n) const;
  void fill(int64_t row, int64_t at, const Tensors& to) const;

  TableSpec spec_;
  OpenRecords open_;  // null: of_files gives nothing
  std::string name_;
  std::vector<Column> columns_;  // features, then targets
  size_t targets_ = 0;           // how many are targets
  std::vector<Tensor> blocks_;   // float64[rows of a block, columns]; nan: missing; categories in order of appearance
  int64_t rows_ = 0;
  int block_shift_ = 0;  // a block has 2 to the power of it rows
  Fit fit_;
  int64_t width_ = 0, codes_ = 0;  // features and labels of a sample
};

}  // namespace luth::data
