// Reads and writes lines of a stream, in memory of bounded size. Errors name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "odata/files/entity_file.h"

namespace rocktable {

class LineReader {
 public:
  LineReader(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  // Returns the next line without its line feed, valid until the next call, or nullopt at the end. Removes a
  // byte order mark at the beginning of the file. Throws FileError for a line longer than kMaxLineBytes, and
  // if the stream fails.
  std::optional<std::string_view> next();

  // The number of the line that next() returned last.
  std::uint64_t line() const { return line_; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  const std::string& file() const { return file_; }

  [[noreturn]] void refuse(FilePlace place, std::string_view sentence) const;

 private:
  bool fill();

  std::istream& in_;
  std::string file_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the bytes not returned yet
  std::size_t scanned_ = 0;  // no line feed from begin_ up to here
  std::uint64_t line_ = 0;
  std::uint64_t bytes_read_ = 0;
};

class LineWriter {
 public:
  LineWriter(std::ostream& out, std::string file) : out_(out), file_(std::move(file)) {}

  // Append to text(), then call end_line(), which adds the line end and writes large amounts to the stream.
  std::string& text() { return text_; }
  void end_line(std::string_view end = "\n");
  void flush();
  const std::string& file() const { return file_; }

 private:
  void write_out();
  [[noreturn]] void fail() const;

  std::ostream& out_;
  std::string file_;
  std::string text_;
};

// Returns the position of byte `offset` of a line. FilePlace counts characters.
FilePlace place_in_line(std::uint64_t line, std::string_view text, std::size_t offset);

// The same for a text of several lines.
FilePlace place_in_text(std::string_view text, std::size_t offset);

}  // namespace rocktable
