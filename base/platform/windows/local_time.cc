#include "base/platform/local_time.h"

#include <cstdio>
#include <cstdlib>

namespace rocktable {

std::tm to_utc(std::time_t time) {
  std::tm out{};
  gmtime_s(&out, &time);
  return out;
}

// `%z` of this C library is the name of the zone.
std::string local_time_of_log(std::time_t time) {
  std::tm local{};
  localtime_s(&local, &time);
  char text[32];
  const std::string day(text, std::strftime(text, sizeof text, "%d/%b/%Y:%H:%M:%S", &local));
  const long minutes = static_cast<long>(_mkgmtime(&local) - time) / 60;
  std::snprintf(text, sizeof text, " %c%02ld%02ld", minutes < 0 ? '-' : '+', std::labs(minutes) / 60,
                std::labs(minutes) % 60);
  return day + text;
}

}  // namespace rocktable
