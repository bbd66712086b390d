// Why access is refused: each mistake of a client is named, and nothing is told that lets anybody in.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "odata/base64.h"
#include "odata/uri.h"
#include "server/access/auth_explanation.h"
#include "server/protocol/shared_key.h"

namespace rocktable {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string kAccount = "acc";
const std::string kKey = "VGhpcyBpcyB0aGUga2V5IG9mIHRoZSBhY2NvdW50IGFjYw==";
const std::string kSecondKey = "c2Vjb25kIGtleSBvZiB0aGUgYWNjb3VudA==";
const std::string kDate = "Sat, 22 May 2021 23:05:14 GMT";
const DateTime kNow = parse_http_date(kDate).value();

std::string sign(const std::string& text, const std::string& key = kKey) {
  return AccountKey(key).sign(text);
}

std::vector<SignedIdentifier> find_identifiers(std::string_view, std::string_view table) {
  if (to_lower_ascii(table) != "mytable") return {};
  return {{"full", std::nullopt, DateTime{kNow.ticks + kTicksPerSecond}, "r"},
          {"over", std::nullopt, DateTime{kNow.ticks - kTicksPerSecond}, "r"}};
}

struct Sent {
  std::string method = "GET", target = "/acc/Tables", host = "127.0.0.1:10002";
  Fields fields = {};
  std::string remote = "127.0.0.1";
  bool secure = false, bearer_tokens = true;
  DateTime now = kNow;
};

// No key, and no signature that would open anything: neither in the text, nor of any text that it quotes.
void check_harmless(const std::string& text) {
  CAPTURE(text);
  CHECK(text.size() < 8192);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  for (const std::string& key : {kKey, kSecondKey, std::string(kDevelopmentKey)}) {
    CHECK(text.find(key) == text.npos);
    CHECK(text.find(decode_base64(key).value()) == text.npos);
  }
  // 32 bytes in base64 are 43 characters and a padding, in hex 64.
  std::size_t run = 0;
  for (const char c : text) {
    const bool of_base64 = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
    if (c == '=') CHECK(run != 43);
    run = of_base64 ? run + 1 : 0;
    CHECK(run < 64);
  }
}

// What the client is told; empty where it is let in.
std::string explanation(const Sent& sent) {
  const Authenticator authenticator({{kAccount, {kKey, kSecondKey}}}, find_identifiers, sent.bearer_tokens);
  const std::string no_body;
  Request request{sent.method, sent.target, {}, &no_body, sent.remote};
  for (const auto& [name, value] : sent.fields) request.headers.add(name, value);
  request.headers.add("Host", sent.host);
  const Target target = parse_target(sent.target, sent.host, sent.secure, true).value();
  const auto caller = authenticator.authenticate(request, target, sent.secure, sent.now);
  if (caller) return "";
  std::string text = authenticator.explain(request, target, sent.secure, sent.now, caller.error());
  check_harmless(text);
  CHECK(text != "");
  return text;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// --- Shared Key -------------------------------------------------------------------------------------------

Sent signed_request(Sent sent, const std::string& to_sign, const std::string& scheme = "SharedKey",
                    const std::string& key = kKey) {
  sent.fields.emplace_back("Authorization", scheme + " acc:" + sign(to_sign, key));
  return sent;
}

struct Wrong {
  std::string told;  // part of the explanation
  Sent sent;
  std::string signs;
  std::string scheme = "SharedKey";
  std::string key = kKey;
};

TEST_CASE("The usual mistakes with Shared Key are recognised by the signature they lead to") {
  const Fields dated = {{"x-ms-date", kDate}, {"x-ms-version", "2019-02-02"}};
  Fields typed = dated, two_dates = dated, tunnelled = dated, hashed = dated;
  typed.emplace_back("Content-Type", "application/json;odata=nometadata");
  two_dates.emplace_back("Date", "Sat, 22 May 2021 23:05:10 GMT");
  tunnelled.emplace_back("X-HTTP-Method", "MERGE");
  hashed.emplace_back("Content-MD5", "bWQ1");
  const std::string host = "acc.table.localhost:10002";
  const std::string tail = "\n" + kDate + "\n/acc/acc/Tables";
  const std::string key_path = "/acc/t(PartitionKey=%27a%20b%27,RowKey=%27%C3%A9%27)";
  const auto lite = [](const std::string& resource) { return kDate + "\n" + resource; };
  const Wrong cases[] = {
      {"string of SharedKeyLite", {.fields = dated}, lite("/acc/acc/Tables")},
      {"string of SharedKey, but sent the scheme SharedKeyLite",
       {.fields = dated},
       "GET\n\n" + tail,
       "SharedKeyLite"},
      {"account once; in a URL that has it in its path",
       {.fields = dated},
       lite("/acc/Tables"),
       "SharedKeyLite"},
      {"account once; in a URL that has it in its path",
       {.fields = dated},
       "GET\n\n\n" + kDate + "\n/acc/Tables"},
      {"account twice; in a URL that has it in the host name",
       {.target = "/Tables", .host = host, .fields = dated},
       lite("/acc/acc/Tables"),
       "SharedKeyLite"},
      {"path without the account",
       {.target = "/Tables", .host = host, .fields = dated},
       lite("/Tables"),
       "SharedKeyLite"},
      {"account with -secondary",
       {.target = "/Tables", .host = "acc-secondary.table.localhost", .fields = dated},
       lite("/acc-secondary/Tables"),
       "SharedKeyLite"},
      {"account without a slash", {.fields = dated}, lite("acc/acc/Tables"), "SharedKeyLite"},
      {"signed Date;",
       {.fields = two_dates},
       "Sat, 22 May 2021 23:05:10 GMT\n/acc/acc/Tables",
       "SharedKeyLite"},
      {"empty date line", {.fields = dated}, "GET\n\n\n\n/acc/acc/Tables"},
      {"empty Content-Type", {.fields = typed}, "GET\n\n" + tail},
      {"Content-Type without its parameters", {.fields = typed}, "GET\n\napplication/json" + tail},
      {"charset that the request does not have",
       {.fields = typed},
       "GET\n\napplication/json;odata=nometadata;charset=utf-8" + tail},
      {"Content-Type, but the request has none", {.fields = dated}, "GET\n\napplication/json" + tail},
      {"empty Content-MD5", {.fields = hashed}, "GET\n\n" + tail},
      {"verb in lower case", {.fields = dated}, "get\n\n" + tail},
      {"verb of X-HTTP-Method", {.method = "POST", .fields = tunnelled}, "MERGE\n\n" + tail},
      {"whole query",
       {.target = "/acc/Tables?$top=1", .fields = dated},
       lite("/acc/acc/Tables?$top=1"),
       "SharedKeyLite"},
      {"?comp=... belongs to it",
       {.target = "/acc/t?comp=acl", .fields = dated},
       lite("/acc/acc/t"),
       "SharedKeyLite"},
      {"path percent-decoded",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t(PartitionKey='a b',RowKey='\xC3\xA9')"),
       "SharedKeyLite"},
      {"percent-encoded otherwise",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t%28PartitionKey%3D%27a%20b%27%2CRowKey%3D%27%C3%A9%27%29"),
       "SharedKeyLite"},
      {"percent-encoded otherwise",
       {.target = "/acc/$batch", .fields = dated},
       lite("/acc/acc/%24batch"),
       "SharedKeyLite"},
      {"letters of another case",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t(PartitionKey=%27a%20b%27,RowKey=%27%c3%a9%27)"),
       "SharedKeyLite"},
      {"path in lower case", {.fields = dated}, lite("/acc/acc/tables"), "SharedKeyLite"},
      {"path with a slash at its end", {.fields = dated}, lite("/acc/acc/Tables/"), "SharedKeyLite"},
      {"path without the slash", {.target = "/acc/", .fields = dated}, lite("/acc/acc"), "SharedKeyLite"},
      {"full URL", {.fields = dated}, lite("http://127.0.0.1:10002/acc/Tables"), "SharedKeyLite"},
      {"full URL behind the account",
       {.fields = dated},
       lite("/acc/http://127.0.0.1:10002/acc/Tables"),
       "SharedKeyLite"},
      {"SharedKey for blobs and queues",
       {.fields = dated},
       "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:" + kDate + "\nx-ms-version:2019-02-02\n/acc/acc/Tables"},
      {"x-ms- headers",
       {.fields = dated},
       "GET\n\n\n" + kDate + "\nx-ms-date:" + kDate + "\nx-ms-version:2019-02-02\n/acc/acc/Tables"},
      {"emulator's well-known key",
       {.fields = dated},
       "GET\n\n" + tail,
       "SharedKey",
       std::string(kDevelopmentKey)},
      {"key's base64 text", {.fields = dated}, "GET\n\n" + tail, "SharedKey", encode_base64(kKey)},
      {"key's base64 text", {.fields = dated}, "GET\n\n" + tail, "SharedKey", encode_base64(kSecondKey)},
      // two at once
      {"account once; in a URL that has it in its path",
       {.target = "/acc/Tables?$top=1", .fields = dated},
       lite("/acc/Tables?$top=1"),
       "SharedKeyLite"},
      {"and signed the whole query",
       {.target = "/acc/Tables?$top=1", .fields = dated},
       lite("/acc/Tables?$top=1"),
       "SharedKeyLite"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.told);
    CAPTURE(c.signs);
    const std::string text = explanation(signed_request(c.sent, c.signs, c.scheme, c.key));
    CAPTURE(text);
    CHECK(holds(text, "The signature does not match. The client "));
    CHECK(holds(text, c.told));
    CHECK(holds(text, " The string to sign is '"));
  }
}

TEST_CASE("The string to sign is the server's own, with line breaks as \\n") {
  const std::string text = explanation(
      signed_request({.method = "POST",
                      .target = "/acc/t?$top=1&comp=acl",
                      .fields = {{"Date", kDate}, {"Content-Type", "a/b"}, {"Content-MD5", "bWQ1"}}},
                     "something else"));
  CHECK(holds(text, "No usual mistake explains it"));
  CHECK(holds(text, "The string to sign is 'POST\\nbWQ1\\na/b\\n" + kDate + "\\n/acc/acc/t?comp=acl'."));
  CHECK(holds(explanation(signed_request({.fields = {{"Date", kDate}}}, "x", "SharedKeyLite")),
              "The string to sign is '" + kDate + "\\n/acc/acc/Tables'."));
}

TEST_CASE("A signature that was written in another way is recognised") {
  const std::string good = sign(kDate + "\n/acc/acc/Tables");
  std::string hex, url = good.substr(0, good.find('='));
  const std::string bytes = decode_base64(good).value();
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  std::replace(url.begin(), url.end(), '+', '-');
  std::replace(url.begin(), url.end(), '/', '_');
  const auto told = [](const std::string& signature) {
    return explanation({.fields = {{"Date", kDate}, {"Authorization", "SharedKeyLite acc:" + signature}}});
  };
  CHECK(told(good) == "");
  CHECK(holds(told(percent_encode(good)), "percent-encoded the signature"));
  CHECK(holds(told(hex), "in hex"));
  CHECK(holds(told(url), "in base64url or without padding"));
  CHECK(holds(told(""), "It is empty."));

  std::string target = "/acc/t", with_blanks;
  do {
    target += "x";
    with_blanks = sign(kDate + "\n/acc" + target);
  } while (with_blanks.find('+') == with_blanks.npos);
  std::replace(with_blanks.begin(), with_blanks.end(), '+', ' ');
  CHECK(
      holds(explanation({.target = target,
                         .fields = {{"Date", kDate}, {"Authorization", "SharedKeyLite acc:" + with_blanks}}}),
            "blanks in place of its plus signs"));
}

TEST_CASE("Dates are told with both times") {
  const auto told = [](const Fields& dates, DateTime now) {
    Sent sent{.fields = dates, .now = now};
    return explanation(signed_request(sent, kDate + "\n/acc/acc/Tables", "SharedKeyLite"));
  };
  const DateTime later{kNow.ticks + 31 * 60 * kTicksPerSecond},
      earlier{kNow.ticks - 31 * 60 * kTicksPerSecond};
  CHECK(told({{"x-ms-date", kDate}}, later) ==
        "x-ms-date is 'Sat, 22 May 2021 23:05:14 GMT', 31 minutes too old by the server's clock, which says "
        "'Sat, 22 "
        "May 2021 23:36:14 GMT'; 15 minutes either way are allowed.");
  CHECK(holds(told({{"Date", kDate}}, earlier),
              "Date is 'Sat, 22 May 2021 23:05:14 GMT', 31 minutes in the future"));
  CHECK(told({}, kNow) == "The request has neither x-ms-date nor Date.");
  CHECK(
      holds(told({{"x-ms-date", "today"}, {"Date", kDate}}, kNow), "x-ms-date is 'today', which is no date"));
}

TEST_CASE("Accounts and malformed headers are told") {
  const auto told = [](const std::string& authorization, const std::string& target = "/acc/Tables") {
    return explanation({.target = target, .fields = {{"Date", kDate}, {"Authorization", authorization}}});
  };
  CHECK(holds(told("SharedKey other:x"), "names the account 'other', the URL the account 'acc'"));
  CHECK(holds(told("SharedKey acc:x", "/nobody/Tables"), "There is no account 'nobody'"));
  CHECK(holds(told("Basic YTpi"), "malformed (scheme 'Basic')"));
  CHECK(holds(told("SharedKey acc"), "malformed (scheme 'SharedKey')"));
  CHECK_FALSE(holds(told(kKey), "scheme"));  // a key in the wrong place
  CHECK_FALSE(holds(told(kKey + " x"), "scheme"));
  CHECK(holds(explanation({}), "neither an Authorization header, nor sig in its query"));
}

// --- Shared access signatures -----------------------------------------------------------------------------

struct WrongSas {
  std::string told, query, signs;
  std::string key = kKey;
};

std::string sas_explanation(const std::string& query, const std::string& signs, const std::string& key = kKey,
                            const std::string& remote = "127.0.0.1") {
  return explanation(
      {.target = "/acc/MyTable?" + query + "&sig=" + percent_encode(sign(signs, key)), .remote = remote});
}

TEST_CASE("The usual mistakes with shared access signatures are recognised by the signature they lead to") {
  const std::string account = "sv=2019-02-02&ss=t&srt=sco&sp=raud&se=2021-05-23T00%3A00%3A00Z";
  const std::string scoped = "sv=2020-12-06&ss=t&srt=sco&sp=raud&se=2021-05-23T00%3A00%3A00Z";
  const std::string table = "sv=2019-02-02&tn=MyTable&sp=raud&se=2021-05-23";
  const std::string middle = "2021-05-23T00:00:00Z\n\n\n2019-02-02\n";
  const std::string resource = "\n/table/acc/mytable\n\n\n\n2019-02-02\n\n\n\n";
  const WrongSas cases[] = {
      {"account twice", account, "acc/acc\nraud\nt\nsco\n\n" + middle},
      {"-secondary", account, "acc-secondary\nraud\nt\nsco\n\n" + middle},
      {"slash in front", account, "/acc\nraud\nt\nsco\n\n" + middle},
      {"left out the line break at the end", account,
       "acc\nraud\nt\nsco\n\n2021-05-23T00:00:00Z\n\n\n2019-02-02"},
      {"signed a line for ses", account, "acc\nraud\nt\nsco\n\n" + middle + "\n"},
      {"left out the line of ses", scoped, "acc\nraud\nt\nsco\n\n2021-05-23T00:00:00Z\n\n\n2020-12-06\n"},
      {"percent-encoded", account, "acc\nraud\nt\nsco\n\n2021-05-23T00%3A00%3A00Z\n\n\n2019-02-02\n"},
      {"with seven decimals", account, "acc\nraud\nt\nsco\n\n2021-05-23T00:00:00.0000000Z\n\n\n2019-02-02\n"},
      {"letters of sp in another order", account, "acc\nrdau\nt\nsco\n\n" + middle},
      {"letters of srt in another order", account, "acc\nraud\nt\nocs\n\n" + middle},
      {"letters of sp in another order", "sv=2019-02-02&ss=t&srt=o&sp=ucaldwr&se=2021-05-23",
       "acc\nrwdlacu\nt\no\n\n2021-05-23\n\n\n2019-02-02\n"},
      {"well-known key", account, "acc\nraud\nt\nsco\n\n" + middle, std::string(kDevelopmentKey)},
      {"key's base64 text", account, "acc\nraud\nt\nsco\n\n" + middle, encode_base64(kKey)},
      {"account twice", table, "raud\n\n2021-05-23\n/table/acc/acc/mytable\n\n\n\n2019-02-02\n\n\n\n"},
      {"-secondary", table, "raud\n\n2021-05-23\n/table/acc-secondary/mytable\n\n\n\n2019-02-02\n\n\n\n"},
      {"must be in lower case", table, "raud\n\n2021-05-23\n/table/acc/MyTable\n\n\n\n2019-02-02\n\n\n\n"},
      {"line break at the end", table, "raud\n\n2021-05-23" + resource + "\n"},
      {"without /table", table, "raud\n\n2021-05-23\n/acc/mytable\n\n\n\n2019-02-02\n\n\n\n"},
      {"sv before 2015-04-05", table, "raud\n\n2021-05-23\n/table/acc/mytable\n\n2019-02-02\n\n\n\n"},
      {"sv before 2015-02-21", table, "raud\n\n2021-05-23\n/acc/mytable\n\n2019-02-02\n\n\n\n"},
      {"sv from 2015-04-05 on", "sv=2014-02-14&tn=MyTable&sp=raud&se=2021-05-23",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2014-02-14\n\n\n\n"},
      {"/table in front, as from sv", "sv=2014-02-14&tn=MyTable&sp=raud&se=2021-05-23",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n2014-02-14\n\n\n\n"},
      {"four lines of the key range", table, "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02"},
      {"signed a plus where", table + "&spk=a+b",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02\na+b\n\n\n"},
      {"signed a blank where", table + "&spk=a%2Bb",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02\na b\n\n\n"},
      {"letters of sp", table, "ruad\n\n2021-05-23" + resource},
      // two at once
      {", and signed the table's name", table,
       "raud\n\n2021-05-23\n/table/acc/acc/MyTable\n\n\n\n2019-02-02\n\n\n\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.told);
    CAPTURE(c.signs);
    const std::string text = sas_explanation(c.query, c.signs, c.key);
    CAPTURE(text);
    CHECK(holds(text, "The signature does not match. The client "));
    CHECK(holds(text, c.told));
  }
  CHECK(holds(sas_explanation(table, "x"), "No usual mistake explains it"));
  CHECK(holds(sas_explanation(table, "x"),
              "'raud\\n\\n2021-05-23\\n/table/acc/mytable\\n\\n\\n\\n2019-02-02\\n\\n\\n\\n'"));
  CHECK(holds(explanation({.target = "/acc/t?" + account + "&sig=" +
                                     percent_encode(percent_encode(sign("acc\nraud\nt\nsco\n\n" + middle)))}),
              "percent-encoded the signature once too often"));
}

// An account SAS, correctly signed, with parts that a test can replace.
std::string told_of(const std::string& expiry, const std::string& start = "", const std::string& ip = "",
                    const std::string& protocol = "", const std::string& services = "t") {
  return sas_explanation("sv=2019-02-02&ss=" + services + "&srt=o&sp=r&st=" + start + "&se=" + expiry +
                             "&sip=" + ip + "&spr=" + protocol,
                         "acc\nr\n" + services + "\no\n" + start + "\n" + expiry + "\n" + ip + "\n" +
                             protocol + "\n2019-02-02\n");
}

TEST_CASE("Each check of a SAS behind its signature is told, with what it compared") {
  CHECK(told_of("2021-05-23") == "");
  CHECK(told_of("2021-05-22") ==
        "The SAS is expired: start none, expiry '2021-05-22', now '2021-05-22T23:05:14Z'.");
  CHECK(told_of("2021-05-24", "2021-05-23") ==
        "The SAS is not valid yet: start '2021-05-23', expiry '2021-05-24', now '2021-05-22T23:05:14Z'.");
  CHECK(holds(told_of(""), "has no expiry (se)"));
  CHECK(holds(told_of("soon"), "has an expiry (se) that is no time"));
  CHECK(holds(told_of("2021-05-23", "then"), "has a start (st) that is no time"));
  CHECK(told_of("2021-05-23", "", "10.0.0.1-10.0.0.9") ==
        "The SAS is for the address or range '10.0.0.1-10.0.0.9' (sip), the client's is '127.0.0.1'.");
  CHECK(holds(told_of("2021-05-23", "", "", "https"), "protocols 'https' (spr)"));
  CHECK(holds(told_of("2021-05-23", "", "", "https"), "came over HTTP."));
  CHECK(holds(told_of("2021-05-23", "", "", "ftp"), "protocols 'ftp' (spr)"));
  CHECK(told_of("2021-05-23", "", "", "", "bq") ==
        "The account SAS is for the services 'bq' (ss), and tables are 't'.");
}

TEST_CASE("Fields that are missing, and those that are not well formed, are told") {
  CHECK(holds(sas_explanation("tn=t", "x"), "no version (sv)"));
  CHECK(holds(sas_explanation("sv=2019-02-02", "x"), "neither services and resource types"));
  CHECK(holds(sas_explanation("sv=2011-08-18&tn=t", "x"),
              "2012-02-12 or later, its version (sv) is '2011-08-18'"));
  CHECK(holds(sas_explanation("sv=2014-02-14&ss=t", "x"), "2015-04-05 or later"));
  CHECK(holds(sas_explanation("sv=2019-02-02&tn=t&sp=a%0Ab", "x"), "no value may hold a line break"));
  CHECK(holds(sas_explanation("sv=2019-02-02&tn=t&sp=r&se=2021-05-23&srk=1",
                              "r\n\n2021-05-23\n/table/acc/t\n\n\n\n2019-02-02\n\n1\n\n"),
              "srk needs spk"));
  const auto lacking = [](const std::string& services, const std::string& types,
                          const std::string& permissions) {
    return sas_explanation(
        "sv=2019-02-02&ss=" + services + "&srt=" + types + "&sp=" + permissions + "&se=2021-05-23",
        "acc\n" + permissions + "\n" + services + "\n" + types + "\n\n2021-05-23\n\n\n2019-02-02\n");
  };
  CHECK(lacking("t", "o", "r") == "");
  CHECK(holds(lacking("t", "o", ""), "must have, itself or by its stored access policy: permissions (sp)."));
  CHECK(holds(lacking("", "o", "r"), ": services (ss)."));
  CHECK(holds(lacking("t", "", "r"), ": resource types (srt)."));
}

TEST_CASE("Stored access policies are told") {
  const auto told = [](const std::string& id, const std::string& permissions, const std::string& expiry) {
    return sas_explanation(
        "sv=2019-02-02&tn=MyTable&si=" + id + "&sp=" + permissions + "&se=" + expiry,
        permissions + "\n\n" + expiry + "\n/table/acc/mytable\n" + id + "\n\n\n2019-02-02\n\n\n\n");
  };
  CHECK(told("full", "", "") == "");
  CHECK(holds(told("nobody", "", ""), "The table 'MyTable' has no stored access policy 'nobody' (si)"));
  CHECK(holds(told("full", "r", "2021-05-23"), "stored access policy 'full', but not in both: se sp."));
  CHECK(holds(told("over", "", ""), "The SAS is expired: start none, expiry '2021-05-22T23:05:13Z'"));
}

// --- Bearer tokens ----------------------------------------------------------------------------------------

TEST_CASE("Of a bearer token the claim that does not fit is told") {
  const auto told = [](const std::string& token, bool secure = true, bool taken = true) {
    return explanation(
        {.fields = {{"Authorization", "Bearer " + token}}, .secure = secure, .bearer_tokens = taken});
  };
  const auto token = [](const std::string& audience, int expiry) {
    std::string payload = encode_base64(R"({"iss":"https://sts.windows.net/t/","aud":")" + audience +
                                        R"(","nbf":0,"iat":0,"exp":)" + std::to_string(expiry) + "}");
    return encode_base64("{}") + "." + payload + ".";
  };
  CHECK(told(token("https://storage.azure.com", 2'000'000'000)) == "");
  CHECK(holds(told(token("https://storage.azure.com", 1)),
              "expired: exp is 1970-01-01T00:00:01Z, now is 2021"));
  CHECK(
      holds(told(token("https://graph.windows.net", 2'000'000'000)), "The audience (aud) is https://graph"));
  CHECK(holds(told("x"), "no JSON Web Token"));
  CHECK(holds(told("x", false), "not allowed with HTTP"));
  CHECK(holds(told("x", true, false), "without --oauth basic"));
}

// --- Operations -------------------------------------------------------------------------------------------

TEST_CASE("What an operation needs and what the caller has are told") {
  const auto told = [](const Caller& caller, const Operation& operation) {
    const auto allowed = authorize(caller, operation);
    REQUIRE_FALSE(allowed.has_value());
    std::string text = explain_authorization(caller, operation, allowed.error());
    check_harmless(text);
    return text;
  };
  const Caller account{Caller::Kind::AccountSas, "rl", "co", {}, std::nullopt};
  const KeyRange keys{{"a", "5"}, EntityKey{"b", std::string("7\0", 2)}};
  const Caller table{Caller::Kind::TableSas, "rd", {}, "mytable", keys};
  const Caller open_end{Caller::Kind::TableSas, "r", {}, "mytable", KeyRange{{"a", ""}, std::nullopt}};
  const Condition none{};
  CHECK(told(account, InsertEntity{"t"}) == "InsertEntity needs the permission a; the SAS has 'rl' (sp).");
  CHECK(told(account, CreateTable{}) == "CreateTable needs the permission c or w; the SAS has 'rl' (sp).");
  CHECK(holds(told(account, WriteEntity{WriteKind::Merge, "t", {"p", "r"}, none}), "permission a and u;"));
  CHECK(holds(told(account, GetServiceProperties{}), "needs the resource type s; the SAS has 'co' (srt)."));
  CHECK(holds(told(account, GetTableAcl{"t"}), "no SAS opens access policies"));
  CHECK(holds(told(table, DeleteTable{"mytable"}),
              "opens the entities of its table 'mytable' alone, not DeleteTable"));
  CHECK(holds(told(table, GetEntity{"other", {"a", "5"}, {}}),
              "for the table 'mytable' (tn), the request for 'other'"));
  CHECK(told(table, GetEntity{"MyTable", {"a", "4"}, {}}) ==
        "The entity (PartitionKey 'a', RowKey '4') lies outside of the range of the SAS, which is from spk "
        "'a', srk "
        "'5' to epk 'b', erk '7'.");
  CHECK(holds(told(open_end, GetEntity{"MyTable", {"A", "\xC3\xA9\n"}, {}}), "RowKey '\\xc3\\xa9\\n'"));
  CHECK(holds(told(open_end, GetEntity{"MyTable", {"A", ""}, {}}), "from spk 'a' on."));
  CHECK(holds(told({Caller::Kind::Bearer, {}, {}, {}, std::nullopt}, SetTableAcl{"t"}),
              "needs the account's key"));
}

// --- Hostile bytes ----------------------------------------------------------------------------------------

TEST_CASE("Whatever bytes a client sends, the explanation is one short line of printable ASCII") {
  const std::string evil = std::string("\r\nSet-Cookie: x\x01\xFF\\'\"", 20);
  std::string huge;
  while (huge.size() < 100'000) huge += "x-";
  for (const std::string& bytes : {evil, huge, std::string(5000, '\n'), std::string(5000, '\xFF')}) {
    std::string twice = "SharedKey ";
    twice.append(bytes).append(":");
    const Fields fields[] = {{{"Date", kDate}, {"Content-Type", bytes}, {"Authorization", "SharedKey acc:x"}},
                             {{"Date", bytes}, {"Authorization", "SharedKey acc:x"}},
                             {{"Date", kDate}, {"Authorization", twice + bytes}},
                             {{"Date", kDate}, {"Authorization", "SharedKey acc:" + bytes}},
                             {{"Date", kDate}, {"Authorization", bytes}},
                             {{"Date", kDate}, {"Authorization", "Bearer " + bytes}}};
    for (const auto& one : fields) explanation({.fields = one, .secure = true});
    explanation({.target = "/acc/" + bytes, .fields = fields[0]});
    explanation({.target = "/acc/t?comp=" + percent_encode(bytes), .fields = fields[0]});
    explanation({.target = "/acc/t?sv=" + percent_encode(bytes) + "&sig=x"});
    explanation({.target = "/acc/t?sv=2019-02-02&tn=" + percent_encode(bytes) + "&sig=x"});
    std::string query = "/acc/t?sv=2019-02-02&ss=t&sp=";
    query.append(percent_encode(bytes)).append("&sig=").append(bytes);
    explanation({.target = query});
    check_harmless(explain_unknown_account(bytes));
    check_harmless(explain_reach({Caller::Kind::TableSas, bytes, {}, bytes, KeyRange{{bytes, bytes}, {}}},
                                 {bytes, bytes}));
  }
  CHECK(holds(explain_unknown_account(evil), "what cannot be an account"));
}

}  // namespace
}  // namespace rocktable
