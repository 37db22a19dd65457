// Queries of SQLite. Its library is in one of luth's own, which is opened on first use (core/records/sqlite).
#pragma once
#include <memory>

#include "core/records/records.h"

namespace luth::data {

class SqlReader {
 public:
  virtual ~SqlReader();
  /// The rows of a query. Integers and reals are numbers; blobs are an error.
  virtual std::unique_ptr<Records> read(const std::string& path, const std::string& query) const = 0;
};
/// Called by the library when it is opened.
void add_sql_reader(const SqlReader* reader);

/// The rows of a query of a database, which is opened for reading alone. Throws for a file that is no database, for a
/// query that is wrong, that writes or that is several, and where luth was built without SQLite.
std::unique_ptr<Records> read_sql(const std::string& path, const std::string& query);

}  // namespace luth::data
