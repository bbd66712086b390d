// What a long command tells while it works: a bar on a terminal, now and then a line elsewhere. On standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

namespace rocktable {

// Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `terminal`: whether lines may be written over.
  Progress(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}
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
  bool bar_is_shown_ = false;
  std::string what_;
  Clock::time_point started_{}, next_{};
  std::uint64_t first_ = 0;  // entities at started_
};

// The bar, or the line: `mytable  [=====>     ]  50 %  12,000 entities, 4,000/s`.
std::string progress_line(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
                          double entities_per_second, bool bar);

// 1234567 as `1,234,567`.
std::string with_commas(std::uint64_t number);

}  // namespace rocktable
