// BufferedText: collects text in a block of fixed size and appends full blocks to a string. Text written in
// small pieces then costs one capacity check per piece, instead of one per character.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace rocktable {

// The string is complete only after flush(). Text that is not flushed is lost.
class BufferedText {
 public:
  static constexpr std::size_t kBlockBytes = 4096;

  // The string must outlive this object. Nothing else may append to it before flush().
  explicit BufferedText(std::string& out) : out_(out) {}
  BufferedText(const BufferedText&) = delete;
  BufferedText& operator=(const BufferedText&) = delete;

  // Returns at least `bytes` bytes of writable memory (at most kBlockBytes). The caller writes there, then calls
  // commit() with the end of what it wrote.
  char* prepare(std::size_t bytes) {
    if (bytes > block_.size() - size_) flush();
    return block_.data() + size_;
  }
  void commit(const char* end) { size_ = static_cast<std::size_t>(end - block_.data()); }

  void append(char c) {
    *prepare(1) = c;
    ++size_;
  }

  void append(std::string_view text) {
    if (text.size() > kBlockBytes) {
      flush();
      out_ += text;
      return;
    }
    char* const at = prepare(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());  // an empty view may have no address
    size_ += text.size();
  }

  // For a string literal: its size is a constant, so that the copy compiles to a few instructions.
  template <std::size_t Size>
  void append(const char (&literal)[Size]) {
    std::memcpy(prepare(Size - 1), literal, Size - 1);
    size_ += Size - 1;
  }

  void flush() {
    out_.append(block_.data(), size_);
    size_ = 0;
  }

 private:
  std::string& out_;
  std::size_t size_ = 0;
  std::array<char, kBlockBytes> block_;  // not initialised: written before it is read
};

}  // namespace rocktable
