// Values that were replaced, but still apply: access policies that take effect late, names of deleted tables.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/date_time.h"
#include "base/threads/mutex.h"

namespace rocktable {

// Thread-safe. Keeps at most ten thousand tables; beyond that, the values of the first are dropped.
class PastValues {
 public:
  struct Period {
    DateTime begin, end;
  };

  // `value` applied to the table until it was replaced, at the beginning of the period, and still applies until its
  // end. If the clock is turned back to before its beginning, it applies no more.
  void keep(std::string_view account, std::string_view table, std::string value, Period period);

  // Returns the oldest value that still applies; nullopt: the current one applies.
  std::optional<std::string> find(std::string_view account, std::string_view table, DateTime now);

  // Forgets the tables of an account; nullopt: of all.
  void forget(std::optional<std::string_view> account);

 private:
  static constexpr std::size_t kMaxTables = 10'000;

  struct Past {
    std::string value;
    Period period;
  };
  using Key = std::pair<std::string, std::string>;  // the account, and the table in lower case

  Mutex mutex_;
  std::map<Key, std::deque<Past>> values_;
};

}  // namespace rocktable
