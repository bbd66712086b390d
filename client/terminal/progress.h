// Progress of a long command on standard error: a bar on a terminal, a line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "client/terminal/terminal.h"

namespace rocktable {

// Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `terminal`: whether lines can be overwritten. `columns` returns the width; it is called for each line,
  // because the width may change.
  Progress(std::ostream& out, bool terminal, std::function<int()> columns = terminal_columns)
      : out_(out), terminal_(terminal), columns_(std::move(columns)) {}
  ~Progress() { clear(); }

  // Reports progress on `what`; `fraction` is from 0 to 1 if known. Prints at intervals only, so it may be
  // called often.
  void show(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
            Clock::time_point now = Clock::now());

  // Prints one line that starts with `rocktable: `. Escapes control characters (base/printable.h), as show()
  // does.
  void print_line(const std::string& sentence);

 private:
  void clear();

  std::mutex mutex_;
  std::ostream& out_;
  bool terminal_;
  std::function<int()> columns_;
  bool bar_is_shown_ = false;
  std::string what_;
  Clock::time_point started_{}, next_{};
  std::uint64_t first_ = 0;               // entities when `what_` started
  std::optional<double> first_fraction_;  // fraction when `what_` started
};

// The contents of one line.
struct ProgressState {
  std::string what;
  std::uint64_t entities = 0;
  std::optional<double> fraction = {};
  double entities_per_second = 0;
  std::optional<std::chrono::seconds> left = {};
};

// Returns `mytable: [====      ] 50 %, 12,000 entities, 4,000/s, 3 s left`, without the bar if `bar_columns`
// is 0. Otherwise the line is shorter than `bar_columns`: first the bar shrinks, then the rate, the count and
// the time are dropped in this order, then the line is cut off.
std::string progress_line(const ProgressState& state, std::size_t bar_columns);

// `9 s`, `4 min`, `2 h 5 min`
std::string short_time(std::chrono::seconds time);

}  // namespace rocktable
