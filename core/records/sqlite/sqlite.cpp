// Queries by libsqlite3. The database is opened for reading, and its own schema is not trusted: it may come from
// anyone.
#include <sqlite3.h>
#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "core/base/interrupt.h"
#include "core/base/open_file.h"
#include "core/base/visible.h"
#include "core/records/sql.h"

namespace luth::data {
namespace {

constexpr int most_bytes = 64 << 20;  // of a value or a row
constexpr int steps_between_polls = 1 << 20;
// Instructions that a query of a view of the file may take, which may have no end: so many, and more for each byte.
constexpr int64_t steps = 200'000'000, steps_of_byte = 1'000;

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};

class Query final : public Records {
 public:
  Query(const std::string& path, const std::string& query) : Records("'" + path + "'") {
    struct stat s {};
    check_is_file_if_there(path, s);
    std::error_code none;
    const std::string real = std::filesystem::weakly_canonical(path, none).string();
    struct stat beside {};
    for (const char* end : {"-journal", "-wal", "-shm"}) check_is_file_if_there(real + end, beside);
    steps_left_ = steps + steps_of_byte * s.st_size;
    sqlite3* db = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(db);
    if (code != SQLITE_OK) fail("cannot open it");
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, most_bytes);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(db, steps_between_polls, poll, this);
    sqlite3_set_authorizer(db, note_view, this);
    prepare(query);
  }
  std::string where() const override { return "row " + std::to_string(row_); }

  bool next(std::vector<Cell>& row) override {
    const int code = sqlite3_step(statement_.get());
    if (stopped_) std::rethrow_exception(stopped_);
    if (code == SQLITE_DONE) return false;
    if (code != SQLITE_ROW) fail("the query fails");
    ++row_;
    row.assign(columns_.size(), {});
    for (size_t i = 0; i < row.size(); ++i) row[i] = cell(int(i));
    return true;
  }

 private:
  // Not opened for that: to close it would end the locks that other databases of this process hold on it.
  static void check_is_file_if_there(const std::string& path, struct stat& s) {
    if (::stat(path.c_str(), &s) == 0) check_is_file(path, s);
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error("{}: {}: {}", name_, what, foreign(db_ ? sqlite3_errmsg(db_.get()) : "no memory", 300));
  }

  void prepare(const std::string& query) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(db_.get(), query.c_str(), int(query.size()) + 1, &statement, &rest);
    statement_.reset(statement);
    if (code != SQLITE_OK) fail("the query is wrong");
    if (!statement) throw Error("{}: the query is empty", name_);
    if (!sqlite3_stmt_readonly(statement)) throw Error("{}: the query writes; a dataset reads by SELECT", name_);
    if (std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos)
      throw Error("{}: there is more than one query, from '{}' on", name_, foreign(rest, 40));
    std::vector<std::string> names;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const char* column = sqlite3_column_name(statement, i);
      names.emplace_back(column ? column : "");
    }
    columns_ = column_names(std::move(names), name_);
  }

  Cell cell(int i) const {
    sqlite3_stmt* s = statement_.get();
    switch (sqlite3_column_type(s, i)) {
      case SQLITE_INTEGER: {
        const int64_t value = sqlite3_column_int64(s, i);
        if (value > most_exact || value < -most_exact) return {Cell::Kind::plain, 0, text(i)};
        return {Cell::Kind::number, double(value), {}};
      }
      case SQLITE_FLOAT: return {Cell::Kind::number, sqlite3_column_double(s, i), {}};
      case SQLITE_TEXT: return {Cell::Kind::text, 0, text(i)};
      case SQLITE_BLOB:
        throw Error("{}, row {}, column '{}': a blob is no value of a table; leave the column out of the query", name_,
                    row_, foreign(columns_[size_t(i)]));
      default: return {};
    }
  }

  std::string_view text(int i) const {
    auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), i));
    if (!text) throw Error("{}, row {}: no memory", name_, row_);
    return {text, size_t(sqlite3_column_bytes(statement_.get(), i))};
  }

  // The view that the schema of the file has brought into the query, if it has; all else the caller has asked for.
  static int note_view(void* self, int, const char*, const char*, const char*, const char* view) {
    auto& q = *static_cast<Query*>(self);
    try {
      if (view && q.view_.empty()) q.view_ = view;
      return SQLITE_OK;
    } catch (const std::bad_alloc&) { return SQLITE_DENY; }
  }

  // No exception passes SQLite's frames.
  static int poll(void* self) {
    auto& q = *static_cast<Query*>(self);
    try {
      poll_interrupt();
      q.steps_left_ -= steps_between_polls;
      if (q.view_.empty() || q.steps_left_ > 0) return 0;
      throw Error(
          "{}, {}: the view '{}' of the file takes too long, and may have no end; query the tables of the file "
          "instead",
          q.name_, q.where(), foreign(q.view_));
    } catch (const std::exception&) { q.stopped_ = std::current_exception(); }
    return 1;
  }

  std::unique_ptr<sqlite3, Close> db_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  int64_t row_ = 0, steps_left_ = 0;
  std::string view_;
  std::exception_ptr stopped_;
};

class Sqlite final : public SqlReader {
 public:
  std::unique_ptr<Records> read(const std::string& path, const std::string& query) const override {
    return std::make_unique<Query>(path, query);
  }
};

const Sqlite reader;
[[maybe_unused]] const bool added = (add_sql_reader(&reader), true);

}  // namespace
}  // namespace luth::data
