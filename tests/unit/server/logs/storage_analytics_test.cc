// Records of `$logs`: the documented examples, and lines that are nearly right.
#include "server/logs/storage_analytics.h"

#include <doctest/doctest.h>

#include <string>

namespace rocktable::TEST_FILE {
namespace {

// learn.microsoft.com/azure/storage/common/storage-analytics-logging#log-entries
constexpr std::string_view kCreateTable =
    R"~(1.0;2022-01-03T20:35:13.0719766Z;CreateTable;Success;204;30;31;authenticated;logsamples;logsamples;table;)~"
    R"~(https://logsamples.table.core.windows.net/Tables;"/logsamples/Table1";33e6e5f9-4002-0002-5f1d-26b1ee000000;0;)~"
    R"~(71.197.193.44:53389;2018-03-28;601;22;339;7;22;;;;;;"Microsoft Azure Storage Explorer, 1.20.1, win32, )~"
    R"~(Azure-Storage/2.10.3 (NODE-VERSION v12.16.3; Windows_NT 10.0.22000)";;"0a5fb3f0-6cd1-11ec-8f5d-e7a4e0d1d1a2")~";

// The same page: its URL is encoded, but not in quotes; the ETag has quotes within quotes; version 2.0.
constexpr std::string_view kPutBlob =
    R"~(2.0;2022-01-03T20:34:54.4617505Z;PutBlob;SASSuccess;201;7;7;sas;;logsamples;blob;)~"
    R"~(https://logsamples.blob.core.windows.net/container1/1.txt?se=2022-02-02T20:34:54Z&amp;sig=XXXXX&amp;sp=rwl;)~"
    R"~("/logsamples/container1/1.txt";8fe4a4a4-001e-0045-3c1d-26b1ee000000;0;71.197.193.44:53371;2019-12-12;654;13;)~"
    R"~(337;0;13;"xxx==";"xxx==";"&quot;0x8D9CEF88004E296&quot;";Monday, 03-Jan-22 20:34:54 GMT;;)~"
    R"~("Microsoft Azure Storage Explorer (go1.15; Windows_NT)";;"xxxxxxxx-xxxx";;;;;;;;)~";

// learn.microsoft.com/rest/api/storageservices/storage-analytics-log-format
constexpr std::string_view kGetBlob =
    R"~(1.0;2014-06-19T22:59:23.1967767Z;GetBlob;AnonymousSuccess;200;17;16;anonymous;;storagesample;blob;)~"
    R"~("https://storagesample.blob.core.windows.net/sample-container1/00001.txt";)~"
    R"~("/storagesample/sample-container1/00001.txt";61d2e3f6-bcb7-4cd1-a81e-4f8f497f0da2;0;192.100.0.102:4362;)~"
    R"~(2014-02-14;283;0;354;23;0;;;""0x8D15A2913C934DE"";Thursday, 19-Jun-14 22:58:10 GMT;;)~"
    R"~("WA-Storage/4.0.1 (.NET CLR 4.0.30319.34014; Win32NT 6.3.9600.0)";;"44dfd78e-7288-4898-8f70-c3478983d3b6")~";

struct Read {
  const std::string line;  // the entry has views of it
  std::string why;
  LogEntry entry;
  std::string decoded;
  explicit Read(std::string_view text) : line(text) { why = read_storage_analytics(line, entry, decoded); }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;
};

// A record of version 1.0 with these texts in place of some fields.
std::string record(std::string_view url, std::string_view conditions = "", std::string_view id = "\"c\"") {
  return "1.0;2022-01-03T20:35:13.0719766Z;QueryEntities;Success;200;30;20;authenticated;a;a;table;" +
         std::string(url) + ";\"/a/t\";r;0;1.2.3.4:5;2018-03-28;1;2;3;4;5;;;;;" + std::string(conditions) +
         ";\"agent/1\";;" + std::string(id);
}

}  // namespace

TEST_CASE("the documented record of a table has its fields in this order") {
  const Read read(kCreateTable);
  REQUIRE(read.why.empty());
  const LogEntry& entry = read.entry;
  CHECK(entry[LogField::Time] == "2022-01-03T20:35:13.0719766Z");
  CHECK(entry[LogField::OperationName] == "CreateTable");
  CHECK(entry[LogField::Status] == "Success");
  CHECK(entry[LogField::HttpStatus] == "204");
  CHECK(entry[LogField::TotalLatency] == "30");
  CHECK(entry[LogField::ServerLatency] == "31");
  CHECK(entry[LogField::Account] == "logsamples");
  CHECK(entry[LogField::Service] == "table");
  CHECK(entry[LogField::Url] == "https://logsamples.table.core.windows.net/Tables");
  CHECK(entry[LogField::ObjectKey] == "/logsamples/Table1");
  CHECK(entry[LogField::RequestId] == "33e6e5f9-4002-0002-5f1d-26b1ee000000");
  CHECK(entry[LogField::OperationNumber] == "0");
  CHECK(entry[LogField::ResponseBytes] == "7");
  CHECK(entry[LogField::UserAgent].ends_with("(NODE-VERSION v12.16.3; Windows_NT 10.0.22000)"));
  CHECK(entry[LogField::ClientRequestId] == "0a5fb3f0-6cd1-11ec-8f5d-e7a4e0d1d1a2");
}

TEST_CASE("version 2.0, a URL without quotes, quotes within quotes") {
  const Read blob(kPutBlob);
  REQUIRE(blob.why.empty());
  CHECK(blob.entry[LogField::Service] == "blob");
  CHECK(blob.entry[LogField::Url] ==
        "https://logsamples.blob.core.windows.net/container1/1.txt?se=2022-02-02T20:34:54Z&sig=XXXXX&sp=rwl");
  CHECK(blob.entry[LogField::ResponseBytes] == "0");
  CHECK(blob.entry[LogField::ClientRequestId] == "xxxxxxxx-xxxx");
  const Read get(kGetBlob);
  REQUIRE(get.why.empty());
  CHECK(get.entry[LogField::ResponseBytes] == "23");
  CHECK(get.entry[LogField::ClientRequestId] == "44dfd78e-7288-4898-8f70-c3478983d3b6");
}

TEST_CASE("each beginning of a record is broken, and says why") {
  for (std::size_t size = 4; size < kCreateTable.size(); ++size) {
    CAPTURE(size);
    const Read read(kCreateTable.substr(0, size));
    const bool is_whole =
        kCreateTable.substr(size).find(';') == std::string_view::npos && kCreateTable[size - 1] == ';';
    CHECK(read.why.empty() == is_whole);  // without its last field, which is empty then
  }
  CHECK(Read("1.0;a;b").why == "it has 3 fields of 30");
  CHECK(Read(kCreateTable.substr(0, kCreateTable.size() - 1)).why == "the quote of field 30 does not end");
  CHECK(Read("3.0;a").why == "its version is 3.0, not 1.0 or 2.0");
}

TEST_CASE("semicolons and quotes within fields") {
  struct {
    std::string_view field, url;
  } const cases[] = {
      {R"("https://a/t?$filter=x eq ';'")", "https://a/t?$filter=x eq ';'"},
      {R"("https://a/t?x=&quot;;y")", "https://a/t?x=\";y"},
      {R"(https://a/t?x=1&amp;y=2&amp;)", "https://a/t?x=1&y=2&"},
      {R"(https://a/t?x=&#39;&#x27;&lt;&gt;&apos;)", "https://a/t?x=''<>'"},
      {R"("https://a/t?x=&#228;&#x1F600;")", "https://a/t?x=\u00e4\U0001F600"},
      {R"("https://a/t?x=&nosuch&amp;amp")", "https://a/t?x=&nosuch&amp"},
      {R"("")", ""},
      {"", ""},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field);
    const Read read(record(one.field));
    CHECK(read.why == "");
    CHECK(read.entry[LogField::Url] == one.url);
    CHECK(read.entry[LogField::UserAgent] == "agent/1");
  }
  const Read read(record("u", R"("If-Match=*;If-None-Match=x")", "\"\xff\xfe&quot;\""));
  CHECK(read.entry[LogField::Conditions] == "If-Match=*;If-None-Match=x");
  CHECK(read.entry[LogField::ClientRequestId] == "\xff\xfe\"");
}

TEST_CASE("a name of HTML that is none stays as it is") {
  for (const std::string_view text : {"&", "&;", "&amp", "&#;", "&#x;", "&#0;", "&#xD800;", "&#1114112;",
                                      "&#99999999999;", "&toolongname;", "&#12x;", "a&b;c"}) {
    std::string out;
    append_html_decoded(out, text);
    CHECK(out == text);
  }
}

TEST_CASE("what begins as a record") {
  CHECK(begins_as_storage_analytics("1.0;"));
  CHECK(begins_as_storage_analytics("9.9;x"));
  for (const std::string_view other : {"", "1.0", "1;0;", "x.0;", "{\"a\":1}", " 1.0;"})
    CHECK_FALSE(begins_as_storage_analytics(other));
}

}  // namespace rocktable::TEST_FILE
