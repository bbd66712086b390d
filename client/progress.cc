#include "client/progress.h"

#include <algorithm>

#include "odata/printable.h"

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLineInterval{10};
constexpr std::size_t kBarWidth = 30;
constexpr const char* kClearLine = "\r\x1B[K";

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::string progress_line(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
                          double entities_per_second, bool bar) {
  std::string out = what + ": ";
  if (fraction) {
    const double part = std::clamp(*fraction, 0.0, 1.0);
    const auto done = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
    if (bar) out += "[" + std::string(done, '=') + std::string(kBarWidth - done, ' ') + "] ";
    out += std::to_string(static_cast<int>(part * 100)) + " %, ";
  }
  return out + with_commas(entities) + " entities, " +
         with_commas(static_cast<std::uint64_t>(std::max(entities_per_second, 0.0))) + "/s";
}

void Progress::show(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
                    Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const Clock::duration interval = terminal_ ? Clock::duration(kBarInterval) : Clock::duration(kLineInterval);
  if (what != what_) {
    what_ = what;
    started_ = now;
    first_ = entities;
    next_ = now + interval;
    return;
  }
  if (now < next_) return;
  next_ = now + interval;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = static_cast<double>(entities - std::min(first_, entities)) / std::max(seconds, 0.001);
  const std::string line = printable(progress_line(what, entities, fraction, rate, terminal_));
  if (terminal_) {
    out_ << kClearLine << line << std::flush;
    bar_is_shown_ = true;
  } else {
    out_ << "rocktable: " << line << '\n' << std::flush;
  }
}

void Progress::tell(const std::string& sentence) {
  clear();
  const std::lock_guard lock(mutex_);
  out_ << "rocktable: " << printable(sentence) << '\n' << std::flush;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (bar_is_shown_) out_ << kClearLine << std::flush;
  bar_is_shown_ = false;
}

}  // namespace rocktable
