#include "core/records/sql.h"

#include <atomic>

#include "core/device/device.h"

namespace luth::data {
namespace {

std::atomic<const SqlReader*> opened = nullptr;

}  // namespace

SqlReader::~SqlReader() = default;
void add_sql_reader(const SqlReader* reader) { opened = reader; }

std::unique_ptr<Records> read_sql(const std::string& path, const std::string& query) {
  const std::string trouble = opened ? "" : open_library("sqlite");
  if (!opened)
    throw Error(
        "databases of SQLite cannot be read: {}; luth is built with them where libsqlite3 is installed (Debian: "
        "libsqlite3-dev)",
        trouble);
  return opened.load()->read(path, query);
}

}  // namespace luth::data
