// Finds the processes of a group in /proc, and reads their CPU clocks.
#include "bench/cpu_time.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rocktable {
namespace {

std::optional<double> seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::optional<pid_t> number_of(std::string_view text) {
  pid_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

CpuTimes& CpuTimes::operator+=(const CpuTimes& other) {
  client += other.client;
  server += other.server;
  return *this;
}

double CpuTimes::client_share() const {
  const double sum = client + server;
  return sum > 0 ? client / sum : 0;
}

// PID (name) state parent group ...  The name may contain blanks and parentheses, so it ends at the last one.
std::optional<pid_t> group_in_stat(std::string_view stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view fields = stat.substr(name_end + 1);
  for (int skipped = 0; skipped < 3; ++skipped) {
    const auto blank = fields.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    fields.remove_prefix(blank + 1);
  }
  return number_of(fields.substr(0, fields.find(' ')));
}

CpuClocks cpu_clocks_of_group(pid_t group) {
  CpuClocks out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto process = number_of(entry.path().filename().string());
    if (!process) continue;
    std::ifstream file(entry.path() / "stat", std::ios::binary);  // empty if the process has ended meanwhile
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    clockid_t clock = 0;
    if (group_in_stat(stat) == group && clock_getcpuclockid(*process, &clock) == 0) out.push_back(clock);
  }
  return out;
}

std::optional<double> cpu_seconds(const CpuClocks& clocks) {
  double sum = 0;
  for (const clockid_t clock : clocks) {
    const auto seconds = seconds_of(clock);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum;
}

double own_cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID).value_or(0); }

}  // namespace rocktable
