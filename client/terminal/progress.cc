#include "client/terminal/progress.h"

#include <algorithm>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "client/terminal/text_width.h"

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLineInterval{10};
constexpr std::chrono::seconds kMinTime{1};  // too early for an estimate of the time left
constexpr std::size_t kBarWidth = 30, kShortestBar = 8;
constexpr const char* kClearLine = "\r\x1B[K";

std::string bar(double fraction, std::size_t width) {
  const auto done = static_cast<std::size_t>(fraction * static_cast<double>(width));
  return "[" + std::string(done, '=') + std::string(width - done, ' ') + "] ";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts)
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::optional<std::chrono::seconds> time_left(std::chrono::duration<double> passed, std::optional<double> first,
                                              std::optional<double> now) {
  if (!first || !now || *now <= *first || passed < kMinTime) return std::nullopt;
  const auto left = passed * ((1 - std::min(*now, 1.0)) / (*now - *first));
  return std::chrono::ceil<std::chrono::seconds>(left);
}

}  // namespace

std::string short_time(std::chrono::seconds time) {
  using std::chrono::ceil, std::chrono::minutes, std::chrono::hours;
  if (time < minutes(1)) return std::to_string(time.count()) + " s";
  const auto whole = ceil<minutes>(time);
  if (whole < hours(1)) return std::to_string(whole.count()) + " min";
  return std::to_string(whole / hours(1)) + " h " + std::to_string(whole % hours(1) / minutes(1)) + " min";
}

std::string progress_line(const ProgressState& state, std::size_t bar_columns) {
  const double fraction = std::clamp(state.fraction.value_or(0), 0.0, 1.0);
  std::string percent, count = with_commas(state.entities) + (state.entities == 1 ? " entity" : " entities"), left;
  std::string rate = with_commas(static_cast<std::uint64_t>(std::max(state.entities_per_second, 0.0))) + "/s";
  if (state.fraction) percent = std::to_string(static_cast<int>(fraction * 100)) + " %";
  if (state.left) left = short_time(*state.left) + " left";
  const auto text = [&] { return joined({percent, count, rate, left}); };
  const std::string head = state.what + ": ";
  if (bar_columns == 0) return head + text();

  const std::size_t room = bar_columns - 1;  // a character in the last column may start a new line
  for (std::string* const part : {&rate, &count, &left}) {
    if (width_of(head) + width_of(text()) <= room) break;
    if (part != &count || !percent.empty()) part->clear();
  }
  std::string line = head + text();
  const std::size_t width = width_of(line), around = bar(0, 0).size();
  if (width > room) return std::string(shortened(line, room));
  const std::size_t bar_width = std::min(kBarWidth, room - width - std::min(around, room - width));
  if (state.fraction && bar_width >= kShortestBar) line.insert(head.size(), bar(fraction, bar_width));
  return line;
}

void Progress::show(const std::string& what, std::uint64_t entities, std::optional<double> fraction,
                    Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const Clock::duration interval = terminal_ ? Clock::duration(kBarInterval) : Clock::duration(kLineInterval);
  if (what != what_) {
    what_ = what;
    started_ = now;
    first_ = entities;
    first_fraction_ = fraction;
    next_ = now + interval;
    return;
  }
  if (now < next_) return;
  next_ = now + interval;
  const std::chrono::duration<double> passed = now - started_;
  const double rate = static_cast<double>(entities - std::min(first_, entities)) / std::max(passed.count(), 0.001);
  const ProgressState state{printable(what), entities, fraction, rate, time_left(passed, first_fraction_, fraction)};
  if (terminal_) {
    out_ << kClearLine << progress_line(state, static_cast<std::size_t>(std::max(columns_(), 2))) << std::flush;
    bar_is_shown_ = true;
  } else {
    out_ << "rocktable: " << progress_line(state, 0) << '\n' << std::flush;
  }
}

void Progress::print_line(const std::string& sentence) {
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
