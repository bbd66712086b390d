// Masking of secrets in logs and traces.
#include "server/events/masking.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("The value of sig is masked in every place where the server reads a signature") {
  const struct {
    std::string_view target, logged;
  } cases[] = {
      {"/acc/t", "/acc/t"},
      {"/acc/t?", "/acc/t?"},
      {"/acc/t?sig=c2VjcmV0", "/acc/t?sig=***"},
      {"/acc/t?sv=2019-02-02&sig=c2VjcmV0%3D&tn=t", "/acc/t?sv=2019-02-02&sig=***&tn=t"},
      {"/acc/t?sig=&tn=t", "/acc/t?sig=***&tn=t"},
      {"/acc/t?SIG=secret&Sig=secret", "/acc/t?SIG=***&Sig=***"},
      {"/acc/t?sig=secret&x=1&sig=secret&", "/acc/t?sig=***&x=1&sig=***&"},
      {"/acc/t?sig=a=b?c&x", "/acc/t?sig=***&x"},
      {"http://host/acc/t?sig=secret", "http://host/acc/t?sig=***"},
      // mistakes: joined by the wrong character, encoded as a whole
      {"/acc&sv=1&sig=secret/Tables", "/acc&sv=1&sig=***"},
      {"/acc/t??sig=secret;x", "/acc/t??sig=***"},
      {"/acc/t?sv%3D1%26sig%3Dsecret%26x", "/acc/t?sv%3D1%26sig%3D***%26x"},
      {"/acc/sig=t", "/acc/sig=***"},
      // encoded: how often, and which of its characters, does not matter
      {"/acc/t%3Fsig%3Dsecret", "/acc/t%3Fsig%3D***"},
      {"/acc/t?s%69g=secret&x=1", "/acc/t?s%69g=***&x=1"},
      {"/acc/t?%73%69%67=secret", "/acc/t?%73%69%67=***"},
      {"/acc/t%253Fs%2569g%253Dsecret%2526x", "/acc/t%253Fs%2569g%253D***%2526x"},
      {"/acc/t?%25%35%33ig=x", "/acc/t?%25%35%33ig=x"},
      {"/acc/t?%61sig=x", "/acc/t?%61sig=x"},  // asig
      {"/acc/t%25253Fsig=secret", "/acc/t%25253Fsig=***"},
      {"/acc/t%2525252525253Fsig%2525252525253Dsecret%252525252526x",
       "/acc/t%2525252525253Fsig%2525252525253D***%252525252526x"},
      {"/acc/t?%252561sig=x", "/acc/t?%252561sig=x"},
      {"/acc/t?a=%5Cnsig%3Dsecret", "/acc/t?a=%5Cnsig%3D***"},
      // not a signature
      {"/acc/t?sig", "/acc/t?sig"},
      {"/acc/t?signature=x&xsig=y", "/acc/t?signature=x&xsig=y"},
      {"/acc/t?design=y", "/acc/t?design=y"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    CHECK(without_signature(c.target) == c.logged);
  }
}

TEST_CASE("Other secrets in a target are masked as in text") {
  const struct {
    std::string_view target, logged;
  } cases[] = {
      {"/acc/t?a=Bearer%20eyJhbGciOiJIUzI1NiJ9.e30.x&b", "/acc/t?a=Bearer%20***&b"},
      {"/acc/t?a=Bearer%2520eyJhbGciOiJIUzI1NiJ9.e30.x%2526b", "/acc/t?a=Bearer%2520***%2526b"},
      {"/acc/t?a=bearer+eyJhbGciOiJIUzI1NiJ9.e30.x", "/acc/t?a=bearer+***"},
      {"/acc/t?a=SharedKey%20acc:c2VjcmV0&b", "/acc/t?a=SharedKey%20acc:***&b"},
      {"/acc/t?a=SharedKeyLite%20acc%3Ac2Vj%20cmV0&b", "/acc/t?a=SharedKeyLite%20acc%3A***&b"},
      {"/acc/t?c=AccountKey=secret==;TableEndpoint=x", "/acc/t?c=AccountKey=***;TableEndpoint=x"},
      {"/acc/t?c=AccountKey%3Dsecret%3D%3D%3BTableEndpoint%3Dx", "/acc/t?c=AccountKey%3D***%3BTableEndpoint%3Dx"},
      {"/acc/t?c=AccountKey%253Dsec%2520ret&b", "/acc/t?c=AccountKey%253D***&b"},
      {"/acc/t?c=%22AccountKey%22%3A%20%22secret%22%7D", "/acc/t?c=%22AccountKey%22%3A%20%22***%22%7D"},
      // no secrets
      {"/acc/t?$filter=a%20eq%20'a%20bearer%20of%20news'", "/acc/t?$filter=a%20eq%20'a%20bearer%20of%20news'"},
      {"/acc/AccountKey", "/acc/AccountKey"},
      {"/acc/Bearer", "/acc/Bearer"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.target);
    CHECK(without_signature(c.target) == c.logged);
  }
}

TEST_CASE("A header keeps its name, and credentials keep scheme and account") {
  const struct {
    std::string_view name, value, kept;
  } cases[] = {
      {"Authorization", "SharedKey devstoreaccount1:c2VjcmV0PQ==", "SharedKey devstoreaccount1:***"},
      {"authorization", "SharedKeyLite acc-secondary:c2VjcmV0", "SharedKeyLite acc-secondary:***"},
      {"Authorization", "sharedkey acc:sec ret", "sharedkey acc:***"},
      {"Authorization", "Bearer eyJhbGciOi.secret", "Bearer ***"},
      {"Authorization", "Basic c2VjcmV0", "Basic ***"},
      {"Proxy-Authorization", "Digest username=secret", "Digest ***"},
      {"x-ms-copy-source-authorization", "Bearer secret", "Bearer ***"},
      // mistakes: any part may be the secret
      {"Authorization", "c2VjcmV0", "***"},
      {"Authorization", "SharedKey c2VjcmV0", "SharedKey ***"},
      {"Authorization", "SharedKey c2VjcmV0:acc", "SharedKey ***"},
      {"Authorization", "SharedKey acc c2VjcmV0", "SharedKey ***"},
      {"Authorization", "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0 acc", "***"},
      {"Authorization", "c2VjcmV0+/= acc", "***"},
      {"Authorization", "", ""},
      {"Cookie", "a=secret; b=secret", "***"},
      {"Set-Cookie", "a=secret", "***"},
      {"x-rocktable-token", "secret", "***"},
      {"x-ms-encryption-key", "secret", "***"},
      {"X-Api-Key", "secret", "***"},
      {"x-client-secret", "secret", "***"},
      {"Referer", "http://h/t?sv=1&sig=secret&se=2", "http://h/t?sv=1&sig=***&se=2"},
      {"x-ms-copy-source", "http://h/t?sig=secret", "http://h/t?sig=***"},
      {"x-note", "sent SharedKey acc:c2VjcmV0 to it", "sent SharedKey acc:*** to it"},
      // no secrets
      {"x-ms-continuation-NextPartitionKey", "1!4!YQ--", "1!4!YQ--"},
      {"Access-Control-Allow-Credentials", "true", "true"},
      {"If-Match", "W/\"datetime'2021'\"", "W/\"datetime'2021'\""},
      {"WWW-Authenticate", "Bearer authorization_uri=https", "Bearer authorization_uri=https"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.value);
    CHECK(masked_header(c.name, c.value) == c.kept);
  }
}

TEST_CASE("Secrets of quoted requests, URLs and connection strings are masked in text") {
  const struct {
    std::string_view text, kept;
  } cases[] = {
      {"", ""},
      {"GET http://h/t()?sig=secret HTTP/1.1\r\nx: y", "GET http://h/t()?sig=*** HTTP/1.1\r\nx: y"},
      {R"({"url":"http://h/t?sig=secret","a":1})", R"({"url":"http://h/t?sig=***","a":1})"},
      {R"({"url":"http://h/t?sig=se\u002Bc\/ret\u0026se=1"})", R"({"url":"http://h/t?sig=***\u0026se=1"})"},
      {R"("{\"url\":\"?sig=secret\"}")", R"("{\"url\":\"?sig=***\"}")"},
      {"<a href='?SIG=secret'/>", "<a href='?SIG=***'/>"},
      {"x%26sig%3Dsecret%26y", "x%26sig%3D***%26y"},
      {"x%2526sig%253Dsecret%2526y", "x%2526sig%253D***%2526y"},
      {R"({"url":"t\u003Fsig=secret","b":"a\nsig=secret"})", R"({"url":"t\u003Fsig=***","b":"a\nsig=***"})"},
      {R"("t?s\u0069g=secret")", R"("t?s\u0069g=***")"},
      {"x\tBearer\teyJhbGciOiJIUzI1NiJ9.e30.x", "x\tBearer\t***"},
      {R"("a\tBearer\teyJhbGciOiJIUzI1NiJ9.e30.x")", R"("a\tBearer\t***")"},
      {R"({"a":"b\fsig=secret","b":"a\bsig=secret"})", R"({"a":"b\fsig=***","b":"a\bsig=***"})"},
      {R"("\u0062sig=x")", R"("\u0062sig=x")"},  // bsig
      {"Bearer\t \t eyJhbGciOiJIUzI1NiJ9.e30.x", "Bearer\t \t ***"},
      {R"("Bearer\t \u0020\u0009 eyJhbGciOiJIUzI1NiJ9.e30.x")", R"("Bearer\t \u0020\u0009 ***")"},
      {R"("{\"a\":\"Bearer\\t eyJhbGciOiJIUzI1NiJ9.e30.x\"}")", R"("{\"a\":\"Bearer\\t ***\"}")"},
      {"Bearer%20%09eyJhbGciOiJIUzI1NiJ9.e30.x then", "Bearer%20%09*** then"},
      {R"("Bearer\u0020eyJhbGciOiJIUzI1NiJ9.e30.x")", R"("Bearer\u0020***")"},
      {R"("SharedKey\t acc\u003asecret")", R"("SharedKey\t acc\u003a***")"},
      {"AccountKey%3Dsecret%3D%3D%3BTableEndpoint", "AccountKey%3D***%3BTableEndpoint"},
      {R"("AccountKey\u003Dsecret\u003D\u003Bx")", R"("AccountKey\u003D***\u003Bx")"},
      {"AccountKey=+secret==;x", "AccountKey=***;x"},
      {"design=1&signature=2", "design=1&signature=2"},
      {"Authorization: SharedKey acc:secret\n", "Authorization: SharedKey acc:***\n"},
      {R"("SharedKeyLite acc:secret")", R"("SharedKeyLite acc:***")"},
      {"SharedKey is a scheme", "SharedKey is a scheme"},
      {"SharedKey c2VjcmV0c2VjcmV0 x", "SharedKey *** x"},
      {"Bearer eyJhbGciOiJIUzI1NiJ9.e30.x, then", "Bearer *** then"},
      {"a bearer of news", "a bearer of news"},
      {"Bearer eyJhbGci", "Bearer ***"},  // the text may be truncated there
      {"AccountName=acc;AccountKey=secret==;TableEndpoint=x", "AccountName=acc;AccountKey=***;TableEndpoint=x"},
      {R"({"StorageAccountKey": "secret=="})", R"({"StorageAccountKey": "***"})"},
      {R"({\"accountKey\":\"secret\"})", R"({\"accountKey\":\"***\"})"},
      {"an AccountKey is a key", "an AccountKey is a key"},
      {"AccountKey=", "AccountKey="},
      {std::string_view("a\0\xFF?sig=secret\0b", 15), std::string_view("a\0\xFF?sig=***\0b", 12)},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(masked_text(c.text) == c.kept);
  }
}

TEST_CASE("Headers of parts in a multipart body are masked as headers") {
  const std::string body =
      "--b\r\nContent-Type: application/http\r\n\r\nPUT http://h/t?sig=secret HTTP/1.1\r\n"
      "Authorization: Other secret\r\nx-rocktable-token:secret \nCookie : secret\r\nCookie:\r\n\r\n"
      "{\"token\": \"kept\"}\r\n--b--";
  CHECK(masked_body(body, "multipart/mixed; boundary=b") ==
        "--b\r\nContent-Type: application/http\r\n\r\nPUT http://h/t?sig=*** HTTP/1.1\r\n"
        "Authorization: Other ***\r\nx-rocktable-token:*** \nCookie : ***\r\nCookie:\r\n\r\n"
        "{\"token\": \"kept\"}\r\n--b--");
}

TEST_CASE("The value of a user delegation key is masked, and no other value of XML") {
  const std::string head = "\xEF\xBB\xBF<?xml version=\"1.0\"?><UserDelegationKey><SignedOid>o</SignedOid><Value>";
  CHECK(masked_body(head + "c2VjcmV0</Value></UserDelegationKey>", "application/xml") ==
        head + "***</Value></UserDelegationKey>");
  CHECK(masked_body(head + "c2Vjc", "application/xml") == head + "***");  // cut
  CHECK(masked_body(head, "") == head);
  CHECK(masked_body("<Other><Value>kept</Value></Other>", "") == "<Other><Value>kept</Value></Other>");
}

// Text of a request may be long; looking ahead from each of its bytes would take minutes.
TEST_CASE("Masking takes linear time") {
  constexpr std::size_t kRepeats = 1 << 18;
  for (const std::string_view repeated : {"s", "b", "25", "%25", "\\", "\\u0020", "Bearer ", "AccountKey=", "sig%25",
                                          "bearer%20", "SharedKey", "%2525sig="}) {
    CAPTURE(repeated);
    std::string text = "Bearer%";
    for (std::size_t i = 0; i < kRepeats; ++i) text += repeated;
    CHECK(masked_text(text).size() <= 2 * text.size());
    CHECK(without_signature(text).size() <= 2 * text.size());
  }
}

TEST_CASE("Truncated text shows no part of a secret") {
  const std::string text =
      "GET /t?sv=1&sig=5ec4e7 HTTP/1.1\r\nAuthorization: SharedKey acc:5ec4e7\r\n"
      "x: Bearer 5ec4e75ec4e75ec4e7\r\nAccountKey=5ec4e7; a%25253Fsig%25253D5ec4e7&\\fsig\\u003d5ec4e7&"
      "Bearer%2520%095ec4e75ec4e75ec4e7&AccountKey%253D5ec4e7&SharedKey\\t \\u0020acc%3A5ec4e7";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    CAPTURE(size);
    CHECK(masked_text(text.substr(0, size)).find("5e") == std::string::npos);
    CHECK(without_signature(text.substr(0, size)).find("5e") == std::string::npos);
    CHECK(masked_body(text.substr(0, size), "multipart/mixed").find("5e") == std::string::npos);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
