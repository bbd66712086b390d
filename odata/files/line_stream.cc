// Lines are small, so the stream is read and written in large blocks.
#include "odata/files/line_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <istream>
#include <ostream>

namespace rocktable {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::optional<std::string_view> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    const bool last = end == std::string::npos && !fill();
    if (end == std::string::npos && !last) continue;
    if (last && begin_ == buffer_.size()) return std::nullopt;
    const auto line = std::string_view(buffer_).substr(begin_, std::min(end, buffer_.size()) - begin_);
    begin_ = scanned_ = last ? buffer_.size() : end + 1;
    ++line_;
    const bool marked = line_ == 1 && line.starts_with(kByteOrderMark);
    return marked ? line.substr(kByteOrderMark.size()) : line;
  }
}

// Reads more of the current line. Returns false at the end.
bool LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  scanned_ = buffer_.size();
  if (scanned_ > kMaxLineBytes) {
    refuse({line_ + 1, 1},
           "the line is longer than " + std::to_string(kMaxLineBytes) + " bytes, the most that is read");
  }
  buffer_.resize(scanned_ + kBlockBytes);
  errno = 0;
  in_.read(buffer_.data() + scanned_, static_cast<std::streamsize>(kBlockBytes));
  const auto count = static_cast<std::size_t>(in_.gcount());
  buffer_.resize(scanned_ + count);
  bytes_read_ += count;
  if (in_.bad()) refuse({}, std::string("cannot be read: ") + std::strerror(errno != 0 ? errno : EIO));
  return count != 0;
}

void LineReader::refuse(FilePlace place, std::string_view sentence) const { throw FileError(file_, place, sentence); }

void LineWriter::end_line(std::string_view end) {
  text_ += end;
  if (text_.size() >= kBlockBytes) write_out();
}

void LineWriter::flush() {
  write_out();
  errno = 0;
  if (!out_.flush()) fail();
}

void LineWriter::write_out() {
  errno = 0;
  if (!out_.write(text_.data(), static_cast<std::streamsize>(text_.size()))) fail();
  text_.clear();
}

void LineWriter::fail() const {
  throw FileError(file_, {}, std::string("cannot be written: ") + std::strerror(errno != 0 ? errno : EIO));
}

FilePlace place_in_line(std::uint64_t line, std::string_view text, std::size_t offset) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  const std::string_view before = text.substr(0, offset);
  return {line, 1 + static_cast<std::uint64_t>(std::count_if(before.begin(), before.end(), begins_character))};
}

FilePlace place_in_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line
  const auto line_feeds = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  return place_in_line(1 + line_feeds, before.substr(line_begin), offset);
}

}  // namespace rocktable
