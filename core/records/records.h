// Rows of named values, read one after the other: what CSV files, JSON lines and queries of SQLite have in common.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace luth::data {

/// One value of a row.
struct Cell {
  enum class Kind : uint8_t {
    missing,
    number,
    text,
    plain  // a text that may be a number or stand for a missing value: the file does not say; whole numbers beyond
           // most_exact too
  };
  Kind kind = Kind::missing;
  double number = 0;
  std::string_view text;  // valid until the next row is read
};

/// A source of rows. Errors name the file, and the line and column where there are such.
class Records {
 public:
  virtual ~Records();
  /// "'houses.csv'", for messages.
  const std::string& name() const { return name_; }
  /// The names of the columns, each once.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Reads the next row, a cell for each column; false at the end.
  virtual bool next(std::vector<Cell>& row) = 0;
  /// "line 7": where the last row is.
  virtual std::string where() const = 0;

 protected:
  explicit Records(std::string name) : name_(std::move(name)) {}
  std::string name_;
  std::vector<std::string> columns_;
};

/// A row may have so many columns at most.
inline constexpr size_t most_columns = 100'000;

/// Up to here a double holds all whole numbers, and no other rounds to one of them.
inline constexpr int64_t most_exact = (int64_t(1) << 53) - 1;
/// Whether the text is a whole number beyond it, as identifiers are, which as a double would lose digits.
bool is_beyond_exact(std::string_view text);
/// Whether the text is a finite number, in decimal digits; it goes to `out`.
bool parse_number(std::string_view text, char decimal, double& out);
/// The names with those that are empty replaced by their positions, from 1. Throws for a name twice, and for none.
std::vector<std::string> column_names(std::vector<std::string> names, const std::string& file);
/// The position of the column; throws where there is none of the name.
size_t column_position(const std::vector<std::string>& names, const std::string& name, const std::string& file);
/// Sorts the names of categories: numbers by size, others by their bytes.
void sort_categories(std::vector<std::string>& names);

}  // namespace luth::data
