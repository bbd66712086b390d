// Explanations of refusals: they name the compared values, and contain no secret. Explanations of wrong
// signatures are tested in signature_mistakes_test.cc.
#include "server/access/refusal_explanation.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/server/access/explanation.h"

namespace rocktable::TEST_FILE {
namespace {

// --- Shared Key ---------------------------------------------------------------------------------------------

TEST_CASE("The explanation shows the server's string to sign, with line breaks as \\n") {
  const std::string text =
      explanation(signed_request({.method = "POST",
                                  .target = "/acc/t?$top=1&comp=acl",
                                  .fields = {{"Date", kDate}, {"Content-Type", "a/b"}, {"Content-MD5", "bWQ1"}}},
                                 "something else"));
  CHECK(holds(text, "No usual mistake explains it"));
  CHECK(holds(text, "The string to sign is 'POST\\nbWQ1\\na/b\\n" + kDate + "\\n/acc/acc/t?comp=acl'."));
  CHECK(holds(explanation(signed_request({.fields = {{"Date", kDate}}}, "x", "SharedKeyLite")),
              "The string to sign is '" + kDate + "\\n/acc/acc/Tables'."));
}

TEST_CASE("A refused date is explained with both times") {
  const auto told = [](const Fields& dates, DateTime now) {
    Sent sent{.fields = dates, .now = now};
    return explanation(signed_request(sent, kDate + "\n/acc/acc/Tables", "SharedKeyLite"));
  };
  const DateTime later{kNow.ticks + 31 * 60 * kTicksPerSecond}, earlier{kNow.ticks - 31 * 60 * kTicksPerSecond};
  CHECK(told({{"x-ms-date", kDate}}, later) ==
        "x-ms-date is 'Sat, 22 May 2021 23:05:14 GMT', 31 minutes too old compared with the server's clock, "
        "'Sat, 22 May 2021 23:36:14 GMT'; at most 15 minutes are allowed.");
  CHECK(holds(told({{"Date", kDate}}, earlier), "Date is 'Sat, 22 May 2021 23:05:14 GMT', 31 minutes in the future"));
  CHECK(told({}, kNow) == "The request has neither x-ms-date nor Date.");
  CHECK(holds(told({{"x-ms-date", "today"}, {"Date", kDate}}, kNow), "x-ms-date is 'today', which is not a date"));
}

TEST_CASE("Wrong accounts and malformed headers are explained") {
  const auto told = [](const std::string& authorization, const std::string& target = "/acc/Tables") {
    return explanation({.target = target, .fields = {{"Date", kDate}, {"Authorization", authorization}}});
  };
  CHECK(holds(told("SharedKey other:x"), "names the account 'other', but the URL names the account 'acc'"));
  CHECK(holds(told("SharedKey acc:x", "/nobody/Tables"), "There is no account 'nobody'"));
  CHECK(holds(told("Basic YTpi"), "malformed (scheme 'Basic')"));
  CHECK(holds(told("SharedKey acc"), "malformed (scheme 'SharedKey')"));
  CHECK_FALSE(holds(told(kKey), "scheme"));  // a key in the wrong place
  CHECK_FALSE(holds(told(kKey + " x"), "scheme"));
  CHECK(holds(explanation({}), "neither an Authorization header nor sig in its query"));
}

// --- Shared access signatures -------------------------------------------------------------------------------

// An account SAS, correctly signed, with parts that a test can replace.
std::string told_of(const std::string& expiry, const std::string& start = "", const std::string& ip = "",
                    const std::string& protocol = "", const std::string& services = "t") {
  return sas_explanation(
      "sv=2019-02-02&ss=" + services + "&srt=o&sp=r&st=" + start + "&se=" + expiry + "&sip=" + ip + "&spr=" + protocol,
      "acc\nr\n" + services + "\no\n" + start + "\n" + expiry + "\n" + ip + "\n" + protocol + "\n2019-02-02\n");
}

TEST_CASE("Each check of a SAS after its signature is explained with the compared values") {
  CHECK(told_of("2021-05-23") == "");
  CHECK(told_of("2021-05-22") == "The SAS is expired: start none, expiry '2021-05-22', now '2021-05-22T23:05:14Z'.");
  CHECK(told_of("2021-05-24", "2021-05-23") ==
        "The SAS is not valid yet: start '2021-05-23', expiry '2021-05-24', now '2021-05-22T23:05:14Z'.");
  CHECK(holds(told_of(""), "has no expiry (se)"));
  CHECK(holds(told_of("soon"), "has an invalid expiry (se)"));
  CHECK(holds(told_of("2021-05-23", "then"), "has an invalid start (st)"));
  CHECK(told_of("2021-05-23", "", "10.0.0.1-10.0.0.9") ==
        "The SAS is for the address or range '10.0.0.1-10.0.0.9' (sip), but the client's address is "
        "'127.0.0.1'.");
  CHECK(holds(told_of("2021-05-23", "", "", "https"), "protocols 'https' (spr)"));
  CHECK(holds(told_of("2021-05-23", "", "", "https"), "came over HTTP."));
  CHECK(holds(told_of("2021-05-23", "", "", "ftp"), "protocols 'ftp' (spr)"));
  CHECK(told_of("2021-05-23", "", "", "", "bq") ==
        "The account SAS is for the services 'bq' (ss), but tables need 't'.");
}

TEST_CASE("Missing and malformed fields are explained") {
  CHECK(holds(sas_explanation("tn=t", "x"), "no version (sv)"));
  CHECK(holds(sas_explanation("sv=2019-02-02", "x"), "neither services and resource types"));
  CHECK(holds(sas_explanation("sv=2011-08-18&tn=t", "x"), "2012-02-12 or later; its version (sv) is '2011-08-18'"));
  CHECK(holds(sas_explanation("sv=2014-02-14&ss=t", "x"), "2015-04-05 or later"));
  CHECK(holds(sas_explanation("sv=2019-02-02&tn=t&sp=a%0Ab", "x"), "No value may contain a line break"));
  CHECK(sas_explanation("sv=2019-02-02&tn=t&sp=r&SP=raud", "x") == "A field of the SAS is repeated in the query.");
  CHECK(holds(sas_explanation("sv=2019-02-02&tn=t&sp=r&se=2021-05-23&srk=1",
                              "r\n\n2021-05-23\n/table/acc/t\n\n\n\n2019-02-02\n\n1\n\n"),
              "srk needs spk"));
  const auto lacking = [](const std::string& services, const std::string& types, const std::string& permissions) {
    return sas_explanation("sv=2019-02-02&ss=" + services + "&srt=" + types + "&sp=" + permissions + "&se=2021-05-23",
                           "acc\n" + permissions + "\n" + services + "\n" + types + "\n\n2021-05-23\n\n\n2019-02-02\n");
  };
  CHECK(lacking("t", "o", "r") == "");
  CHECK(holds(lacking("t", "o", ""),
              "mandatory field, and so does its stored access policy if it has one: permissions (sp)."));
  CHECK(holds(lacking("", "o", "r"), ": services (ss)."));
  CHECK(holds(lacking("t", "", "r"), ": resource types (srt)."));
}

TEST_CASE("Refusals by a stored access policy are explained") {
  const auto told = [](const std::string& id, const std::string& permissions, const std::string& expiry) {
    return sas_explanation("sv=2019-02-02&tn=MyTable&si=" + id + "&sp=" + permissions + "&se=" + expiry,
                           permissions + "\n\n" + expiry + "\n/table/acc/mytable\n" + id + "\n\n\n2019-02-02\n\n\n\n");
  };
  CHECK(told("full", "", "") == "");
  CHECK(holds(told("nobody", "", ""), "The table 'MyTable' has no stored access policy 'nobody' (si)"));
  CHECK(holds(told("full", "r", "2021-05-23"), "stored access policy 'full', but not in both: se sp."));
  CHECK(holds(told("over", "", ""), "The SAS is expired: start none, expiry '2021-05-22T23:05:13.0000000Z'"));
}

// --- Bearer tokens ----------------------------------------------------------------------------------------

TEST_CASE("The wrong claim of a bearer token is explained") {
  const auto told = [](const std::string& token, bool secure = true, bool taken = true) {
    return explanation({.fields = {{"Authorization", "Bearer " + token}}, .secure = secure}, taken);
  };
  const auto token = [](const std::string& audience, int expiry) {
    std::string payload = encode_base64(R"({"iss":"https://sts.windows.net/t/","aud":")" + audience +
                                        R"(","nbf":0,"iat":0,"exp":)" + std::to_string(expiry) + "}");
    return encode_base64("{}") + "." + payload + ".";
  };
  CHECK(told(token("https://storage.azure.com", 2'000'000'000)) == "");
  CHECK(holds(told(token("https://storage.azure.com", 1)), "expired: exp is 1970-01-01T00:00:01Z, now is 2021"));
  CHECK(holds(told(token("https://graph.windows.net", 2'000'000'000)), "The audience (aud) is https://graph"));
  CHECK(holds(told("x"), "not a JSON Web Token"));
  CHECK(holds(told("x", false), "not allowed with HTTP"));
  CHECK(holds(told("x", true, false), "without --oauth basic"));
}

// --- Operations -------------------------------------------------------------------------------------------

TEST_CASE("The explanation names the required and the granted access") {
  const auto told = [](const Caller& caller, const Operation& operation) {
    const auto allowed = authorize(caller, operation, "2019-02-02");
    REQUIRE_FALSE(allowed.has_value());
    std::string text = explain_authorization(caller, operation, table_of(operation), allowed.error());
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
  CHECK(holds(told(account, GetTableAcl{"t"}), "no SAS grants access policies"));
  CHECK(holds(told(table, DeleteTable{"mytable"}), "grants only the entities of its table 'mytable', not DeleteTable"));
  CHECK(holds(told(table, GetEntity{"other", {"a", "5"}, {}}),
              "for the table 'mytable' (tn), but the request is for 'other'"));
  CHECK(told(table, GetEntity{"MyTable", {"a", "4"}, {}}) ==
        "The entity (PartitionKey 'a', RowKey '4') is outside of the range of the SAS, which is from spk "
        "'a', srk "
        "'5' to epk 'b', erk '7'.");
  CHECK(holds(told(open_end, GetEntity{"MyTable", {"A", "\xC3\xA9\n"}, {}}), "RowKey '\\xc3\\xa9\\n'"));
  CHECK(holds(told(open_end, GetEntity{"MyTable", {"A", ""}, {}}), "from spk 'a' to the end."));
  CHECK(holds(told({Caller::Kind::Bearer, {}, {}, {}, std::nullopt}, SetTableAcl{"t"}), "needs the account's key"));
}

// --- Hostile bytes ----------------------------------------------------------------------------------------

TEST_CASE("The explanation is one short line of printable ASCII for any bytes of the client") {
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
    check_harmless(explain_key_out_of_range({Caller::Kind::TableSas, bytes, {}, bytes, KeyRange{{bytes, bytes}, {}}},
                                            {bytes, bytes}));
  }
  CHECK(holds(explain_unknown_account(evil), "an invalid account name"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
