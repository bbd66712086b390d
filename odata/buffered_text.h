// Text on its way into a string, by way of a block of fixed size: what is written in small pieces pays for one look at
// the block a piece, not for one at the string a character.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace rocktable {

// What was written is in the string after flush() alone; without it the rest is lost.
class BufferedText {
 public:
  static constexpr std::size_t kMaxRoom = 4096;

  // The string must outlive this; nobody else appends to it meanwhile.
  explicit BufferedText(std::string& out) : out_(out) {}
  BufferedText(const BufferedText&) = delete;
  BufferedText& operator=(const BufferedText&) = delete;

  // At least so many bytes to write to, at most kMaxRoom; commit() says where they ended.
  char* room(std::size_t bytes) {
    if (bytes > block_.size() - size_) flush();
    return block_.data() + size_;
  }
  void commit(const char* end) { size_ = static_cast<std::size_t>(end - block_.data()); }

  void append(char c) {
    *room(1) = c;
    ++size_;
  }

  void append(std::string_view text) {
    if (text.size() > kMaxRoom) {
      flush();
      out_ += text;
      return;
    }
    char* const at = room(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());  // an empty view may have no address
    size_ += text.size();
  }

  // A literal: its size is known, and so its copy is a few instructions.
  template <std::size_t Size>
  void append(const char (&literal)[Size]) {
    std::memcpy(room(Size - 1), literal, Size - 1);
    size_ += Size - 1;
  }

  void flush() {
    out_.append(block_.data(), size_);
    size_ = 0;
  }

 private:
  std::string& out_;
  std::size_t size_ = 0;
  std::array<char, kMaxRoom> block_;  // not initialised: written before it is read
};

}  // namespace rocktable
