// Lines from a stream and to one, in memory of a bounded size, with errors that name the file.
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

  // The next line without its line feed, valid until the next call; nothing at the end. A byte order mark at the
  // beginning of the file is left out. Throws FileError (a line of more than kMaxLineBytes, a stream that fails).
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
  std::size_t begin_ = 0;    // of what was not returned yet
  std::size_t scanned_ = 0;  // no line feed between begin_ and here
  std::uint64_t line_ = 0;
  std::uint64_t bytes_read_ = 0;
};

class LineWriter {
 public:
  LineWriter(std::ostream& out, std::string file) : out_(out), file_(std::move(file)) {}

  // To append to; end_line() adds the line feed and hands large amounts on.
  std::string& text() { return text_; }
  void end_line(std::string_view end = "\n");
  void flush();
  const std::string& file() const { return file_; }

 private:
  void hand_on();
  [[noreturn]] void fail() const;

  std::ostream& out_;
  std::string file_;
  std::string text_;
};

// Where byte `offset` of a line stands, for people.
FilePlace place_in_line(std::uint64_t line, std::string_view text, std::size_t offset);

}  // namespace rocktable
