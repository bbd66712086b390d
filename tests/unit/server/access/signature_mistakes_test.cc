// Client mistakes behind wrong signatures: each is recognised by the signature that it produces.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "odata/protocol/development_account.h"
#include "tests/unit/server/access/explanation.h"

namespace rocktable::TEST_FILE {
namespace {

struct Wrong {
  std::string explained;  // part of the explanation
  Sent sent;
  std::string signs;
  std::string scheme = "SharedKey";
  std::string key = kKey;
};

TEST_CASE("The usual mistakes with Shared Key are recognised by the signature") {
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
      {"string of SharedKey, but sent the scheme SharedKeyLite", {.fields = dated}, "GET\n\n" + tail, "SharedKeyLite"},
      {"account once; with the account in the URL path", {.fields = dated}, lite("/acc/Tables"), "SharedKeyLite"},
      {"account once; with the account in the URL path", {.fields = dated}, "GET\n\n\n" + kDate + "\n/acc/Tables"},
      {"account twice; with the account in the host name",
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
      {"signed Date;", {.fields = two_dates}, "Sat, 22 May 2021 23:05:10 GMT\n/acc/acc/Tables", "SharedKeyLite"},
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
      {"?comp=... must be signed, too",
       {.target = "/acc/t?comp=acl", .fields = dated},
       lite("/acc/acc/t"),
       "SharedKeyLite"},
      {"path percent-decoded",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t(PartitionKey='a b',RowKey='\xC3\xA9')"),
       "SharedKeyLite"},
      {"another percent-encoding",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t%28PartitionKey%3D%27a%20b%27%2CRowKey%3D%27%C3%A9%27%29"),
       "SharedKeyLite"},
      {"another percent-encoding",
       {.target = "/acc/$batch", .fields = dated},
       lite("/acc/acc/%24batch"),
       "SharedKeyLite"},
      {"another letter case",
       {.target = key_path, .fields = dated},
       lite("/acc/acc/t(PartitionKey=%27a%20b%27,RowKey=%27%c3%a9%27)"),
       "SharedKeyLite"},
      {"path in lower case", {.fields = dated}, lite("/acc/acc/tables"), "SharedKeyLite"},
      {"path with a slash at its end", {.fields = dated}, lite("/acc/acc/Tables/"), "SharedKeyLite"},
      {"path without the slash", {.target = "/acc/", .fields = dated}, lite("/acc/acc"), "SharedKeyLite"},
      {"full URL", {.fields = dated}, lite("http://127.0.0.1:10002/acc/Tables"), "SharedKeyLite"},
      {"full URL after the account",
       {.fields = dated},
       lite("/acc/http://127.0.0.1:10002/acc/Tables"),
       "SharedKeyLite"},
      {"SharedKey for blobs and queues",
       {.fields = dated},
       "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:" + kDate + "\nx-ms-version:2019-02-02\n/acc/acc/Tables"},
      {"x-ms- headers",
       {.fields = dated},
       "GET\n\n\n" + kDate + "\nx-ms-date:" + kDate + "\nx-ms-version:2019-02-02\n/acc/acc/Tables"},
      {"emulator's well-known key", {.fields = dated}, "GET\n\n" + tail, "SharedKey", std::string(kDevelopmentKey)},
      {"key's base64 text", {.fields = dated}, "GET\n\n" + tail, "SharedKey", encode_base64(kKey)},
      {"key's base64 text", {.fields = dated}, "GET\n\n" + tail, "SharedKey", encode_base64(kSecondKey)},
      // two at once
      {"account once; with the account in the URL path",
       {.target = "/acc/Tables?$top=1", .fields = dated},
       lite("/acc/Tables?$top=1"),
       "SharedKeyLite"},
      {"and signed the whole query",
       {.target = "/acc/Tables?$top=1", .fields = dated},
       lite("/acc/Tables?$top=1"),
       "SharedKeyLite"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.explained);
    CAPTURE(c.signs);
    const std::string text = explanation(signed_request(c.sent, c.signs, c.scheme, c.key));
    CAPTURE(text);
    CHECK(holds(text, "The signature does not match. The client "));
    CHECK(holds(text, c.explained));
    CHECK(holds(text, " The string to sign is '"));
  }
}

struct WrongSas {
  std::string explained, query, signs;
  std::string key = kKey;
};

TEST_CASE("The usual mistakes with shared access signatures are recognised by the signature") {
  const std::string account = "sv=2019-02-02&ss=t&srt=sco&sp=raud&se=2021-05-23T00%3A00%3A00Z";
  const std::string scoped = "sv=2020-12-06&ss=t&srt=sco&sp=raud&se=2021-05-23T00%3A00%3A00Z";
  const std::string table = "sv=2019-02-02&tn=MyTable&sp=raud&se=2021-05-23";
  const std::string middle = "2021-05-23T00:00:00Z\n\n\n2019-02-02\n";
  const std::string resource = "\n/table/acc/mytable\n\n\n\n2019-02-02\n\n\n\n";
  const WrongSas cases[] = {
      {"account twice", account, "acc/acc\nraud\nt\nsco\n\n" + middle},
      {"-secondary", account, "acc-secondary\nraud\nt\nsco\n\n" + middle},
      {"slash in front", account, "/acc\nraud\nt\nsco\n\n" + middle},
      {"left out the line break at the end", account, "acc\nraud\nt\nsco\n\n2021-05-23T00:00:00Z\n\n\n2019-02-02"},
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
      {"sv 2015-04-05 and later", "sv=2014-02-14&tn=MyTable&sp=raud&se=2021-05-23",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2014-02-14\n\n\n\n"},
      {"/table in front, as since sv", "sv=2014-02-14&tn=MyTable&sp=raud&se=2021-05-23",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n2014-02-14\n\n\n\n"},
      {"four lines of the key range", table, "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02"},
      {"signed a plus, but", table + "&spk=a+b", "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02\na+b\n\n\n"},
      {"signed a blank, but", table + "&spk=a%2Bb",
       "raud\n\n2021-05-23\n/table/acc/mytable\n\n\n\n2019-02-02\na b\n\n\n"},
      {"letters of sp", table, "ruad\n\n2021-05-23" + resource},
      // two at once
      {", and signed the table name", table, "raud\n\n2021-05-23\n/table/acc/acc/MyTable\n\n\n\n2019-02-02\n\n\n\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.explained);
    CAPTURE(c.signs);
    const std::string text = sas_explanation(c.query, c.signs, c.key);
    CAPTURE(text);
    CHECK(holds(text, "The signature does not match. The client "));
    CHECK(holds(text, c.explained));
  }
  CHECK(holds(sas_explanation(table, "x"), "No usual mistake explains it"));
  CHECK(holds(sas_explanation(table, "x"),
              "'raud\\n\\n2021-05-23\\n/table/acc/mytable\\n\\n\\n\\n2019-02-02\\n\\n\\n\\n'"));
  CHECK(holds(explanation({.target = "/acc/t?" + account + "&sig=" +
                                     percent_encode(percent_encode(sign("acc\nraud\nt\nsco\n\n" + middle, kKey)))}),
              "percent-encoded the signature twice"));
}

TEST_CASE("A signature in another encoding is recognised") {
  const std::string good = sign(kDate + "\n/acc/acc/Tables", kKey);
  std::string hex, url = good.substr(0, good.find('='));
  const std::string bytes = decode_base64(good).value();
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  std::replace(url.begin(), url.end(), '+', '-');
  std::replace(url.begin(), url.end(), '/', '_');
  const auto explained = [](const std::string& signature) {
    return explanation({.fields = {{"Date", kDate}, {"Authorization", "SharedKeyLite acc:" + signature}}});
  };
  CHECK(explained(good) == "");
  CHECK(holds(explained(percent_encode(good)), "percent-encoded the signature"));
  CHECK(holds(explained(hex), "in hex"));
  CHECK(holds(explained(url), "in base64url or without padding"));
  CHECK(holds(explained(""), "It is empty."));

  std::string target = "/acc/t", with_blanks;
  do {
    target += "x";
    with_blanks = sign(kDate + "\n/acc" + target, kKey);
  } while (with_blanks.find('+') == with_blanks.npos);
  std::replace(with_blanks.begin(), with_blanks.end(), '+', ' ');
  CHECK(holds(explanation({.target = target,
                           .fields = {{"Date", kDate}, {"Authorization", "SharedKeyLite acc:" + with_blanks}}}),
              "blanks in place of its plus signs"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
