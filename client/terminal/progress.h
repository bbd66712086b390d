// What a long command tells while it works: a bar on a terminal, now and then a line elsewhere. On standard error.
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

  // `terminal`: whether lines may be written over. `columns` is asked for its width before each line, for it may change.
  Progress(std::ostream& out, bool terminal, std::function<int()> columns = terminal_columns)
      : out_(out), terminal_(terminal), columns_(std::move(columns)) {}
  ~Progress() { clear(); }

  // How far the work at `what` is, fraction from 0 to 1 where that is known; shown from time to time.
  void show(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
            Clock::time_point now = Clock::now());

  // A line of its own, beginning `rocktable: `; printable, as what is shown (odata/printable.h).
  void tell(const std::string& sentence);

 private:
  void clear();

  std::mutex mutex_;
  std::ostream& out_;
  bool terminal_;
  std::function<int()> columns_;
  bool bar_is_shown_ = false;
  std::string what_;
  Clock::time_point started_{}, next_{};
  std::uint64_t first_ = 0;               // entities at started_
  std::optional<double> first_fraction_;  // likewise
};

// What a line tells.
struct ProgressState {
  std::string what;
  std::uint64_t entities = 0;
  std::optional<double> fraction = {};
  double entities_per_second = 0;
  std::optional<std::chrono::seconds> left = {};
};

// `mytable: [====      ] 50 %, 12,000 entities, 4,000/s, 3 s left`; without the bar where `bar_columns` is 0. Else it has fewer
// characters than that: the bar becomes shorter, then parts go, the rate first, and of a name too long its end.
std::string progress_line(const ProgressState& state, std::size_t bar_columns);

// `9 s`, `4 min`, `2 h 5 min`
std::string short_time(std::chrono::seconds time);

// 1234567 as `1,234,567`.
std::string with_commas(std::uint64_t number);

}  // namespace rocktable
