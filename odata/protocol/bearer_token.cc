// Reads a token with an event-driven JSON parser, then compares its claims with those that the service accepts.
#include "odata/protocol/bearer_token.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "odata/protocol/local_identity.h"

namespace rocktable {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxTokenBytes = 32 << 10;
constexpr int kMaxDepth = 16;
constexpr double kMaxSeconds = 253'402'300'799;  // since 1970: the end of the year 9999

Error malformed(std::string what) { return {ErrorCode::AuthenticationFailed, std::move(what)}; }
Error refused(std::string what) { return {ErrorCode::InvalidBearerToken, std::move(what)}; }

// RFC 7515 omits padding. This function accepts it.
std::optional<std::string> decode_base64_url(std::string_view text) {
  if (text.find_first_of("+/") != text.npos) return std::nullopt;
  std::string standard(text.substr(0, text.find_last_not_of('=') + 1));
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  return decode_base64(standard);
}

// The claims that say who calls.
struct IdentityClaim {
  std::string_view name;
  std::string BearerClaims::* value;
};
constexpr std::array<IdentityClaim, 4> kIdentityClaims = {{{"oid", &BearerClaims::object_id},
                                                           {"tid", &BearerClaims::tenant_id},
                                                           {"appid", &BearerClaims::app_id},
                                                           {"azp", &BearerClaims::app_id}}};

const IdentityClaim* identity_claim(std::string_view name) {
  const auto* found = std::find_if(kIdentityClaims.begin(), kIdentityClaims.end(),
                                   [&](const IdentityClaim& one) { return one.name == name; });
  return found != kIdentityClaims.end() ? found : nullptr;
}

// Reads the five claims, and those of the caller, from the members of the outermost object. It never builds the document, so that depth
// and size cost no more than reading.
class ClaimsReader final : public nlohmann::json_sax<Json> {
 public:
  // What is wrong with the document or with a claim; empty if nothing is.
  std::string fault;

  Result<BearerClaims> claims() const {
    for (const auto& [name, time] : {std::pair{"nbf", &not_before_}, {"exp", &expiry_}, {"iat", &issued_at_}})
      if (!*time) return malformed("The token has no claim " + std::string(name) + ".");
    if (!issuer_) return malformed("The token has no claim iss.");
    if (!audiences_) return malformed("The token has no claim aud.");
    BearerClaims out = caller_;
    out.not_before = *not_before_;
    out.expiry = *expiry_;
    out.issued_at = *issued_at_;
    out.issuer = *issuer_;
    out.audiences = *audiences_;
    return out;
  }

  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("a boolean"); }
  bool number_integer(number_integer_t number) override { return time(static_cast<double>(number)); }
  bool number_unsigned(number_unsigned_t number) override { return time(static_cast<double>(number)); }
  bool number_float(number_float_t number, const string_t&) override { return time(number); }
  bool binary(binary_t&) override { return value("binary"); }

  bool string(string_t& text) override {
    if (depth_ == 1 && claim_ == "iss" && !issuer_) {
      issuer_ = text;
      return true;
    }
    const bool in_audiences = depth_ == 2 && in_audiences_;
    if (in_audiences || (depth_ == 1 && claim_ == "aud" && !audiences_)) {
      if (!audiences_) audiences_.emplace();
      audiences_->push_back(text);
      return true;
    }
    const auto* const of_caller = depth_ == 1 ? identity_claim(claim_) : nullptr;
    if (of_caller != nullptr && (caller_.*of_caller->value).empty()) {
      caller_.*of_caller->value = to_lower_ascii(text);
      return true;
    }
    if (depth_ == 1 && claim_ == "name") caller_.name = text;
    return value("a string");
  }

  bool key(string_t& name) override {
    if (depth_ == 1) claim_ = name;
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ > 0 && !value("an object")) return false;
    return enter();
  }

  bool start_array(std::size_t) override {
    if (depth_ == 0) return fail("It is not a JSON object.");
    if (depth_ == 1 && claim_ == "aud" && !audiences_) {
      audiences_.emplace();
      in_audiences_ = true;
    } else if (!value("an array")) {
      return false;
    }
    return enter();
  }

  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return fail("It is not JSON.");
  }

 private:
  bool fail(std::string what) {
    if (fault.empty()) fault = std::move(what);
    return false;
  }

  bool enter() { return ++depth_ <= kMaxDepth || fail("Its JSON nests too deeply."); }

  bool leave() {
    if (--depth_ == 1) in_audiences_ = false;
    return true;
  }

  // Handles a value of a type that the claims do not have at this place.
  bool value(const char* kind) {
    if (depth_ == 0) return fail("It is not a JSON object.");
    if (in_audiences_) return fail("The claim aud contains " + std::string(kind) + ".");
    constexpr std::array<std::string_view, 5> kClaims = {"nbf", "exp", "iat", "iss", "aud"};
    const bool ours = depth_ == 1 && (std::find(kClaims.begin(), kClaims.end(), claim_) != kClaims.end() ||
                                      identity_claim(claim_) != nullptr);
    return !ours || fail("The claim " + claim_ + " is " + kind + ", or occurs twice.");
  }

  bool time(double seconds) {
    if (depth_ != 1) return value("a number");
    std::optional<DateTime>* const field = claim_ == "nbf"   ? &not_before_
                                           : claim_ == "exp" ? &expiry_
                                           : claim_ == "iat" ? &issued_at_
                                                             : nullptr;
    if (field == nullptr || *field) return value("a number");
    if (!(seconds >= 0 && seconds <= kMaxSeconds)) return fail("The claim " + claim_ + " is not a time.");
    *field = DateTime{kUnixEpoch.ticks + static_cast<std::int64_t>(seconds) * kTicksPerSecond};
    return true;
  }

  int depth_ = 0;
  std::string claim_;  // the current member of the outermost object
  bool in_audiences_ = false;
  std::optional<DateTime> not_before_, expiry_, issued_at_;
  std::optional<std::string> issuer_;
  std::optional<std::vector<std::string>> audiences_;
  BearerClaims caller_;  // only its identity
};

// Version 1 of the tokens has `https://sts.windows.net/<tenant>/`, and the same for the other clouds. Version
// 2 has `https://login.microsoftonline.com/<tenant>/v2.0`.
bool is_issuer(std::string_view issuer) {
  constexpr std::string_view kVersion1[] = {"https://sts.windows.net/", "https://sts.microsoftonline.de/",
                                            "https://sts.chinacloudapi.cn/", "https://sts.windows-ppe.net/"};
  constexpr std::string_view kVersion2[] = {"https://login.microsoftonline.com/", "https://login.microsoftonline.us/",
                                            "https://login.partner.microsoftonline.cn/"};
  const auto starts = [&](std::string_view prefix) { return issuer.starts_with(prefix); };
  if (std::any_of(std::begin(kVersion1), std::end(kVersion1), starts)) return true;
  const auto* login = std::find_if(std::begin(kVersion2), std::end(kVersion2), starts);
  if (login == std::end(kVersion2)) return false;
  const auto tenant = issuer.substr(login->size());
  const auto slash = tenant.find('/');
  return slash > 0 && slash != tenant.npos && tenant.substr(slash) == "/v2.0";
}

// The URL of an account on this machine, https://HOST[:PORT]/ACCOUNT or https://ACCOUNT.localhost[:PORT]. The
// libraries for C++ and Go ask for a token of this audience when an endpoint is not Azure's.
bool is_local_audience(std::string_view audience, std::string_view account) {
  constexpr std::string_view kScheme = "https://";
  if (!audience.starts_with(kScheme)) return false;
  audience.remove_prefix(kScheme.size());
  const auto path = std::min(audience.find('/'), audience.size());
  const auto port = audience.substr(0, path).find_last_of(':');
  const bool has_port = port != audience.npos && !audience.substr(0, path).ends_with(']');
  const auto host = audience.substr(0, has_port ? port : path);
  const auto digits = has_port ? audience.substr(port + 1, path - port - 1) : std::string_view("1");
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
  const bool in_path = path < audience.size() && audience.substr(path + 1) == account;
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]") return in_path;
  return path == audience.size() && host == std::string(account) + ".localhost";
}

// Accepts the audience with and without a slash at the end.
bool is_audience(std::string_view audience, std::string_view account) {
  if (audience == "e406a681-f3d4-42a8-90b6-c2b029497af1") return true;  // the application id of Azure Storage
  if (audience.ends_with('/')) audience.remove_suffix(1);
  if (audience == "https://storage.azure.com" || is_local_audience(audience, account)) return true;
  const std::string tables = "https://" + std::string(account) + ".table.core.";
  if (!audience.starts_with(tables)) return false;
  const auto cloud = audience.substr(tables.size());
  return cloud == "windows.net" || cloud == "chinacloudapi.cn" || cloud == "usgovcloudapi.net" ||
         cloud == "cloudapi.de";
}

std::string listed(const std::vector<std::string>& texts) { return texts.empty() ? "empty" : joined(texts); }

}  // namespace

Result<BearerClaims> parse_bearer_token(std::string_view token) {
  if (token.size() > kMaxTokenBytes) return malformed("The token is longer than 32 KiB.");
  const auto first = token.find('.'), second = token.find('.', first == token.npos ? first : first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos)
    return malformed("The token is not a JSON Web Token: it must have three parts, separated by dots.");
  const auto header = decode_base64_url(token.substr(0, first));
  const auto payload = decode_base64_url(token.substr(first + 1, second - first - 1));
  if (!header || !payload || !decode_base64_url(token.substr(second + 1)))
    return malformed("A part of the token is not base64url.");

  // The header only has to be a JSON object. Its members do not matter.
  if (!Json::accept(*header) ||
      !std::string_view(*header).substr(header->find_first_not_of(" \t\r\n")).starts_with('{'))
    return malformed("The header of the token is not a JSON object.");
  ClaimsReader of_payload;
  if (!Json::sax_parse(*payload, &of_payload) || !of_payload.fault.empty())
    return malformed("The payload of the token cannot be read. " + of_payload.fault);
  return of_payload.claims();
}

Result<void> check_claims(const BearerClaims& claims, std::string_view account, DateTime now) {
  const std::string current = ", now is " + to_string(now) + ".";
  if (now < claims.not_before)
    return refused("The token is not valid yet: nbf is " + to_string(claims.not_before) + current);
  if (now > claims.expiry) return refused("The token is expired: exp is " + to_string(claims.expiry) + current);
  if (!is_issuer(claims.issuer))
    return refused("The issuer (iss) is " + claims.issuer +
                   ", but must be one of Microsoft's, such as https://sts.windows.net/<tenant>/.");
  // Some libraries take every https://localhost:PORT for Cosmos DB. In the cloud such a token is for nobody here.
  const auto is_cosmos = [&](std::string_view audience) {
    return claims.tenant_id == kLocalTenant &&
           (audience == "https://cosmos.azure.com" || audience == "https://cosmos.azure.com/");
  };
  const auto fits = [&](const std::string& audience) { return is_audience(audience, account) || is_cosmos(audience); };
  if (std::none_of(claims.audiences.begin(), claims.audiences.end(), fits))
    return refused("The audience (aud) is " + listed(claims.audiences) +
                   ", but must be https://storage.azure.com or https://" + std::string(account) +
                   ".table.core.windows.net.");
  return {};
}

}  // namespace rocktable
