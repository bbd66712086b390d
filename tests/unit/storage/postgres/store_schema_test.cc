// The URL of the database: what is refused before libpq sees it, and what messages show of it.
#include "storage/postgres/store_schema.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "storage/store_error.h"

namespace rocktable::TEST_FILE {
namespace {

std::string refusal(const std::string& url) { return refuse_store_url("postgresql://" + url).value_or(""); }

// Each has `SECRET` in its password, and is not a URL.
const std::vector<std::string> kMistaken = {"u:TOP@SECRET@host/db",
                                            "u:SECRET@SECRET@host",
                                            "u:a@SECRET@host1:1,host2:2/db?sslmode=prefer",
                                            "u:50%zzSECRET@host",
                                            "u:SECRET%@host/data",
                                            "u:SECRET%4@host/data",
                                            "u:SECRET%00@host/data",
                                            "u:SECRET@[::1/x",
                                            "u:SECRET@[::1]x/y",
                                            "u:SECRET@host/data?no_such_parameter=1",
                                            "u:SECRET@host/data?user",
                                            "u:SECRET/c?a=b@host",
                                            "u:SECRET?a=b@host",
                                            "u:SECRET/c@host/data",
                                            "u:a@SECRET/c@host/data",
                                            "u:a?SECRET@host",
                                            "u?password=SECRET@SECRET",
                                            "u:SECRET",
                                            "u:SECRET/data",
                                            "u:SECRET/data?sslmode=prefer",
                                            "u:1SECRET,host/data"};

TEST_CASE("A URL that libpq can read as it is meant is accepted") {
  for (const std::string_view url : {"host",
                                     "host/data",
                                     "host:5432/data",
                                     "user@host/data",
                                     "user@host:/data",
                                     "u:secret@host",
                                     "u:s%2Fe@host/data",
                                     "u:%40%25%3a@host:1/data",
                                     "u:s#e!t$&*()=+,;@host/data",
                                     "/data?host=/tmp",
                                     "%2Ftmp/data",
                                     "host/data?user=a@b",
                                     "host:5432/data?user=a@b",
                                     "u:s@host/data?options=a@b",
                                     "u:s@host?options=a@b",
                                     "u:s@[::1]/data",
                                     "u:s@[::1]:5432/data",
                                     "u:s@one:1,[::2]:2,three/data?target_session_attrs=any",
                                     "?user=a&password=b",
                                     ""}) {
    CAPTURE(url);
    CHECK(refusal(std::string(url)) == "");
  }
}

TEST_CASE("A password in the URL of a store must be percent-encoded, so that no message shows a part of it") {
  const struct {
    std::string url, advice;
  } cases[] = {
      {"u:sec/ret@host/data", "%2F for a slash"},
      {"u:sec?ret@host/data", "%3F for a question mark"},
      {"u:1/2@host", "%2F for a slash"},
      {"u/x:secret@host?a=b", "%2F for a slash"},
      {"u:a@b@host/data", "%40 for an @"},
      {"u:50%@host/data", "%25 for a percent sign"},
      {"u:5%0@host/data", "%25 for a percent sign"},
      {"host/a%xdata", "%25 for a percent sign"},
      {"u:secret/c?a=b@host", "a port that is not a number"},
      {"host:x/data", "a port that is not a number"},
      {"u:s@[::1]:x/data", "a port that is not a number"},
      {"u:s@::1/data", "a port that is not a number"},
      {"u:s@[::1/data", "an IPv6 address needs [ and ]"},
      {"host/data?x=1", "parameters of libpq"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.url);
    CHECK(refusal(c.url).find(c.advice) != std::string::npos);
  }
  for (const std::string& url : kMistaken) {
    CAPTURE(url);
    CHECK(refusal(url) != "");
    CHECK(refusal(url).find("SECRET") == std::string::npos);
  }
}

TEST_CASE("A URL that is refused is never given to libpq, whose messages repeat it") {
  for (const std::string& url : kMistaken) {
    CAPTURE(url);
    try {
      StoreOptions options;
      options.url = "postgresql://" + url;
      options.timeout = std::chrono::milliseconds(1);
      PgHealth health({});
      open_schema(options, health);
      FAIL_CHECK("it is refused");
    } catch (const StoreError& error) {
      CHECK(error.what() == refusal(url));
    }
  }
}

TEST_CASE("The printed URL of a store has neither password nor parameters, whatever the URL is") {
  const struct {
    std::string url, printed;
  } cases[] = {
      {"host", "host"},
      {"host:5432/data?sslmode=x", "host:5432/data"},
      {"one:1,two:2/data", "one:1,two:2/data"},
      {"[::1]:5432/data", "[::1]:5432/data"},
      {"user@host:5432/data", "user@host:5432/data"},
      {"u:s@host:5432/data?sslmode=x", "u:***@host:5432/data"},
      {"u:a@b@host/data?sslmode=x", "u:***@host/data"},
      {"u:a:b@[::1]:1/data", "u:***@[::1]:1/data"},
      {"u/x:secret@host", "u/x:***@host"},
      {"u:secret", "u:***"},
      {"u:secret/data", "u:***"},
      {"?password=a@b", ""},
      {"host/data?user=a:b@c", "host/data"},
      {"host/data?user=a@b", "host/data"},
      {"u:s@host/data?options=a@b", "u:***"},
      {"u:secret/c?a=b@host", "u:***"},
      {"u?secret:secret@host", "u"},
      {"u:@host", "u:***@host"},
      {"@", "@"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.url);
    CHECK(printable_store_url("postgresql://" + c.url) == "postgresql://" + c.printed);
  }
  CHECK(printable_store_url("u:secret@host") == "of --store");
  for (const std::string& url : kMistaken) {
    CAPTURE(url);
    CHECK(printable_store_url("postgresql://" + url).find("SECRET") == std::string::npos);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
