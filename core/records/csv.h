// Comma-separated values (RFC 4180), with any delimiter.
#pragma once
#include <memory>
#include <optional>

#include "core/records/records.h"
#include "core/tensor/describe.h"

namespace luth::data {

struct CsvSpec {
  std::string delimiter, quote = "\"", decimal = ".";
  std::optional<bool> header;
  void describe(auto& field) {
    field("delimiter", delimiter, "what separates values; '': a tab in .tsv files, else what the first line has",
          as::named);
    field("quote", quote, "what surrounds values that hold delimiters or newlines; '': nothing does", as::named);
    field("decimal", decimal, "the decimal point of numbers", as::named);
    field("header", header, "whether the first line has names; nil: if no value of it is a number", as::named);
  }
};

/// The rows of a CSV file, plain or gzip, in UTF-8 with or without a BOM. Lines end in LF or CRLF; empty ones are left
/// out; blanks around values without quotes are dropped. Within quotes, two quotes are one. A piece of the file is in
/// memory at a time, with a whole row, of at most 64 MiB. Throws, with line and column, for rows of another length than
/// the first, for quotes that do not end or that text follows, and for zero bytes; for a file that is empty or UTF-16.
std::unique_ptr<Records> read_csv(const std::string& path, const CsvSpec& spec = {});

}  // namespace luth::data
