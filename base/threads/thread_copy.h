// Copies of shared data, one for each thread. Reading a copy writes to no memory of other threads. A lock or a
// reference count of the shared data would be a cache line that all threads write to for each request.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// The version of shared data. Thread-safe.
class Version {
 public:
  // Returns a number that no other object and no earlier version has.
  std::uint64_t current() const { return number_.load(std::memory_order_acquire); }

  // Makes all copies outdated. Must be called before the change is visible to others.
  void change() { number_.store(next(), std::memory_order_release); }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::atomic<std::uint64_t> number_ = next();
};

// The value for one key, as of one version. Objects are thread_local.
template <class Value>
class ThreadCopy {
 public:
  // Returns nullptr if the copy is of another version or key.
  const Value* find(std::uint64_t version, std::string_view key) const {
    return value_ && version_ == version && key_ == key ? &*value_ : nullptr;
  }

  // `version` must have been current before `value` was read.
  const Value& keep(std::uint64_t version, std::string_view key, Value value) {
    version_ = version;
    key_ = key;
    return value_.emplace(std::move(value));
  }

 private:
  std::uint64_t version_ = 0;
  std::string key_;
  std::optional<Value> value_;
};

}  // namespace rocktable
