// The secret of an instance. Keys for single purposes are derived from it, so that an instance can check what it issued
// without remembering it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "odata/protocol/shared_key.h"

namespace rocktable {

class InstanceSecret {
 public:
  // A new random secret, of this process.
  InstanceSecret();
  // A secret that a user chose, at least kMinTextBytes of any text: front ends of one store share it. Throws
  // std::invalid_argument if it is shorter.
  explicit InstanceSecret(std::string_view text);
  static constexpr std::size_t kMinTextBytes = 16;

  // The secret of the folder: that of the file kFile, which is created (mode 0600) if it is missing. If several
  // processes create it at once, all get the same. Throws std::runtime_error with a sentence: the file cannot be read
  // or written, or has another form.
  static InstanceSecret of_folder(const std::filesystem::path& folder);
  static constexpr const char* kFile = "__rocktable_identity__.json";

  // Returns the key for a purpose: base64 of 32 bytes, for AccountKey. The same secret and purpose have the same key;
  // a key tells nothing about the secret and other keys. Thread-safe.
  std::string derive(std::string_view purpose) const { return key_.sign(purpose); }

 private:
  explicit InstanceSecret(AccountKey key) : key_(std::move(key)) {}

  AccountKey key_;
};

}  // namespace rocktable
