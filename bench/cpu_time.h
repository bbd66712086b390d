// CPU time (user and system) of this process and of a server's processes, from the CPU clocks of the kernel.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <optional>
#include <string_view>
#include <vector>

namespace rocktable {

// What one measurement used, in seconds.
struct CpuTimes {
  double client = 0, server = 0;

  CpuTimes& operator+=(const CpuTimes& other);
  // Returns the client's part of the sum, 0 to 1.
  double client_share() const;
};

// CPU clocks have a resolution of nanoseconds. The times in /proc/PID/stat count in ticks of 10 ms, longer than
// many measurements.
using CpuClocks = std::vector<clockid_t>;

// Returns the clocks of all processes of a group: the process that was started, and its children.
CpuClocks cpu_clocks_of_group(pid_t group);

// Returns the sum of all clocks in seconds, or nullopt if one of the processes has ended.
std::optional<double> cpu_seconds(const CpuClocks& clocks);
double own_cpu_seconds();

// Returns the process group from the contents of /proc/PID/stat, or nullopt if the text has another form.
std::optional<pid_t> group_in_stat(std::string_view stat);

}  // namespace rocktable
