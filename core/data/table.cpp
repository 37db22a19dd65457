#include "core/data/table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/base/interrupt.h"
#include "core/base/visible.h"

namespace luth::data {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t block_values = 1 << 17;
constexpr size_t most_one_hot = 4096;  // categories of a column
constexpr int64_t rows_between_polls = 1 << 14;

bool is_usually_missing(std::string_view s) {
  if (s.size() > 4) return false;
  for (std::string_view word : {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"})
    if (s == word) return true;
  return false;
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

struct TableDataset::Column {
  enum class Kind { unknown, number, category };
  std::string name;
  size_t source;  // the position in the file
  Kind kind = Kind::unknown;
  bool forced = false;                              // it holds categories, whatever they look like
  std::map<std::string, int64_t, std::less<>> ids;  // of categories, in order of appearance
  std::vector<int64_t> code;                        // by id; -1: not known
  int64_t categories = 0, first = 0;                // how many are known; the first feature, or label
  double mean = 0, std = 1;
};

TableDataset::~TableDataset() = default;

TableDataset::TableDataset(Records& records, OpenRecords open, TableSpec spec, const Fit* fit)
    : spec_(std::move(spec)), open_(std::move(open)), name_(records.name()) {
  if (spec_.encode != "one_hot" && spec_.encode != "codes")
    throw Error("encode is 'one_hot' or 'codes', got '{}'", spec_.encode);
  if (spec_.missing != "mean" && spec_.missing != "drop" && spec_.missing != "error")
    throw Error("missing is 'mean', 'drop' or 'error', got '{}'", spec_.missing);
  choose_columns(records.columns(), fit);
  read(records);
  if (rows_ == 0) throw Error("{} has no rows", name_);
  check_columns();
  if (fit) {
    set_fit(*fit);
    return;
  }
  std::vector<int64_t> all(static_cast<size_t>(rows_));
  std::iota(all.begin(), all.end(), 0);
  learn(all);
}

DatasetRef TableDataset::of_files(const std::vector<std::string>& paths) const {
  if (!open_) return {};
  Fit inputs = fit_;
  inputs.targets.clear();
  TableSpec spec = spec_;
  if (spec.missing == "drop") spec.missing = "mean";
  std::vector<DatasetRef> parts;
  for (auto& path : paths) {
    parts.push_back(DatasetRef(new TableDataset(*open_(path), open_, spec, &inputs)));
    parts.back()->base = base;
  }
  return parts.size() == 1 ? parts[0] : DatasetRef(new ConcatDataset(std::move(parts)));
}

// ---- columns ----

void TableDataset::add_column(const std::vector<std::string>& names, const std::string& name) {
  Column c;
  c.name = name;
  c.source = column_position(names, name, name_);
  c.forced = contains(spec_.categories, name);
  if (c.forced) c.kind = Column::Kind::category;
  columns_.push_back(std::move(c));
}

void TableDataset::choose_columns(const std::vector<std::string>& names, const Fit* fit) {
  for (auto* list : {&spec_.target, &spec_.usecols, &spec_.drop, &spec_.categories})
    for (auto& name : *list)
      if (!fit) column_position(names, name, name_);
  std::vector<std::string> features = spec_.usecols, targets = spec_.target;
  if (fit) {
    features.clear(), targets.clear();
    for (auto& c : fit->features) features.push_back(c.name);
    for (auto& c : fit->targets) targets.push_back(c.name);
    if (std::none_of(targets.begin(), targets.end(), [&](auto& t) { return contains(names, t); })) targets.clear();
  } else if (features.empty()) {
    for (auto& name : names)
      if (!contains(targets, name) && !contains(spec_.drop, name)) features.push_back(name);
  }
  for (auto& name : features)
    if (contains(targets, name)) throw Error("{}: column '{}' is a target and a feature", name_, foreign(name));
  for (auto& name : features) add_column(names, name);
  for (auto& name : targets) add_column(names, name);
  targets_ = targets.size();
  if (features.empty()) throw Error("{} has no columns for features beside the target", name_);
  for (size_t i = 0; fit && i < columns_.size(); ++i) {
    const ColumnFit& f = i < features.size() ? fit->features[i] : fit->targets[i - features.size()];
    columns_[i].forced = f.is_category;
    columns_[i].kind = f.is_category ? Column::Kind::category : Column::Kind::number;
  }
}

void TableDataset::check_columns() const {
  for (const Column& c : columns_)
    if (c.kind == Column::Kind::unknown)
      throw Error("{}: column '{}' has no values; drop = {{'{}'}} leaves it out", name_, foreign(c.name),
                  foreign(c.name));
  for (size_t i = columns_.size() - targets_; targets_ > 1 && i < columns_.size(); ++i)
    if (columns_[i].kind == Column::Kind::category)
      throw Error("{}: the target '{}' holds categories, so it is the only target", name_, foreign(columns_[i].name));
}

bool TableDataset::has_classes() const { return targets_ == 1 && columns_.back().kind == Column::Kind::category; }

// ---- rows ----

void TableDataset::read(Records& records) {
  while (int64_t(columns_.size()) << (block_shift_ + 1) <= block_values) ++block_shift_;
  std::vector<Cell> cells;
  for (int64_t n = 1; records.next(cells); ++n) {
    if (rows_ == int64_t(blocks_.size()) << block_shift_)
      blocks_.push_back(Tensor::empty({int64_t(1) << block_shift_, int64_t(columns_.size())}, Dtype::f64, host()));
    rows_ += add_row(records, cells);
    if (n % rows_between_polls == 0) poll_interrupt();
  }
}

double& TableDataset::at(int64_t row, size_t column) const {
  const Tensor& block = blocks_[size_t(row >> block_shift_)];
  return block.data<double>()[size_t(row & ((int64_t(1) << block_shift_) - 1)) * columns_.size() + column];
}

// False where the row is left out.
bool TableDataset::add_row(const Records& records, const std::vector<Cell>& cells) {
  double* row = &at(rows_, 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    row[i] = value_of(records, columns_[i], cells[columns_[i].source]);
    if (!std::isnan(row[i])) continue;
    if (spec_.missing == "drop") return false;
    const bool is_target = i >= columns_.size() - targets_;
    if (is_target || spec_.missing == "error")
      throw Error("{}, {}, column '{}': {} is missing; missing = 'drop' leaves such rows out", name_, records.where(),
                  foreign(columns_[i].name), is_target ? "the target" : "the value");
  }
  return true;
}

// The number, or the id of the category; nan where it is missing.
double TableDataset::value_of(const Records& records, Column& column, const Cell& cell) const {
  using Kind = Column::Kind;
  if (cell.kind == Cell::Kind::missing) return nothing;
  const bool has_text = cell.kind != Cell::Kind::number;
  if (has_text && !spec_.na_values.empty() && contains(spec_.na_values, cell.text)) return nothing;
  double number = cell.number;
  const bool is_long = cell.kind == Cell::Kind::plain && is_beyond_exact(cell.text);
  const bool is_number = !has_text || (cell.kind == Cell::Kind::plain && !column.forced && !is_long &&
                                       parse_number(cell.text, spec_.decimal[0], number));
  if (is_number && !column.forced && column.kind != Kind::category) {
    column.kind = Kind::number;
    return number;
  }
  if (has_text && !is_number && is_usually_missing(cell.text)) return nothing;
  const auto refuse = [&](const std::string& why) {
    throw Error("{}, {}, column '{}': {}; categories = {{'{}'}} takes all as categories", name_, records.where(),
                foreign(column.name), why, foreign(column.name));
  };
  if (is_number && !column.forced) refuse("a number among texts");
  if (is_long && column.kind == Kind::number)
    refuse(fmt::format("{} would lose digits as a number", foreign(cell.text, 40)));
  if (column.kind == Kind::number || (column.kind == Kind::unknown && cell.kind == Cell::Kind::plain && !is_long)) {
    const std::string shown = foreign(cell.text, 40);
    if (parse_number(cell.text, ',', number)) refuse(fmt::format("'{}' is a number with decimal = ','", shown));
    if (column.kind == Kind::number)
      refuse(fmt::format("'{}' is no number, and the column holds numbers; na_values = {{'{}'}} takes it as missing",
                         shown, shown));
  }
  column.kind = Kind::category;
  const std::string made = has_text ? "" : fmt::format("{}", number);
  const std::string_view text = has_text ? cell.text : made;
  auto it = column.ids.find(text);
  if (it == column.ids.end()) it = column.ids.emplace(text, int64_t(column.ids.size())).first;
  return double(it->second);
}

// ---- what is learned ----

// Mean and deviation of each column, of the values that are there; row by row, as they lie in memory. A deviation that
// the rounding of the mean may have made is none: the values are the same, and the deviation stays 1.
void TableDataset::measure(std::span<const int64_t> rows, std::vector<ColumnFit*>& columns) const {
  std::vector<double> sums(columns.size()), squares(columns.size()), counts(columns.size());
  const auto add = [&](std::vector<double>& to, auto term) {
    for (int64_t row : rows) {
      const double* values = &at(row, 0);
      for (size_t i = 0; i < columns.size(); ++i)
        if (!std::isnan(values[i])) to[i] += term(values[i], i);
    }
  };
  add(counts, [](double, size_t) { return 1.0; });
  add(sums, [](double v, size_t) { return v; });
  for (size_t i = 0; i < columns.size(); ++i)
    if (!columns[i]->is_category && counts[i] > 0) columns[i]->mean = sums[i] / counts[i];
  add(squares, [&](double v, size_t i) { return (v - columns[i]->mean) * (v - columns[i]->mean); });
  for (size_t i = 0; i < columns.size(); ++i) {
    const double rounding = counts[i] * std::numeric_limits<double>::epsilon() * std::abs(columns[i]->mean);
    const double std = counts[i] > 0 ? std::sqrt(squares[i] / counts[i]) : 0;
    if (!columns[i]->is_category && std > rounding) columns[i]->std = std;
  }
}

// The categories that occur in the rows; of a target all, since a class has one label in all parts.
std::vector<std::string> TableDataset::categories_in(std::span<const int64_t> rows, size_t column) const {
  const Column& c = columns_[column];
  std::vector<bool> occurs(c.ids.size(), column >= columns_.size() - targets_);
  for (int64_t row : rows)
    if (const double id = at(row, column); !std::isnan(id)) occurs[size_t(id)] = true;
  std::vector<std::string> names;
  for (auto& [text, id] : c.ids)
    if (occurs[size_t(id)]) names.push_back(text);
  sort_categories(names);
  return names;
}

void TableDataset::learn(std::span<const int64_t> rows) {
  Fit fit;
  const size_t features = columns_.size() - targets_;
  fit.features.resize(features), fit.targets.resize(targets_);
  std::vector<ColumnFit*> all;
  for (size_t i = 0; i < columns_.size(); ++i) {
    ColumnFit& f = *all.emplace_back(i < features ? &fit.features[i] : &fit.targets[i - features]);
    f.name = columns_[i].name;
    f.is_category = columns_[i].kind == Column::Kind::category;
    if (f.is_category) f.categories = categories_in(rows, i);
  }
  measure(rows, all);
  if (has_classes() && all.back()->categories.size() < 2)
    throw Error("{}: the target '{}' has one class alone, '{}'", name_, foreign(columns_.back().name),
                foreign(all.back()->categories.at(0)));
  fit_ = std::move(fit);
  prepare();
}

void TableDataset::check_fit(const std::vector<ColumnFit>& fit, size_t from, size_t n) const {
  if (fit.size() != n) throw Error("{}: what was learned is of {} columns, here are {}", name_, fit.size(), n);
  for (size_t i = 0; i < n; ++i) {
    const Column& c = columns_[from + i];
    const bool is_category = c.kind == Column::Kind::category;
    if (c.name != fit[i].name || is_category != fit[i].is_category)
      throw Error("{}: what was learned has '{}' ({}) where this table has '{}' ({})", name_, foreign(fit[i].name),
                  fit[i].is_category ? "categories" : "numbers", foreign(c.name),
                  is_category ? "categories" : "numbers");
  }
}

void TableDataset::set_fit(Fit fit) {
  const size_t n = columns_.size() - targets_;
  check_fit(fit.features, 0, n);
  if (targets_) check_fit(fit.targets, n, targets_);
  if (has_classes()) {
    const auto& names = fit.targets[0].categories;
    const std::unordered_set<std::string_view> known(names.begin(), names.end());
    for (auto& [text, id] : columns_.back().ids)
      if (!known.contains(text))
        throw Error("{}: the class '{}' of '{}' is none of the training data", name_, foreign(text),
                    foreign(columns_.back().name));
  }
  fit_ = std::move(fit);
  prepare();
}

// What `fill` needs, of what was learned.
void TableDataset::prepare() {
  fit_.scales = spec_.standardize;
  width_ = codes_ = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& c = columns_[i];
    const size_t features = columns_.size() - targets_;
    const ColumnFit& f = i < features ? fit_.features[i] : fit_.targets[i - features];
    c.mean = f.mean, c.std = f.std, c.categories = int64_t(f.categories.size());
    c.code.assign(c.ids.size(), -1);
    for (size_t k = 0; k < f.categories.size(); ++k)
      if (auto it = c.ids.find(f.categories[k]); it != c.ids.end()) c.code[size_t(it->second)] = int64_t(k);
    if (i >= features) continue;
    const bool one_hot = spec_.encode == "one_hot";
    if (f.is_category && one_hot && f.categories.size() > most_one_hot)
      throw Error("{}: column '{}' has {} categories; drop = {{'{}'}} leaves it out, encode = 'codes' numbers them",
                  name_, foreign(c.name), c.categories, foreign(c.name));
    int64_t& end = f.is_category && !one_hot ? codes_ : width_;
    c.first = end;
    end += f.is_category && one_hot ? c.categories : 1;
  }
}

std::vector<std::string> TableDataset::features() const {
  std::vector<std::string> names;
  for (const ColumnFit& f : fit_.features) {
    if (!f.is_category) names.push_back(f.name);
    if (f.is_category && spec_.encode == "one_hot")
      for (auto& category : f.categories) names.push_back(f.name + "=" + category);
  }
  return names;
}

std::vector<std::string> TableDataset::classes() const {
  return has_classes() ? fit_.targets[0].categories : std::vector<std::string>();
}

// ---- samples ----

// Zeros for `n` samples.
Tensors TableDataset::outputs(int64_t n) const {
  Tensors out;
  const auto add = [&](Shape shape, Dtype d) {
    out.push_back(Tensor::empty(shape, d, host()));
    if (out.back().bytes()) std::memset(out.back().raw(), 0, out.back().bytes());
  };
  if (width_ > 0) add({n, width_}, Dtype::f32);
  if (codes_ > 0) add({n, codes_}, Dtype::i64);
  if (has_classes())
    add({n}, Dtype::i64);
  else if (targets_)
    add({n, int64_t(targets_)}, Dtype::f32);
  return out;
}

// Sample `row` becomes the one at `at`.
void TableDataset::fill(int64_t row, int64_t at, const Tensors& to) const {
  float* x = width_ ? to[0].data<float>() + at * width_ : nullptr;
  int64_t* codes = codes_ ? to[width_ > 0].data<int64_t>() + at * codes_ : nullptr;
  const size_t features = columns_.size() - targets_;
  const double* values = &this->at(row, 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& c = columns_[i];
    const double v = values[i];
    const bool is_category = c.kind == Column::Kind::category, known = !std::isnan(v);
    const int64_t code = is_category && known ? c.code[size_t(v)] : -1;
    if (i >= features) {
      if (is_category)
        to.back().data<int64_t>()[at] = code + base;
      else
        to.back().data<float>()[at * int64_t(targets_) + int64_t(i - features)] = float(v);
    } else if (!is_category) {
      x[c.first] = float(spec_.standardize ? (known ? (v - c.mean) / c.std : 0) : known ? v : c.mean);
    } else if (spec_.encode == "codes") {
      codes[c.first] = (code < 0 ? c.categories : code) + base;
    } else if (code >= 0) {
      x[c.first + code] = 1;
    }
  }
}

Tensors TableDataset::batch(std::span<const int64_t> indices, const Epoch&) {
  Tensors out = outputs(int64_t(indices.size()));
  for (size_t k = 0; k < indices.size(); ++k) fill(indices[k], int64_t(k), out);
  return out;
}

Sample TableDataset::get(int64_t i, const Epoch& epoch) {
  Sample s = only_sample(batch(std::span(&i, 1), epoch));
  if (has_classes()) s[s.size() - 1] = int64_t(s[s.size() - 1].tensor().item().integer());
  return s;
}

}  // namespace luth::data
