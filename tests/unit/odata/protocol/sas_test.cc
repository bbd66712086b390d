// Shared access signatures: reading the parameters, and the string to sign of each layout.
#include "odata/protocol/sas.h"

#include <doctest/doctest.h>

#include <string>

#include "odata/protocol/shared_key.h"

namespace rocktable::TEST_FILE {
namespace {

SasParameters parsed(std::string_view query) {
  CAPTURE(query);
  const auto sas = parse_sas(query);
  REQUIRE(sas.has_value());
  return *sas;
}

std::string signed_text(std::string_view query) {
  CAPTURE(query);
  const auto text = sas_string_to_sign(parsed(query), "acc");
  REQUIRE(text.has_value());
  return *text;
}

TEST_CASE("Every parameter of a SAS is stored in its field") {
  const SasParameters sas = parsed(
      "sv=2020-12-06&ss=t&srt=sco&sp=raud&st=2021-01-01&se=2022-01-01&sip=1.2.3.4-1.2.3.9&spr=https&ses=scope"
      "&tn=MyTable&si=policy&spk=a&srk=b&epk=c&erk=d&sig=c2ln");
  CHECK(sas.version == "2020-12-06");
  CHECK(sas.services == "t");
  CHECK(sas.resource_types == "sco");
  CHECK(sas.permissions == "raud");
  CHECK(sas.start == "2021-01-01");
  CHECK(sas.expiry == "2022-01-01");
  CHECK(sas.ip == "1.2.3.4-1.2.3.9");
  CHECK(sas.protocol == "https");
  CHECK(sas.encryption_scope == "scope");
  CHECK(sas.table == "MyTable");
  CHECK(sas.identifier == "policy");
  CHECK(sas.start_partition_key == "a");
  CHECK(sas.start_row_key == "b");
  CHECK(sas.end_partition_key == "c");
  CHECK(sas.end_row_key == "d");
  CHECK(sas.signature == "c2ln");
}

TEST_CASE("A user delegation SAS signs 19 lines") {
  const std::string common =
      "st=2025-01-01T00:00:00Z&se=2025-01-02T00:00:00Z&skt=2025-01-01T00:00:00Z"
      "&ske=2025-01-02T00:00:00Z&skoid=00000000-0000-0000-0000-000000000001"
      "&sktid=00000000-0000-0000-0000-000000000002&sks=t&sv=2025-07-05&skv=2025-07-05"
      "&tn=TestTable&sig=";
  const auto signature = [&](const std::string& query) {
    const SasParameters sas = parsed(query + "&" + common);
    CHECK(sas.is_delegation_sas());
    CHECK_FALSE(sas.is_account_sas());
    return AccountKey("dGVzdGtleQ==").sign(sas_string_to_sign(sas, "testaccount").value());
  };
  CHECK(signature("sp=r") == "JDE+cflfhz2dTFSIN+tSfds7BfqwFH1g/Pm6y608Ta0=");
  CHECK(signature("sp=raud&skdutid=00000000-0000-0000-0000-000000000003&sduoid=00000000-0000-0000-0000-000000000004"
                  "&spr=https&spk=pk1&srk=rk1&epk=pk2&erk=rk2&ss=t&srt=o") ==
        "LuFsjRJHieigSHFnVJOuHpyZfxtE6ESUak7thvvUtBs=");
  CHECK(sas_string_to_sign(parsed("sv=2025-07-05&tn=T01&skoid=o&sig=s"), "acc").value() ==
        "\n\n\n/table/acc/t01\no\n\n\n\n\n\n\n\n\n\n2025-07-05\n\n\n\n");
  for (const char* refused :
       {"sv=2025-05-05&tn=t01&skoid=o&sig=s", "sv=2025-07-05&skoid=o&sig=s",
        "sv=2025-07-05&tn=t01&skoid=o&sks=a%0ab&sig=s", "sv=2025-07-05&tn=t&skoid=o&skoid=o&sig=s"})
    CHECK(sas_string_to_sign(parsed(refused), "acc").error().code == ErrorCode::AuthenticationFailed);
}

TEST_CASE("A SAS becomes the query from which it is read") {
  const std::string query =
      "sv=2020-12-06&sp=r&st=2021-01-01&se=2022-01-01T00%3A00%3A00Z&tn=MyTable&spk=&srk=a%20b%2Bc&sig=a%2Bb%3D";
  CHECK(to_query(parsed(query)) == query);
  CHECK(to_query({}) == "");
}

TEST_CASE("A query without sig has no SAS") {
  for (const std::string_view query : {"", "sv=2019-02-02&tn=t", "$filter=sig", "xsig=1&sigx=2", "a=b&&=&c"}) {
    CAPTURE(query);
    CHECK_FALSE(parse_sas(query).has_value());
  }
}

TEST_CASE("An empty sig is a SAS that cannot match") {
  CHECK(parsed("tn=t&sig=").signature == "");
  CHECK(parsed("tn=t&sig").table == "t");
}

TEST_CASE("Names of SAS parameters are read in any case and at any position") {
  const SasParameters sas = parsed("$top=1&TN=MyTable&&SpK=a&$filter=x%20eq%201&SIG=s");
  CHECK(sas.table == "MyTable");
  CHECK(sas.start_partition_key == "a");
  CHECK(sas.signature == "s");
}

TEST_CASE("The first of repeated parameters is read, and the string to sign is refused") {
  CHECK(parsed("tn=first&tn=second&sig=s").table == "first");
  CHECK(parsed("tn=&tn=second&sig=s").table == "");
  CHECK(parsed("sig=first&sig=second").signature == "first");
  const std::string good = "sv=2019-02-02&tn=t&sp=r&se=2022-01-01&sig=s";
  CHECK(sas_string_to_sign(parsed(good), "acct").has_value());
  CHECK(sas_string_to_sign(parsed(good + "&x=1&x=1"), "acct").has_value());
  for (const std::string repeated : {"sig=s", "SIG=x", "tn=t", "sp=r", "sv=2019-02-02", "se="}) {
    CAPTURE(repeated);
    const auto text = sas_string_to_sign(parsed(repeated + "&" + good), "acct");
    REQUIRE(text.has_error());
    CHECK(text.error().code == ErrorCode::AuthenticationFailed);
  }
  for (const std::string repeated : {"srt", "ss", "st", "sip", "spr", "ses", "si", "spk", "srk", "epk", "erk"}) {
    const std::string twice = "&" + repeated + "=a&" + repeated + "=a";
    CHECK(sas_string_to_sign(parsed(good + twice), "acct").has_error());
  }
}

TEST_CASE("Values are percent-decoded, and a plus is a space except in the signature") {
  CHECK(parsed("se=2022-01-01T00%3A00%3A00Z&sig=s").expiry == "2022-01-01T00:00:00Z");
  CHECK(parsed("spk=a+b%20c%2Bd&sig=s").start_partition_key == "a b c+d");
  CHECK(parsed("spk=%C3%A9&sig=s").start_partition_key == "\xC3\xA9");
  CHECK(parsed("sig=ab%2Bc%2Fd%3D").signature == "ab+c/d=");
  CHECK(parsed("sig=ab+c/d=").signature == "ab+c/d=");
  CHECK(parsed("spk=100%&sig=%zz").start_partition_key == "100%");
  CHECK(parsed("spk=100%&sig=%zz").signature == "%zz");
}

TEST_CASE("An empty bound of the key range differs from a missing one") {
  const SasParameters empty = parsed("spk=&srk=&epk=&erk=&sig=s");
  CHECK(empty.has_start_partition_key);
  CHECK(empty.has_start_row_key);
  CHECK(empty.has_end_partition_key);
  CHECK(empty.has_end_row_key);
  const SasParameters one = parsed("epk=z&sig=s");
  CHECK_FALSE(one.has_start_partition_key);
  CHECK_FALSE(one.has_start_row_key);
  CHECK(one.has_end_partition_key);
  CHECK_FALSE(one.has_end_row_key);
}

TEST_CASE("ss or srt make an account SAS") {
  CHECK(parsed("ss=t&sig=s").is_account_sas());
  CHECK(parsed("srt=o&sig=s").is_account_sas());
  CHECK_FALSE(parsed("ss=&tn=t&sig=s").is_account_sas());
  CHECK_FALSE(parsed("tn=t&sig=s").is_account_sas());
}

TEST_CASE("The string to sign of an account SAS has the encryption scope since 2020-12-06") {
  const std::string rest = "&ss=t&srt=sco&sp=rl&st=S&se=E&sip=I&spr=P&ses=X&sig=s";
  CHECK(signed_text("sv=2015-04-05" + rest) == "acc\nrl\nt\nsco\nS\nE\nI\nP\n2015-04-05\n");
  CHECK(signed_text("sv=2020-12-05" + rest) == "acc\nrl\nt\nsco\nS\nE\nI\nP\n2020-12-05\n");
  CHECK(signed_text("sv=2020-12-06" + rest) == "acc\nrl\nt\nsco\nS\nE\nI\nP\n2020-12-06\nX\n");
  CHECK(signed_text("sv=2024-11-04" + rest) == "acc\nrl\nt\nsco\nS\nE\nI\nP\n2024-11-04\nX\n");
}

TEST_CASE("A missing field of an account SAS is an empty line, and letters keep their order") {
  CHECK(signed_text("sv=2019-02-02&ss=qtbf&srt=ocs&sp=lr&se=E&sig=s") == "acc\nlr\nqtbf\nocs\n\nE\n\n\n2019-02-02\n");
  CHECK(signed_text("sv=2020-12-06&ss=t&srt=o&sp=r&se=E&sig=s") == "acc\nr\nt\no\n\nE\n\n\n2020-12-06\n\n");
}

TEST_CASE("The string to sign of a table SAS has three layouts") {
  const std::string rest = "&tn=MyTable&sp=raud&st=S&se=E&si=id&sip=I&spr=P&spk=a&srk=b&epk=c&erk=d&sig=s";
  const struct {
    std::string_view version, text;
  } cases[] = {
      {"2012-02-12", "raud\nS\nE\n/acc/mytable\nid\n2012-02-12\na\nb\nc\nd"},
      {"2015-02-20", "raud\nS\nE\n/acc/mytable\nid\n2015-02-20\na\nb\nc\nd"},
      {"2015-02-21", "raud\nS\nE\n/table/acc/mytable\nid\n2015-02-21\na\nb\nc\nd"},
      {"2015-04-04", "raud\nS\nE\n/table/acc/mytable\nid\n2015-04-04\na\nb\nc\nd"},
      {"2015-04-05", "raud\nS\nE\n/table/acc/mytable\nid\nI\nP\n2015-04-05\na\nb\nc\nd"},
      {"2019-02-02", "raud\nS\nE\n/table/acc/mytable\nid\nI\nP\n2019-02-02\na\nb\nc\nd"},
      {"2020-12-06", "raud\nS\nE\n/table/acc/mytable\nid\nI\nP\n2020-12-06\na\nb\nc\nd"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.version);
    CHECK(signed_text("sv=" + std::string(c.version) + rest) == c.text);
  }
}

TEST_CASE("A missing field of a table SAS is an empty line") {
  CHECK(signed_text("sv=2019-02-02&si=testid&tn=mytable&sig=s") ==
        "\n\n\n/table/acc/mytable\ntestid\n\n\n2019-02-02\n\n\n\n");
}

TEST_CASE("A SAS whose version is missing, malformed or too old for its kind is refused") {
  const std::string_view account = "ss=t&srt=o&sp=r&se=E&sig=s";
  const std::string_view table = "tn=t&sp=r&se=E&sig=s";
  const struct {
    std::string_view version, rest;
  } cases[] = {
      {"", account},           {"2015-04-04", account}, {"2012-02-12", account},
      {"latest", account},     {"2020-12-6", account},  {"2020-12-066", account},
      {"2020/12/06", account}, {"202O-12-06", account}, {"", table},
      {"2012-02-11", table},   {"2011-08-18", table},   {"9", table},
      {"2019-02-02 ", table},
  };
  for (const auto& c : cases) {
    CAPTURE(c.version);
    CAPTURE(c.rest);
    SasParameters sas = parsed(c.rest);
    sas.version = c.version;
    const auto text = sas_string_to_sign(sas, "acc");
    REQUIRE(text.has_error());
    CHECK(text.error() == Error(ErrorCode::AuthenticationFailed));
  }
}

TEST_CASE("A SAS for neither an account nor a table is refused") {
  CHECK(sas_string_to_sign(parsed("sv=2019-02-02&sp=r&se=E&sig=s"), "acc").has_error());
}

// Otherwise one value could span the lines of several fields.
TEST_CASE("A line break in a parameter is refused") {
  const std::string query = "sv=2019-02-02&ss=t&srt=o&sp=r&se=E&sig=s";
  REQUIRE(sas_string_to_sign(parsed(query), "acc").has_value());
  for (const std::string_view name : {"st", "sip", "spr", "ses", "tn", "si", "spk", "srk", "epk", "erk"}) {
    CAPTURE(name);
    CHECK(sas_string_to_sign(parsed(query + "&" + std::string(name) + "=a%0Ab"), "acc").has_error());
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
