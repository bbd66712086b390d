#include "odata/insight/billed_requests.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

// The whole table of learn.microsoft.com/rest/api/storageservices/
// storage-analytics-logged-operations-and-status-messages, with the status that each has most commonly.
TEST_CASE("requests are billed as the service's table says") {
  struct {
    std::string_view status;
    int http;
    bool billed;
  } const cases[] = {
      {"Success", 200, true},
      {"AnonymousSuccess", 200, true},
      {"SASSuccess", 200, true},
      {"ThrottlingError", 503, false},
      {"AnonymousThrottlingError", 503, false},
      {"SASThrottlingError", 503, false},
      {"ClientTimeoutError", 500, true},
      {"AnonymousClientTimeoutError", 500, true},
      {"SASClientTimeoutError", 500, true},
      {"ServerTimeoutError", 500, false},
      {"AnonymousServerTimeoutError", 500, false},
      {"SASServerTimeoutError", 500, false},
      {"ClientOtherError", 404, true},
      {"SASClientOtherError", 404, true},
      {"AnonymousClientOtherError", 412, true},
      {"ServerOtherError", 500, false},
      {"AnonymousServerOtherError", 500, false},
      {"SASServerOtherError", 500, false},
      {"AuthorizationError", 403, true},
      {"AnonymousAuthorizationError", 403, false},
      {"SASAuthorizationError", 403, true},
      {"NetworkError", 0, true},
      {"AnonymousNetworkError", 0, true},
      {"SASNetworkError", 0, true},
  };
  for (const auto& one : cases) {
    CAPTURE(one.status);
    CHECK(is_billed(one.status, one.http) == one.billed);
  }
}

TEST_CASE("the HTTP status decides where the request's status is an error code, or not known") {
  struct {
    std::string_view status;
    int http;
    bool billed;
  } const cases[] = {
      {"ResourceNotFound", 404, true},
      {"EntityAlreadyExists", 409, true},
      {"ServerBusy", 503, false},
      {"InternalError", 500, false},
      {"", 200, true},
      {"", 404, true},
      {"", 500, false},
      {"", 503, false},
      {"SAS", 200, true},
      {"AnonymousSASSuccess", 503, false},
  };
  for (const auto& one : cases) {
    CAPTURE(one.status);
    CAPTURE(one.http);
    CHECK(is_billed(one.status, one.http) == one.billed);
  }
}

}  // namespace rocktable::TEST_FILE
