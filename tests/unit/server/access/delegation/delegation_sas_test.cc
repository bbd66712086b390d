// User delegation SAS: each check, their order, the explanation of each refusal, and the roles of the key's owner.
#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "base/base64.h"
#include "base/uri.h"
#include "server/access/authorization.h"
#include "server/access/delegation/delegation_keys.h"
#include "server/access/refusal_explanation.h"
#include "tests/unit/server/access/explanation.h"
#include "tests/unit/server/access/requests.h"

namespace rocktable::TEST_FILE {
namespace {

const std::string kOwner = "00000000-0000-0000-0000-000000000001", kTenant = "00000000-0000-0000-0000-000000000002",
                  kUser = "00000000-0000-0000-0000-000000000004", kStranger = "00000000-0000-0000-0000-000000000005";
const std::string kSecretOfKeys = "c2VjcmV0IG9mIGtleXM=";

std::string base64_url(std::string_view bytes) {
  std::string out = encode_base64(bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out.substr(0, out.find('='));
}

std::string token_of(const std::string& oid, const std::string& tid, std::int64_t expires_in = 60) {
  const std::int64_t now = (kNow.ticks - kUnixEpoch.ticks) / kTicksPerSecond;
  return base64_url(R"({"alg":"none"})") + "." +
         base64_url(R"({"iat":0,"nbf":0,"exp":)" + std::to_string(now + expires_in) +
                    R"(,"iss":"https://sts.windows.net/t/","aud":"https://storage.azure.com","oid":")" + oid +
                    R"(","tid":")" + tid + "\"}") +
         ".";
}

// A SAS that counts, of which tests change parts.
struct DelegationSas {
  std::map<std::string, std::string> fields = {{"sv", "2025-07-05"},
                                               {"tn", "MyTable"},
                                               {"sp", "raud"},
                                               {"st", to_string(seconds_later(-60))},
                                               {"skoid", kOwner},
                                               {"sktid", kTenant},
                                               {"sks", "t"},
                                               {"se", to_string(seconds_later(60))},
                                               {"skv", "2025-07-05"},
                                               {"skt", to_string(seconds_later(-600))},
                                               {"ske", to_string(seconds_later(600))}};
  std::string account = "devstoreaccount1";
  std::string key = "";        // instead of the right one
  std::string signature = "";  // likewise
  std::string text = "";       // to sign; likewise
  std::string token = "";      // of the request
  std::string remote = "127.0.0.1";
  std::string more = "";  // parameters
  bool secure = true;
  std::string scheme = "Bearer ";

  std::string query() const {
    std::string out;
    for (const auto& [name, value] : fields) out += name + "=" + percent_encode(value) + "&";
    return out;
  }

  SasParameters parameters() const { return parse_sas(query() + "sig=").value(); }

  std::string right_key() const {
    const SasParameters sas = parameters();
    const auto start = parse_access_time(sas.key_start), expiry = parse_access_time(sas.key_expiry);
    return DelegationKeys(kSecretOfKeys)
        .value_of("devstoreaccount1",
                  {sas.key_object_id, sas.key_tenant_id, start.value_or(kNow), expiry.value_or(kNow), sas.key_service,
                   sas.key_version, sas.key_user_tenant_id});
  }

  Sent sent() const {
    const auto right_text = sas_string_to_sign(parameters(), "devstoreaccount1");
    const std::string signs = !text.empty() ? text : right_text ? *right_text : "";
    const std::string with = signature.empty() ? AccountKey(key.empty() ? right_key() : key).sign(signs) : signature;
    Sent out{.target = "/" + account + "/MyTable?" + query() + "sig=" + percent_encode(with) + more,
             .remote = remote,
             .secure = secure};
    if (!token.empty()) out.fields.emplace_back("Authorization", scheme + token);
    return out;
  }
};

struct Outcome {
  std::string code, explanation;
};

// With `revoked`, the account's keys were revoked before.
Outcome outcome_at(const DelegationSas& sas, bool revoked = false, bool has_keys = true) {
  const auto keys = has_keys ? std::make_shared<DelegationKeys>(kSecretOfKeys) : nullptr;
  if (revoked) keys->revoke("devstoreaccount1", kNow);
  const Authenticator authenticator(
      {{"devstoreaccount1", {std::string(kDevelopmentKey), kSecondKey}}, {"other", {"b3RoZXI="}}}, policies_of,
      {.accepted = true, .delegation = keys});
  const Sent sent = sas.sent();
  const Received received(sent);
  const auto& [request, target] = received;
  const auto caller = authenticator.authenticate(request, target, sent.secure, sent.now);
  Outcome out{outcome_of(caller), ""};
  if (caller) return out;
  out.explanation = explain_authentication(authenticator, request, target, sent.secure, sent.now, caller.error());
  check_harmless(out.explanation);
  for (const std::string& secret : {kSecretOfKeys, sas.right_key(), AccountKey(sas.right_key()).sign("x")})
    CHECK(out.explanation.find(secret) == std::string::npos);
  return out;
}

DelegationSas with(const std::string& name, const std::string& value, DelegationSas sas = {}) {
  sas.fields[name] = value;
  return sas;
}

DelegationSas without(const std::string& name, DelegationSas sas = {}) {
  sas.fields.erase(name);
  return sas;
}

DelegationSas for_user(const std::string& token, DelegationSas sas = {}) {
  sas.fields["sduoid"] = kUser;
  sas.token = token;
  return sas;
}

// The lines of the text that is signed, changed.
DelegationSas signing(const std::function<void(std::vector<std::string>&)>& change, DelegationSas sas = {}) {
  const std::string text = sas_string_to_sign(sas.parameters(), "devstoreaccount1").value();
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\n') lines.emplace_back();
    if (c != '\n') lines.back() += c;
  }
  change(lines);
  for (const auto& line : lines) sas.text += line + "\n";
  sas.text.pop_back();
  return sas;
}

DelegationSas signing_line(std::size_t number, const std::string& value, DelegationSas sas = {}) {
  return signing([&](auto& lines) { lines[number - 1] = value; }, std::move(sas));
}

TEST_CASE("A user delegation SAS gives its letters, its table and its range") {
  CHECK(outcome_at({}).code == "DelegationSas");
  for (const auto& sas :
       {with("sv", "2026-06-06"), with("sp", "r"), without("st"), with("tn", "MYTABLE"), with("spr", "https"),
        with("skoid", "ABCDEF00-0000-0000-0000-000000000001"), with("ss", "b"), with("sip", "127.0.0.1"),
        with("spk", "a"), with("skt", to_string_7(seconds_later(-600))), for_user(token_of(kUser, kTenant)),
        with("skdutid", kStranger, for_user(token_of(kUser, kStranger)))}) {
    const auto [code, explanation] = outcome_at(sas);
    CHECK_MESSAGE(code == "DelegationSas", sas.query(), explanation);
  }
}

struct RefusedSas {
  const char* name;
  DelegationSas sas;
  std::string code = "AuthenticationFailed";
  std::string explanation;  // a part of it
};

std::string later(int seconds) { return to_string(seconds_later(seconds)); }

std::vector<RefusedSas> refused_sas() {
  const std::string denied = "AuthenticationFailed";
  std::vector<RefusedSas> out;
  // Form
  for (const char* name : {"sv", "tn", "sp", "se", "sktid", "skt", "ske", "sks", "skv"})
    out.push_back({name, without(name), denied, "has no " + std::string(name)});
  out.push_back({"old version", with("sv", "2025-05-05"), denied, "must be 2025-07-05 or later"});
  out.push_back({"version no date", with("sv", "2025-07-05x"), denied, "is no date"});
  out.push_back({"key of blobs", with("sks", "b"), denied, "for another service (sks)"});
  out.push_back({"services of key", with("sks", "bt"), denied, "for another service (sks)"});
  out.push_back({"policy", with("si", "all"), denied, "cannot have a stored access policy"});
  for (const char* letters : {"ar", "rr", "rx", "dr", "RAUD"})
    out.push_back({"letters", with("sp", letters), denied, "letters of raud in this order"});
  out.push_back({"line break", with("spk", "a\nb"), denied, "contains a line break"});
  out.push_back({"tenant without user", with("skdutid", kTenant), denied, "but not the user (sduoid)"});
  DelegationSas repeated;
  repeated.more = "&sp=r";
  out.push_back({"repeated", repeated, denied, "is repeated"});
  // Key and signature
  out.push_back({"fraction of key", with("skt", "2021-05-22T00:00:00.5000000Z"), denied, "not those of a key"});
  out.push_back({"no time", with("ske", "tomorrow"), denied, "not those of a key"});
  DelegationSas changed;
  changed.key = DelegationKeys("b3RoZXI=")
                    .value_of("devstoreaccount1",
                              {kOwner, kTenant, seconds_later(-600), seconds_later(600), "t", "2025-07-05", ""});
  out.push_back({"key of another instance", changed, denied, "Or its key is not of this instance"});
  changed.key = kDevelopmentKey;
  out.push_back({"account key", changed, denied, "signed with the account's key"});
  changed.key = encode_base64(DelegationSas().right_key());
  out.push_back({"text of Value", changed, denied, "signed with the text of the key's Value"});
  changed = {};
  changed.signature = "AAAA";
  out.push_back({"forged signature", changed, denied, "The signature does not match. No usual mistake"});
  changed.signature = " ";
  out.push_back({"blank signature", changed, denied, "The signature does not match."});
  changed = {};
  changed.account = "other";
  out.push_back({"other account", changed, denied, "The signature does not match."});
  // Wrong lines
  out.push_back({"18 lines", signing([](auto& lines) { lines.erase(lines.begin() + 11); }), denied,
                 "signed 18 lines, without line 11 (skdutid)"});
  out.push_back({"15 lines", signing([](auto& lines) { lines.resize(15); }), denied, "signed the first 15 of 19"});
  out.push_back({"only what is there",
                 signing([](auto& lines) { std::erase_if(lines, [](const auto& line) { return line.empty(); }); }),
                 denied, "left out the lines of absent fields"});
  out.push_back({"end", signing([](auto& lines) { lines.emplace_back(); }), denied, "a line break at the end"});
  out.push_back({"capitals", signing_line(4, "/table/devstoreaccount1/MyTable"), denied, "the table with capitals"});
  out.push_back({"twice", signing_line(4, "/table/devstoreaccount1/devstoreaccount1/mytable"), denied,
                 "signed the account twice in line 4"});
  out.push_back({"no /table", signing_line(4, "/devstoreaccount1/mytable"), denied, "without /table"});
  out.push_back({"secondary", signing_line(4, "/table/devstoreaccount1-secondary/mytable"), denied, "-secondary"});
  out.push_back({"start empty", signing_line(2, ""), denied, "signed line 2 (st) empty, but sent a value"});
  out.push_back({"letters empty", signing_line(1, ""), denied, "signed line 1 (sp) empty"});
  out.push_back(
      {"form of time", signing_line(3, to_string_7(seconds_later(60))), denied, "signed another form of line 3 (se)"});
  out.push_back(
      {"encoded time", signing_line(8, percent_encode(later(600))), denied, "signed another form of line 8 (ske)"});
  out.push_back({"swapped", signing([](auto& lines) { std::swap(lines[4], lines[5]); }), denied,
                 "signed line 5 (skoid) and line 6 (sktid) in each other's place"});
  out.push_back({"version", signing_line(10, "", with("skv", "2025-11-05")), denied, "signed line 10 (skv) empty"});
  // Bounds and times
  out.push_back({"lone srk", with("srk", "1"), denied, "srk needs spk"});
  out.push_back({"lone erk", with("erk", "1"), denied, "erk needs epk"});
  out.push_back({"key expired", with("ske", later(-1)), denied, "the key of the SAS is expired"});
  out.push_back({"key not yet", with("skt", later(1)), denied, "the key of the SAS is not valid yet"});
  out.push_back({"expired", with("se", later(-1)), denied, "The SAS is expired"});
  out.push_back({"not yet", with("st", later(1)), denied, "The SAS is not valid yet"});
  out.push_back({"bad expiry", with("se", "2021-05-23T00:00:00.000Z"), denied, "invalid expiry (se)"});
  // The only user
  out.push_back({"no user", for_user(""), "NoAuthenticationInformation", "needs the bearer token of that user"});
  out.push_back({"other user", for_user(token_of(kStranger, kTenant)), denied, "for another user"});
  out.push_back({"its owner is another user", for_user(token_of(kOwner, kTenant)), denied, "for another user"});
  out.push_back({"other tenant", for_user(token_of(kUser, kStranger)), denied, "not that of sktid"});
  out.push_back({"tenant of the owner", with("skdutid", kStranger, for_user(token_of(kUser, kTenant))), denied,
                 "not that of skdutid"});
  out.push_back(
      {"expired token", for_user(token_of(kUser, kTenant, -1)), "InvalidBearerToken", "The token is expired"});
  out.push_back({"no token at all", for_user("x"), denied, "not a JSON Web Token"});
  DelegationSas plain = for_user(token_of(kUser, kTenant));
  plain.secure = false;
  out.push_back({"token over HTTP", plain, denied, "over HTTPS"});
  // Address and protocol
  out.push_back({"address", with("sip", "10.0.0.1"), "AuthorizationSourceIPMismatch", "for the address or range"});
  DelegationSas http = with("spr", "https");
  http.secure = false;
  out.push_back({"protocol", http, "AuthorizationProtocolMismatch", "for the protocols 'https'"});
  out.push_back({"bad protocol", with("spr", "http"), denied, "for the protocols 'http'"});
  return out;
}

TEST_CASE("A user delegation SAS is refused with the right reason") {
  const auto all = refused_sas();
  CHECK(all.size() >= 50);
  for (const auto& [name, sas, code, explanation] : all) {
    CAPTURE(name);
    const Outcome is = outcome_at(sas);
    CHECK(is.code == code);
    CAPTURE(is.explanation);
    CHECK(holds(is.explanation, explanation));
  }
}

TEST_CASE("Revoked keys, and an instance without keys") {
  const Outcome revoked = outcome_at({}, true);
  CHECK(revoked.code == "AuthenticationFailed");
  CHECK(holds(revoked.explanation, "The key of the SAS was revoked"));
  const Outcome none = outcome_at({}, false, false);
  CHECK(none.code == "AuthenticationFailed");
  CHECK(holds(none.explanation, "start with --oauth basic"));
}

TEST_CASE("Checks come in the order of the service: of two faults, the first one is the reason") {
  // Each changes a SAS so that one more check fails, from the last to the first.
  DelegationSas sas;
  const auto reason = [&] { return outcome_at(sas).explanation; };
  sas.fields["spr"] = "https";
  sas.secure = false;
  CHECK(holds(reason(), "for the protocols"));
  sas.fields["sip"] = "10.0.0.1";
  CHECK(holds(reason(), "for the address"));
  sas.fields["sduoid"] = kUser;
  CHECK(holds(reason(), "needs the bearer token"));
  sas.fields["se"] = later(-1);
  CHECK(holds(reason(), "The SAS is expired"));
  sas.fields["ske"] = later(-2);
  CHECK(holds(reason(), "the key of the SAS is expired"));
  sas.fields["srk"] = "1";
  CHECK(holds(reason(), "srk needs spk"));
  sas.signature = "AAAA";
  CHECK(holds(reason(), "The signature does not match"));
  sas.fields["sp"] = "du";
  CHECK(holds(reason(), "letters of raud"));
}

TEST_CASE("A bearer token beside a SAS counts alone, unless the SAS is for one user") {
  DelegationSas sas;
  sas.token = token_of(kStranger, kTenant);
  CHECK(outcome_at(sas).code == "Bearer");
  sas.signature = "AAAA";
  CHECK(outcome_at(sas).code == "Bearer");
  CHECK(outcome_at(for_user(token_of(kUser, kTenant))).code == "DelegationSas");
  DelegationSas shared = for_user("devstoreaccount1:x");
  shared.scheme = "SharedKey ";
  CHECK(outcome_at(shared).code == "AuthenticationFailed");
}

// --- What it permits --------------------------------------------------------------------------------------

std::string permission(const Caller& caller, const Operation& operation) {
  const auto allowed = authorize(caller, operation, "2025-07-05");
  return allowed ? "yes" : std::string(to_string(allowed.error().code));
}

TEST_CASE("A user delegation SAS gives entities of its table, and nothing else") {
  const Caller caller{Caller::Kind::DelegationSas, "raud", {}, "mytable", KeyRange{{"b", ""}, EntityKey{"c", ""}}};
  CHECK(permission(caller, GetEntity{"MyTable", {"b", ""}, {}}) == "yes");
  CHECK(permission(caller, InsertEntity{"MYTABLE"}) == "yes");
  CHECK(permission(caller, GetEntity{"mytable", {"a", ""}, {}}) == "ResourceNotFound");
  CHECK(permission(caller, WriteEntity{WriteKind::Delete, "mytable", {"a", ""}, {Condition::Kind::Any, {}}}) ==
        "AuthorizationFailure");
  CHECK(permission(caller, GetEntity{"other", {"b", ""}, {}}) == "AuthorizationFailure");
  for (const Operation& operation :
       {Operation(CreateTable()), Operation(DeleteTable{"mytable"}), Operation(GetTable{"mytable"}),
        Operation(QueryTables()), Operation(GetTableAcl{"mytable"}), Operation(SetTableAcl{"mytable"}),
        Operation(GetServiceProperties()), Operation(SetServiceProperties()), Operation(GetServiceStats())})
    CHECK(permission(caller, operation) == "AuthorizationPermissionMismatch");
  CHECK(permission(caller, GetUserDelegationKey()) == "AuthenticationFailed");
}

TEST_CASE("Letters of the SAS and the owner's roles of this moment must both permit an operation") {
  const auto roles = std::make_shared<Roles>();
  const auto keys = std::make_shared<DelegationKeys>(kSecretOfKeys);
  const Authenticator authenticator({{"devstoreaccount1", {std::string(kDevelopmentKey)}}}, policies_of,
                                    {.accepted = true, .roles = roles, .delegation = keys});
  const Sent sent = with("sp", "ra").sent();
  const auto caller = [&] {
    const Received received(sent);
    return authenticator.authenticate(received.request, received.target, true, kNow).value();
  };
  const Operation read = GetEntity{"MyTable", {"p", "r"}, {}}, insert = InsertEntity{"MyTable"},
                  remove = WriteEntity{WriteKind::Delete, "MyTable", {"p", "r"}, {Condition::Kind::Any, {}}};
  const auto all = [&] {
    const Caller now = caller();
    return permission(now, read) + " " + permission(now, insert) + " " + permission(now, remove);
  };
  const std::string no = "AuthorizationPermissionMismatch";
  CHECK(all() == "yes yes " + no);
  roles->replace(parse_roles(kOwner + " Storage Table Data Reader", "roles"));
  CHECK(all() == "yes " + no + " " + no);
  CHECK(holds(explain_authorization(caller(), insert, "MyTable", ErrorCode::AuthorizationPermissionMismatch),
              "The roles of the key's owner count now: InsertEntity needs the data action"));
  CHECK(holds(explain_authorization(caller(), remove, "MyTable", ErrorCode::AuthorizationPermissionMismatch),
              "needs the permission d; the SAS has 'ra' (sp)"));
  roles->replace(parse_roles(kOwner + " Storage Table Data Contributor devstoreaccount1/other", "roles"));
  CHECK(all() == no + " " + no + " " + no);
  roles->replace(parse_roles(kStranger + " Storage Table Data Contributor", "roles"));
  CHECK(all() == no + " " + no + " " + no);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
