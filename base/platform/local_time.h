// Calendar times by the C library. Thread-safe.
#pragma once

#include <ctime>
#include <string>

namespace rocktable {

std::tm to_utc(std::time_t time);

// As in access logs of web servers: `27/Nov/2026:14:32:23 +0100`.
std::string local_time_of_log(std::time_t time);

}  // namespace rocktable
