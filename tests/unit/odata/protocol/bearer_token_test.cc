// Bearer tokens: their form, their claims, and text that is not a token.
#include "odata/protocol/bearer_token.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/base64.h"

namespace rocktable::TEST_FILE {
namespace {

const DateTime kNow = parse_date_time("2021-05-22T23:05:14Z").value();
constexpr std::int64_t kNowSeconds = 1621724714;

std::string base64_url(std::string_view bytes) {
  std::string out = encode_base64(bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out.substr(0, out.find('='));
}

std::string token(std::string_view payload, std::string_view header = R"({"alg":"none"})") {
  return base64_url(header) + "." + base64_url(payload) + ".";
}

// The payload of a valid token. Tests replace parts of it.
struct Claims {
  std::string nbf = std::to_string(kNowSeconds - 60), exp = std::to_string(kNowSeconds + 60), iat = nbf,
              iss = R"("https://sts.windows.net/tenant/")", aud = R"("https://storage.azure.com")", more = "";

  std::string payload() const {
    return R"({"nbf":)" + nbf + R"(,"exp":)" + exp + R"(,"iat":)" + iat + R"(,"iss":)" + iss + R"(,"aud":)" + aud +
           more + "}";
  }
};

// Returns an empty string if the token is accepted, else code and sentence of the error.
std::string refusal(const std::string& text, std::string_view account = "acc") {
  const auto claims = parse_bearer_token(text);
  const auto fits = claims ? check_claims(*claims, account, kNow) : Result<void>(claims.error());
  if (fits) return "";
  CHECK(claims.has_value() == (fits.error().code == ErrorCode::InvalidBearerToken));
  return fits.error().message;
}

std::string refusal(const Claims& claims) { return refusal(token(claims.payload())); }

TEST_CASE("A token is read with its five claims, and any other claims") {
  const auto claims = parse_bearer_token(
      token(R"( {"x":{"iss":1,"aud":[{}]},"aud":["a","b"],"nbf":1,"exp":2.9,"iat":0,"iss":"\u00e9","y":[[1]]} )"));
  REQUIRE(claims.has_value());
  CHECK(to_string(claims->not_before) == "1970-01-01T00:00:01Z");
  CHECK(to_string(claims->expiry) == "1970-01-01T00:00:02Z");
  CHECK(to_string(claims->issued_at) == "1970-01-01T00:00:00Z");
  CHECK(claims->issuer == "\xC3\xA9");
  CHECK(claims->audiences == std::vector<std::string>{"a", "b"});
  CHECK(parse_bearer_token(token(Claims().payload()))->audiences.size() == 1);
}

TEST_CASE("A token says who calls: oid, tid, and appid or azp") {
  Claims claims;
  CHECK(parse_bearer_token(token(claims.payload()))->object_id == "");
  claims.more = R"(,"oid":"ABCD","tid":"T","appid":"App","name":"Al","x":{"oid":"no"},"groups":["oid"])";
  const auto of_version_1 = parse_bearer_token(token(claims.payload()));
  REQUIRE(of_version_1.has_value());
  CHECK(of_version_1->object_id == "abcd");
  CHECK(of_version_1->tenant_id == "t");
  CHECK(of_version_1->app_id == "app");
  CHECK(of_version_1->name == "Al");
  claims.more = R"(,"azp":"v2","name":[1])";
  CHECK(parse_bearer_token(token(claims.payload()))->app_id == "v2");
  for (const char* ambiguous : {R"(,"oid":"a","oid":"b")", R"(,"oid":1)", R"(,"tid":null)", R"(,"appid":["a"])",
                                R"(,"appid":"a","azp":"b")", R"(,"oid":{})"}) {
    CAPTURE(ambiguous);
    claims.more = ambiguous;
    CHECK(refusal(claims).starts_with("The payload of the token cannot be read. The claim "));
  }
}

TEST_CASE("A token has three parts in base64url, two of them JSON objects") {
  const std::string good = token(Claims().payload());
  CHECK(refusal(good) == "");
  CHECK(refusal(good + "c2lnbmF0dXJl") == "");
  CHECK(refusal(base64_url("{}") + "==." + base64_url(Claims().payload()) + "=.") == "");  // with padding
  for (const std::string& bad : {std::string(),
                                 std::string("."),
                                 std::string(".."),
                                 good + ".",
                                 good.substr(0, good.size() - 1),
                                 good + "!",
                                 good + "+/",
                                 good + "a",
                                 good + "a=b",
                                 " " + good,
                                 good + "\n",
                                 token("[]"),
                                 token("1"),
                                 token("\"x\""),
                                 token(""),
                                 token("{"),
                                 token("{}x"),
                                 token("{}{}"),
                                 token("\xFF"),
                                 token(Claims().payload(), "[]"),
                                 token(Claims().payload(), "x"),
                                 token(Claims().payload(), ""),
                                 token(Claims().payload(), " "),
                                 token(R"({"iss":"\ud800"})")}) {
    CAPTURE(bad);
    CHECK(refusal(bad).starts_with("T") != refusal(bad).starts_with("A "));
  }
}

TEST_CASE("Each of the five claims must occur once, with its type") {
  const std::string payload = Claims().payload();
  for (const std::string name : {"nbf", "exp", "iat", "iss", "aud"}) {
    CAPTURE(name);
    std::string without = payload;
    without.replace(without.find("\"" + name + "\""), name.size() + 2, "\"other\"");
    CHECK(refusal(token(without)) == "The token has no claim " + name + ".");
    for (const char* value : {"null", "true", "{}", "[]", "[[]]", "[1]", "[null]", "1", "\"x\""}) {
      CAPTURE(value);
      CHECK(refusal(Claims{.more = ",\"" + name + "\":" + value}).starts_with("The payload"));
    }
  }
  for (const char* value :
       {"null", "true", "{}", "[]", "\"1\"", "-1", "1e300", "253402300800", "99999999999999999999", "1e999"}) {
    CAPTURE(value);
    CHECK(refusal(Claims{.nbf = value, .iat = "1"}).starts_with("The payload"));
    CHECK(refusal(Claims{.exp = value}).starts_with("The payload"));
    CHECK(refusal(Claims{.iat = value}).starts_with("The payload"));
  }
  for (const char* value : {"null", "1", "{}", "[]"}) CHECK(refusal(Claims{.iss = value}).starts_with("The payload"));
  for (const char* value : {"null", "1", "{}", R"([1])", R"(["a",["https://storage.azure.com"]])"})
    CHECK(refusal(Claims{.aud = value}).starts_with("The payload"));
}

TEST_CASE("Size and depth of a token are bounded") {
  CHECK(refusal(Claims{.more = R"(,"x":")" + std::string(20'000, 'x') + "\""}) == "");
  CHECK(refusal(Claims{.more = R"(,"x":")" + std::string(40'000, 'x') + "\""}) == "The token is longer than 32 KiB.");
  const auto nested = [](int depth) {
    return Claims{.more = ",\"x\":" + std::string(depth, '[') + std::string(depth, ']')};
  };
  CHECK(refusal(nested(15)) == "");
  CHECK(refusal(nested(16)) == "The payload of the token cannot be read. Its JSON nests too deeply.");
  CHECK(refusal(nested(10'000)) == refusal(nested(16)));
  CHECK(refusal(token(std::string(20'000, '['))).starts_with("The payload"));
  CHECK(refusal(token(Claims().payload(), std::string(10'000, '[') + std::string(10'000, ']'))) ==
        "The header of the token is not a JSON object.");
}

TEST_CASE("A token is valid from nbf to exp") {
  const auto at = [](std::int64_t from, std::int64_t to) {
    return refusal(
        Claims{.nbf = std::to_string(kNowSeconds + from), .exp = std::to_string(kNowSeconds + to), .iat = "0"});
  };
  CHECK(at(0, 0) == "");
  CHECK(at(-1, 1) == "");
  CHECK(at(1, 2) == "The token is not valid yet: nbf is 2021-05-22T23:05:15Z, now is 2021-05-22T23:05:14Z.");
  CHECK(at(-2, -1) == "The token is expired: exp is 2021-05-22T23:05:13Z, now is 2021-05-22T23:05:14Z.");
}

TEST_CASE("The issuer must be one of Microsoft's clouds") {
  for (const char* issuer :
       {"https://sts.windows.net/t/", "https://sts.microsoftonline.de/t/", "https://sts.chinacloudapi.cn/t/",
        "https://sts.windows-ppe.net/t/", "https://login.microsoftonline.com/t/v2.0",
        "https://login.microsoftonline.us/t/v2.0", "https://login.partner.microsoftonline.cn/t/v2.0"})
    CHECK(refusal(Claims{.iss = "\"" + std::string(issuer) + "\""}) == "");
  for (const char* issuer :
       {"", "https://sts.windows.net", "https://sts.windows.net.example/", "http://sts.windows.net/t/",
        "https://login.microsoftonline.com/t", "https://login.microsoftonline.com/t/v2.0/",
        "https://login.microsoftonline.com//v2.0", "https://login.microsoftonline.com/a/b/v2.0"})
    CHECK(refusal(Claims{.iss = "\"" + std::string(issuer) + "\""}).starts_with("The issuer (iss) is "));
}

TEST_CASE("The audience must be Azure Storage or the tables of the account") {
  for (const char* audience :
       {"https://storage.azure.com", "https://storage.azure.com/", "e406a681-f3d4-42a8-90b6-c2b029497af1",
        "https://acc.table.core.windows.net", "https://acc.table.core.windows.net/",
        "https://acc.table.core.chinacloudapi.cn", "https://acc.table.core.usgovcloudapi.net",
        "https://acc.table.core.cloudapi.de/", "https://127.0.0.1:10002/acc", "https://localhost/acc/",
        "https://[::1]:10002/acc", "https://[::1]/acc", "https://acc.localhost:10002", "https://acc.localhost/"}) {
    CHECK(refusal(Claims{.aud = "\"" + std::string(audience) + "\""}) == "");
    CHECK(refusal(Claims{.aud = R"(["other",")" + std::string(audience) + R"("])"}) == "");
  }
  for (const char* audience : {R"("")",
                               "[]",
                               R"("https://storage.azure.com//")",
                               R"("https://storage.azure.com.example")",
                               R"("https://other.table.core.windows.net")",
                               R"("https://acc.blob.core.windows.net")",
                               R"("https://acc.table.core.example.net")",
                               R"("https://acc.table.core.")",
                               R"("https://management.azure.com/")",
                               R"(["a","b"])",
                               R"("https://127.0.0.1:10002/other")",
                               R"("https://127.0.0.1:10002")",
                               R"("https://127.0.0.1:/acc")",
                               R"("https://127.0.0.1:1x/acc")",
                               R"("http://127.0.0.1:10002/acc")",
                               R"("https://localhost.example/acc")",
                               R"("https://localhost/acc/x")",
                               R"("https://other.localhost:10002")",
                               R"("https://acc.localhost:10002/acc")",
                               R"("https://x@127.0.0.1/acc")",
                               R"("https://")",
                               R"("https://[::1/acc")"})
    CHECK(refusal(Claims{.aud = audience}).starts_with("The audience (aud) is "));
}

TEST_CASE("Every truncation of a token is refused") {
  const std::string whole = token(Claims().payload());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(refusal(whole.substr(0, size)) != "");
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
