#include "client/signing.h"

#include <ctime>

#include "base/platform/local_time.h"

namespace rocktable {

// strftime writes English names of days and months: the program never leaves the C locale.
std::string http_date() {
  const std::tm utc = to_utc(std::time(nullptr));
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

void add_shared_key(HttpRequest& request, const std::string& account, const AccountKey& key,
                    std::string_view content_type) {
  const std::string_view date = request.headers.get("x-ms-date");
  const std::string text = shared_key_string_to_sign(account, {request.method, "", content_type, date, request.target});
  request.headers.add("Authorization", "SharedKey " + account + ":" + key.sign(text));
}

}  // namespace rocktable
