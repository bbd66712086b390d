// Shared Key and Shared Key Lite: the canonicalized resource, both strings to sign, the signature.
#include "odata/protocol/shared_key.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/base64.h"
#include "odata/protocol/development_account.h"

namespace rocktable::TEST_FILE {
namespace {

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
      // stays encoded, is not normalised
      {"/t%28PartitionKey=%27a%20b%27,RowKey='%C3%A9'%29",
       "/devstoreaccount1/t%28PartitionKey=%27a%20b%27,RowKey='%C3%A9'%29"},
      {"/a/../b//c", "/devstoreaccount1/a/../b//c"},
      // only comp of the query counts
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
    CHECK(canonicalized_resource(kDevelopmentAccount, c.target) == c.resource);
  }
}

TEST_CASE("Shared Key signs verb, Content-MD5, Content-Type, date and resource") {
  const SignedRequest full = {"POST", "bWQ1", "application/json", "Sat, 22 May 2021 23:05:14 GMT", "/acc/t?$top=1"};
  CHECK(shared_key_string_to_sign("acc", full) ==
        "POST\nbWQ1\napplication/json\nSat, 22 May 2021 23:05:14 GMT\n/acc/acc/t");
  const SignedRequest bare = {"GET", "", "", "Sat, 22 May 2021 23:05:14 GMT", "/?comp=stats"};
  CHECK(shared_key_string_to_sign("acc", bare) == "GET\n\n\nSat, 22 May 2021 23:05:14 GMT\n/acc/?comp=stats");
}

TEST_CASE("Shared Key Lite signs only date and resource") {
  const SignedRequest request = {"POST", "bWQ1", "application/json", "Sat, 22 May 2021 23:05:14 GMT", "/acc/t"};
  CHECK(shared_key_lite_string_to_sign("acc", request) == "Sat, 22 May 2021 23:05:14 GMT\n/acc/acc/t");
}

// A request and its signature from the log of a client.
TEST_CASE("The signature is base64 of HMAC-SHA256 under the decoded key") {
  const SignedRequest request = {"POST", "", "", "Sat, 22 May 2021 23:05:14 GMT", "/devstoreaccount1/$batch"};
  const std::string text = shared_key_lite_string_to_sign(kDevelopmentAccount, request);
  CHECK(AccountKey(kDevelopmentKey).sign(text) == "y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4=");
}

// RFC 4231, test cases 2 (key "Jefe") and 6 (a key longer than a hash block).
TEST_CASE("Keys of any length sign as RFC 4231 says") {
  CHECK(AccountKey("SmVmZQ==").sign("what do ya want for nothing?") == "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
  const std::string long_key = encode_base64(std::string(131, '\xAA'));
  CHECK(AccountKey(long_key).sign("Test Using Larger Than Block-Size Key - Hash Key First") ==
        "YOQxWR7gtn8Niiaqy/W3f44LxiE3KMUUBUYEDw7jf1Q=");
}

TEST_CASE("A key signs repeatedly, and different texts") {
  const AccountKey key(kDevelopmentKey);
  const std::string first = key.sign("a");
  CHECK(key.sign("b") != first);
  CHECK(key.sign("") != first);
  CHECK(key.sign(std::string(100'000, 'x')) != first);
  CHECK(key.sign("a") == first);
  CHECK(AccountKey(kDevelopmentKey).sign("a") == first);
}

// Keys around the size of a hash block, and texts around the end of one. Computed with Python's hmac.
TEST_CASE("Keys and texts of all lengths around a hash block sign as HMAC does") {
  const struct {
    std::size_t key_bytes, text_bytes;
    std::string_view signature;
  } cases[] = {
      {63, 0, "pz5K5GsqnyQC//BW4VbAolVR49tQl/k2dSIjm/vC0C4="},
      {64, 55, "v4wtgdRKkIMG3KeGW7DcVMWTfovk/PWoatedn1mpZD8="},
      {65, 56, "9w3922x0kcRcsbR7amxxLVfX3Jt6S9XFE9h8GhzKrGo="},
      {64, 63, "/y1NaR5YI+h91EihrMVgv3Zf06WVFfwblBVIX8WI65s="},
      {63, 64, "rk9fFY6UKl978Ev8XcVCFsKUYJ5YPYf6VQrae37Qw2k="},
      {64, 65, "5ZVz7Ju/hYXy/4b+XoHh1U/cOi55FIEShZsH+Dcj0bU="},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key_bytes);
    CAPTURE(c.text_bytes);
    const AccountKey key(encode_base64(std::string(c.key_bytes, 'k')));
    CHECK(key.sign(std::string(c.text_bytes, 't')) == c.signature);
  }
}

TEST_CASE("A key knows its own signatures") {
  const AccountKey key(kDevelopmentKey), other("b3RoZXI=");
  const std::string signature = key.sign("text");
  CHECK(key.has_signed("text", signature));
  CHECK_FALSE(key.has_signed("texT", signature));
  CHECK_FALSE(other.has_signed("text", signature));
  CHECK_FALSE(key.has_signed("text", signature.substr(1)));
  CHECK_FALSE(key.has_signed("text", signature + "="));
  CHECK_FALSE(key.has_signed("text", ""));
}

TEST_CASE("A key still signs after it is moved") {
  AccountKey key(kDevelopmentKey);
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

TEST_CASE("The comparison in constant time compares correctly") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abc", "Abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abcd"));
  CHECK_FALSE(equal_in_constant_time("abc", ""));
  CHECK_FALSE(equal_in_constant_time({}, "a"));
  CHECK_FALSE(equal_in_constant_time(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
}

Headers headers_of(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  Headers out;
  for (const auto& [name, value] : fields) out.add(name, value);
  return out;
}

// Source of both examples: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
TEST_CASE("Blobs and queues: all standard headers, all x-ms- headers and the whole query are signed") {
  const Headers headers =
      headers_of({{"x-ms-version", "2015-02-21"}, {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}, {"Host", "h"}});
  CHECK(blob_and_queue_string_to_sign("myaccount", "GET", "/mycontainer?restype=container&comp=metadata&timeout=20",
                                      headers) ==
        "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
        "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
  const Headers all = headers_of({{"Range", "11"},
                                  {"If-Unmodified-Since", "10"},
                                  {"If-None-Match", "9"},
                                  {"If-Match", "8"},
                                  {"If-Modified-Since", "7"},
                                  {"Date", "6"},
                                  {"Content-Type", "5"},
                                  {"Content-MD5", "4"},
                                  {"Content-Length", "3"},
                                  {"Content-Language", "2"},
                                  {"Content-Encoding", "1"}});
  CHECK(blob_and_queue_string_to_sign("a", "PUT", "/a/c/b%20c", all) ==
        "PUT\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n/a/a/c/b%20c");
}

TEST_CASE("Blobs and queues: names are sorted and in lower case; values are trimmed, decoded and joined") {
  const Headers headers = headers_of({{"X-MS-B", " 2 "}, {"x-ms-a", "1"}, {"x-ms-b", "3"}, {"x-other", "4"}});
  CHECK(blob_and_queue_string_to_sign("a", "GET", "/a?Include=x&prefix=a%26b&include=m&=&flag", headers) ==
        "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-a:1\nx-ms-b:2,3\n/a/a\n:\nflag:\ninclude:m,x\nprefix:a&b");
}

TEST_CASE("Blobs and queues: a length of 0, and a Date beside x-ms-date, are signed as empty") {
  const Headers headers = headers_of({{"Content-Length", "0"}, {"Date", "d"}, {"x-ms-date", "m"}});
  CHECK(blob_and_queue_string_to_sign("a", "PUT", "/a", headers) == "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:m\n/a/a");
  CHECK(blob_and_queue_lite_string_to_sign("a", "PUT", "/a", headers) == "PUT\n\n\n\nx-ms-date:m\n/a/a");
}

TEST_CASE("Blobs and queues: Shared Key Lite signs three headers, all x-ms- headers, and comp of the query") {
  const Headers headers = headers_of({{"Content-Type", "text/plain; charset=UTF-8"},
                                      {"x-ms-date", "Sun, 20 Sep 2009 20:36:40 GMT"},
                                      {"x-ms-meta-m1", "v1"},
                                      {"x-ms-meta-m2", "v2"}});
  CHECK(blob_and_queue_lite_string_to_sign("testaccount1", "PUT", "/mycontainer/hello.txt", headers) ==
        "PUT\n\ntext/plain; charset=UTF-8\n\nx-ms-date:Sun, 20 Sep 2009 20:36:40 GMT\nx-ms-meta-m1:v1\n"
        "x-ms-meta-m2:v2\n/testaccount1/mycontainer/hello.txt");
  CHECK(blob_and_queue_lite_string_to_sign("a", "GET", "/?restype=service&comp=properties", {}) ==
        "GET\n\n\n\n/a/?comp=properties");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
