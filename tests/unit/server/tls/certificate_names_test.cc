// The names and addresses in the certificate of --tls auto.
#include "server/tls/certificate_names.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("A certificate may be for DNS names, wildcards in front of a domain, and addresses") {
  const std::string longest_label(63, 'a');
  for (const std::string& name :
       {std::string("tables"), std::string("my_tables"), std::string("123456789012"),
        std::string("myaccount.table.core.windows.net"), std::string("*.table.core.windows.net"),
        std::string("*.example.test"), std::string("xn--bcher-kva.example"), std::string("10.1.2.3"),
        std::string("fd00::1"), longest_label + ".test"}) {
    CAPTURE(name);
    CHECK(certificate_name_error(name).empty());
  }
}

TEST_CASE("Names that clients would reject are refused, and named") {
  for (const std::string& name : {std::string(),
                                  std::string("."),
                                  std::string("a..b"),
                                  std::string("a.test."),
                                  std::string("-a.test"),
                                  std::string("a-.test"),
                                  std::string("a b"),
                                  std::string("a,DNS:b"),
                                  std::string("b\xC3\xBC.test"),
                                  std::string("https://a.test"),
                                  std::string("a.test:443"),
                                  std::string("[::1]"),
                                  std::string(64, 'a') + ".test",
                                  std::string("a.*.test"),
                                  std::string("*a.test"),
                                  std::string("**.a.test"),
                                  std::string("*"),
                                  std::string("*."),
                                  std::string("*.test"),
                                  std::string("10.1.2"),
                                  std::string("10.1.2.256"),
                                  std::string("0.0.0.0"),
                                  std::string("::")}) {
    CAPTURE(name);
    const std::string why = certificate_name_error(name);
    CHECK(why.starts_with(name + " is "));
  }
  std::string long_name = "a.test";
  while (long_name.size() <= 253) long_name.insert(0, "a.");
  CHECK_FALSE(certificate_name_error(long_name).empty());
}

TEST_CASE("The names include this machine and the listening address, once, unless it is unspecified") {
  const auto count = [](const std::string& table_host, const std::string& name,
                        const std::vector<std::string>& more = {}) {
    const auto names = certificate_names(table_host, more);
    return std::count(names.begin(), names.end(), name);
  };
  CHECK(count("", "localhost") == 1);
  CHECK(count("localhost", "localhost") == 1);
  CHECK(count("127.0.0.1", "127.0.0.1") == 1);
  CHECK(count("tables.test", "tables.test") == 1);
  CHECK(count("10.1.2.3", "10.1.2.3") == 1);
  CHECK(count("[fd00::1]", "fd00::1") == 1);
  CHECK(count("0.0.0.0", "0.0.0.0") == 0);
  CHECK(count("::", "::") == 0);
  CHECK(count("a b,DNS:example.com", "a b,DNS:example.com") == 0);
  CHECK(count("", "", {}) == 0);
  CHECK(count("", "*.table.core.windows.net") == 0);  // otherwise the authority could impersonate the cloud
  CHECK(count("", "*.table.core.windows.net", {"*.table.core.windows.net"}) == 1);
  CHECK(count("tables.test", "TABLES.test", {"TABLES.test"}) == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
