// What a reader of records needs first: their format, and the refusal of bytes that are none.
#pragma once

#include <stdexcept>

namespace rocktable {

inline constexpr unsigned char kRecordFormat = 1;

// Stored bytes that no version of this program can have written: the disk is damaged.
class CorruptRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rocktable
