#include "base/platform/local_time.h"

namespace rocktable {

std::tm to_utc(std::time_t time) {
  std::tm out{};
  gmtime_r(&time, &out);
  return out;
}

std::string local_time_of_log(std::time_t time) {
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%d/%b/%Y:%H:%M:%S %z", &local)};
}

}  // namespace rocktable
