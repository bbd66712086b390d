// Shared Key and Shared Key Lite: the canonicalized resource, both strings to sign, the signature.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "odata/base64.h"
#include "server/protocol/shared_key.h"

namespace rocktable {
namespace {

// The well-known account of every local emulator.
constexpr std::string_view kAccount = "devstoreaccount1";
constexpr std::string_view kKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

TEST_CASE("The canonicalized resource is the account, the path as sent, and comp of the query") {
  const struct {
    std::string_view target, resource;
  } cases[] = {
      {"/Tables", "/devstoreaccount1/Tables"},
      {"/devstoreaccount1/Tables", "/devstoreaccount1/devstoreaccount1/Tables"},
      {"/devstoreaccount1/$batch", "/devstoreaccount1/devstoreaccount1/$batch"},
      {"/devstoreaccount1-secondary/Tables", "/devstoreaccount1/devstoreaccount1-secondary/Tables"},
      {"/", "/devstoreaccount1/"},
      {"", "/devstoreaccount1/"},
      {"?comp=stats", "/devstoreaccount1/?comp=stats"},
      // still encoded, not normalised
      {"/t%28PartitionKey=%27a%20b%27,RowKey='%C3%A9'%29",
       "/devstoreaccount1/t%28PartitionKey=%27a%20b%27,RowKey='%C3%A9'%29"},
      {"/a/../b//c", "/devstoreaccount1/a/../b//c"},
      // of the query only comp
      {"/Tables?$top=1&$filter=comp%20eq%201", "/devstoreaccount1/Tables"},
      {"/t?", "/devstoreaccount1/t"},
      {"/t?comp=acl", "/devstoreaccount1/t?comp=acl"},
      {"/?restype=service&comp=properties", "/devstoreaccount1/?comp=properties"},
      {"/?comp=properties&restype=service", "/devstoreaccount1/?comp=properties"},
      {"/t?COMP=acl", "/devstoreaccount1/t?comp=acl"},
      {"/t?comp=AcL", "/devstoreaccount1/t?comp=AcL"},
      {"/t?comp=%61cl", "/devstoreaccount1/t?comp=acl"},
      {"/t?%63omp=acl", "/devstoreaccount1/t?comp=acl"},
      {"/t?comp=a%2", "/devstoreaccount1/t?comp=a%2"},
      {"/t?comp=", "/devstoreaccount1/t"},
      {"/t?comp", "/devstoreaccount1/t"},
      {"/t?comp=&comp=acl", "/devstoreaccount1/t"},
      {"/t?comp=acl&comp=stats", "/devstoreaccount1/t?comp=acl"},
      {"/t?xcomp=acl&compx=acl", "/devstoreaccount1/t"},
      {"/t?x=?comp=acl", "/devstoreaccount1/t"},
      // absolute form
      {"http://127.0.0.1:10002/devstoreaccount1/t", "/devstoreaccount1/devstoreaccount1/t"},
      {"https://account.table.localhost/t?comp=acl", "/devstoreaccount1/t?comp=acl"},
      {"http://host", "/devstoreaccount1/"},
      {"http://host?comp=stats", "/devstoreaccount1/?comp=stats"},
      {"/t?url=http://host/other", "/devstoreaccount1/t"},
      {"/http://host/other", "/devstoreaccount1/http://host/other"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    CHECK(canonicalized_resource(kAccount, c.target) == c.resource);
  }
}

TEST_CASE("Shared Key signs verb, Content-MD5, Content-Type, date and resource") {
  const SignedRequest full = {"POST", "bWQ1", "application/json", "Sat, 22 May 2021 23:05:14 GMT",
                              "/acc/t?$top=1"};
  CHECK(shared_key_string_to_sign("acc", full) ==
        "POST\nbWQ1\napplication/json\nSat, 22 May 2021 23:05:14 GMT\n/acc/acc/t");
  const SignedRequest bare = {"GET", "", "", "Sat, 22 May 2021 23:05:14 GMT", "/?comp=stats"};
  CHECK(shared_key_string_to_sign("acc", bare) == "GET\n\n\nSat, 22 May 2021 23:05:14 GMT\n/acc/?comp=stats");
}

TEST_CASE("Shared Key Lite signs date and resource alone") {
  const SignedRequest request = {"POST", "bWQ1", "application/json", "Sat, 22 May 2021 23:05:14 GMT",
                                 "/acc/t"};
  CHECK(shared_key_lite_string_to_sign("acc", request) == "Sat, 22 May 2021 23:05:14 GMT\n/acc/acc/t");
}

// A request and its signature as a client's log shows them.
TEST_CASE("The signature is base64 of HMAC-SHA256 under the decoded key") {
  const SignedRequest request = {"POST", "", "", "Sat, 22 May 2021 23:05:14 GMT", "/devstoreaccount1/$batch"};
  const std::string text = shared_key_lite_string_to_sign(kAccount, request);
  CHECK(AccountKey(kKey).sign(text) == "y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4=");
}

// RFC 4231, test cases 2 (key "Jefe") and 6 (a key longer than a hash block).
TEST_CASE("Keys of any length sign as RFC 4231 says") {
  CHECK(AccountKey("SmVmZQ==").sign("what do ya want for nothing?") ==
        "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
  const std::string long_key = encode_base64(std::string(131, '\xAA'));
  CHECK(AccountKey(long_key).sign("Test Using Larger Than Block-Size Key - Hash Key First") ==
        "YOQxWR7gtn8Niiaqy/W3f44LxiE3KMUUBUYEDw7jf1Q=");
}

TEST_CASE("A key signs again and again, and other texts than before") {
  const AccountKey key(kKey);
  const std::string first = key.sign("a");
  CHECK(key.sign("b") != first);
  CHECK(key.sign("") != first);
  CHECK(key.sign(std::string(100'000, 'x')) != first);
  CHECK(key.sign("a") == first);
  CHECK(AccountKey(kKey).sign("a") == first);
}

TEST_CASE("A key that moved signs as before") {
  AccountKey key(kKey);
  const std::string signature = key.sign("text");
  AccountKey moved = std::move(key);
  CHECK(moved.sign("text") == signature);
  AccountKey other("b3RoZXI=");
  CHECK(other.sign("text") != signature);
  other = std::move(moved);
  CHECK(other.sign("text") == signature);
}

TEST_CASE("A key that is empty or not base64 is refused") {
  for (const std::string_view text : {"", "a", "not base64!", "Zm9v\n", "Zm9"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(AccountKey{text}, std::invalid_argument);
  }
}

TEST_CASE("The comparison in constant time is a comparison") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abc", "Abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abcd"));
  CHECK_FALSE(equal_in_constant_time("abc", ""));
  CHECK_FALSE(equal_in_constant_time({}, "a"));
  CHECK_FALSE(equal_in_constant_time(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
}

}  // namespace
}  // namespace rocktable
