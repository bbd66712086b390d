#include "client/connection_string.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

TEST_CASE("a connection string contains endpoint, account and key") {
  struct {
    std::string_view text, address, account, key;
  } cases[] = {
      {"DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.windows.net",
       "https://acct.table.core.windows.net", "acct", "a2V5"},
      {"AccountName=acct;AccountKey=a2V5", "https://acct.table.core.windows.net", "acct", "a2V5"},
      {"AccountName=acct;AccountKey=a2V5;EndpointSuffix=core.chinacloudapi.cn",
       "https://acct.table.core.chinacloudapi.cn", "acct", "a2V5"},
      {"defaultendpointsprotocol=http; accountname=acct ;ACCOUNTKEY=YWJjZA==;", "http://acct.table.core.windows.net",
       "acct", "YWJjZA=="},
      {"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=a2V5;BlobEndpoint=http://h:1/d;"
       "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1/;",
       "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1", "a2V5"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const TableEndpoint endpoint = parse_connection_string(c.text);
    CHECK(endpoint.address() == c.address);
    CHECK(endpoint.account_name == c.account);
    CHECK(endpoint.account_key == c.key);
    CHECK(endpoint.shared_access_signature == "");
  }
}

TEST_CASE("UseDevelopmentStorage is the emulator with its well-known key, on any host") {
  const TableEndpoint local = parse_connection_string("UseDevelopmentStorage=true");
  CHECK(local.address() == "http://127.0.0.1:10002/devstoreaccount1");
  CHECK(local.account_name == "devstoreaccount1");
  CHECK(local.account_key.starts_with("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"));
  const TableEndpoint elsewhere =
      parse_connection_string("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://ci-host");
  CHECK(elsewhere.address() == "http://ci-host:10002/devstoreaccount1");
}

TEST_CASE("a shared access signature is a setting, a part of the endpoint, or a URL") {
  struct {
    std::string_view text, address, account, signature, table;
  } cases[] = {
      {"TableEndpoint=https://"
       "acct.table.core.windows.net;SharedAccessSignature=sv=2019-02-02&tn=abc&sig=x%3D",
       "https://acct.table.core.windows.net", "acct", "sv=2019-02-02&tn=abc&sig=x%3D", "abc"},
      {"AccountName=acct;SharedAccessSignature=?sv=1&ss=t&sig=x", "https://acct.table.core.windows.net", "acct",
       "sv=1&ss=t&sig=x", ""},
      {"TableEndpoint=https://acct.table.core.windows.net/?sv=1&sig=x", "https://acct.table.core.windows.net", "acct",
       "sv=1&sig=x", ""},
      {"https://acct-secondary.table.core.windows.net/?sv=1&ss=t&sig=x",
       "https://acct-secondary.table.core.windows.net", "acct", "sv=1&ss=t&sig=x", ""},
      {" https://acct.table.core.windows.net/mytable?sv=1&sig=x\n", "https://acct.table.core.windows.net", "acct",
       "sv=1&sig=x", "mytable"},
      {"http://127.0.0.1:10002/devstoreaccount1/mytable?sv=1&tn=MyTable&sig=x",
       "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1", "sv=1&tn=MyTable&sig=x", "MyTable"},
      {"http://azurite:10002/devstoreaccount1?sv=1&sig=x", "http://azurite:10002/devstoreaccount1", "devstoreaccount1",
       "sv=1&sig=x", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const TableEndpoint endpoint = parse_connection_string(c.text);
    CHECK(endpoint.address() == c.address);
    CHECK(endpoint.account_name == c.account);
    CHECK(endpoint.account_key == "");
    CHECK(endpoint.shared_access_signature == c.signature);
    CHECK(endpoint.table == c.table);
  }
}

TEST_CASE("errors of connection strings do not contain secrets") {
  struct {
    std::string_view text, why;
  } cases[] = {
      {"", "the connection string is empty"},
      {"UseDevelopmentStorage=false", "has UseDevelopmentStorage, but not with the value true"},
      {"AccountName=acct", "has neither AccountKey nor SharedAccessSignature"},
      {"AccountKey=c2VjcmV0", "has neither TableEndpoint nor AccountName"},
      {"TableEndpoint=http://h/a;AccountKey=c2VjcmV0", "has an AccountKey, but no AccountName"},
      {"AccountName=acct;AccountKey=secret!", "has an AccountKey that is not base64"},
      {"AccountName=acct;secret", "has a part that is not of the form Name=Value"},
      {"AccountName=acct;AccountName=b;AccountKey=c2VjcmV0", "has accountname twice"},
      {"TableEndpoint=ftp://h?sig=secret;AccountName=a;AccountKey=c2VjcmV0", "has an endpoint that cannot be used"},
      {"TableEndpoint=http://h/a;SharedAccessSignature=sv=secret", "has no shared access signature"},
      {"https://acct.table.core.windows.net/?sv=secret", "has no shared access signature"},
      {"https://user:secret@h/?sig=1", "user name"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    try {
      parse_connection_string(c.text);
      FAIL("no exception");
    } catch (const ConnectionStringError& error) {
      const std::string_view said = error.what();
      CHECK_MESSAGE(said.find(c.why) != std::string_view::npos, said);
      CHECK(said.find("secret") == std::string_view::npos);
      CHECK(said.find("c2VjcmV0") == std::string_view::npos);
    }
  }
}

}  // namespace rocktable::TEST_FILE
