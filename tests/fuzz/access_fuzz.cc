// Requests of any bytes to the authenticator, with a random key. Without a signature no request is accepted.
// With a signature of the request, exactly what was signed is accepted. The signature of one request does not
// authenticate another one.
//
// After the lines of the request (access_request.h) the input has target, method, x-ms-date and Content-Type
// of the other request.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/uri.h"
#include "odata/protocol/sas.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authentication_checks.h"
#include "server/access/authenticator.h"
#include "tests/fuzz/access_request.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

// Returns the caller if the request is accepted.
std::optional<Caller> admitted(const FuzzRequest& sent, bool secure = false) {
  const auto target = sent.where();
  if (!target) return std::nullopt;
  const auto caller = fuzz_authenticator().authenticate(sent.request(), *target, secure, kFuzzNow);
  return caller ? std::optional(*caller) : std::nullopt;
}

bool is_stranger(const std::optional<Caller>& caller) { return !caller || caller->kind == Caller::Kind::Bearer; }

// --- Shared Key ----------------------------------------------------------------------------------------------

// Returns all valid strings to sign of this request.
std::vector<std::string> strings_of(const FuzzRequest& sent, bool lite) {
  std::vector<std::string> out;
  const Request request = sent.request();
  for (const auto& target : signed_targets(request, *sent.where())) {
    const SignedRequest parts{sent.method, sent.content_md5, sent.content_type, date_of(request.headers), target};
    out.push_back(lite ? shared_key_lite_string_to_sign("acc", parts) : shared_key_string_to_sign("acc", parts));
  }
  return out;
}

void check_shared_key(FuzzRequest sent, FuzzRequest other) {
  if (!sent.where() || sent.where()->account != "acc") return;
  for (const bool lite : {false, true}) {
    const auto texts = strings_of(sent, lite);
    sent.authorization = (lite ? "SharedKeyLite acc:" : "SharedKey acc:") + fuzz_sign(texts.front());
    const Request request = sent.request();
    const auto caller = admitted(sent);
    require(caller.has_value() == is_current(date_of(request.headers), kFuzzNow),
            "a good signature is refused, or outlives its date");
    require(!caller || caller->kind == Caller::Kind::Owner, "the key's owner is somebody else");

    other.authorization = sent.authorization;
    if (!other.where() || !admitted(other)) continue;
    const auto others = strings_of(other, lite);
    require(std::find(others.begin(), others.end(), texts.front()) != others.end(),
            "a signature opens what it does not sign");
  }
}

// --- Shared access signatures --------------------------------------------------------------------------------

FuzzRequest with_query(FuzzRequest sent, const std::string& more) {
  sent.authorization.clear();
  sent.target += (sent.target.find('?') == sent.target.npos ? "?" : "&") + more;
  return sent;
}

// Checks that the string that was signed contains the caller's permissions, line by line.
void require_as_signed(const Caller& caller, const std::string& text) {
  const auto lines = lines_of(text);
  if (caller.kind == Caller::Kind::AccountSas) {
    require(lines[0] == "acc" && caller.permissions == lines[1] && caller.resource_types == lines[3],
            "an account SAS grants what it does not sign");
    return;
  }
  require(caller.kind == Caller::Kind::TableSas, "a SAS makes an owner");
  const bool of_policy = lines[4] == "policy" && lines[0].empty();
  require(caller.permissions == (of_policy ? "r" : lines[0]), "a table SAS grants what it does not sign");
  require(lines[3].ends_with("/acc/" + caller.table), "a table SAS opens another table");
  const auto& begin = lines[lines.size() - 4];
  const auto& end = lines[lines.size() - 2];
  require(!caller.keys || (caller.keys->begin.partition_key == begin &&
                           (!caller.keys->end || caller.keys->end->partition_key.starts_with(end))),
          "a table SAS opens another range");
  require(caller.keys || (begin.empty() && end.empty()), "a range is lost");
}

void check_sas(const FuzzRequest& sent, const FuzzRequest& other) {
  const FuzzRequest unsigned_one = with_query(sent, "sig=");
  const auto target = unsigned_one.where();
  if (!target || target->account != "acc") return;
  const auto sas = parse_sas(target->query);
  require(sas.has_value(), "sig is not found");
  const auto text = sas_string_to_sign(*sas, "acc");
  if (!text || !sas->signature.empty()) return;  // no SAS, or the query already has a sig
  const std::string signature = "sig=" + percent_encode(fuzz_sign(*text));
  for (const bool secure : {false, true})
    if (const auto caller = admitted(with_query(sent, signature), secure)) require_as_signed(*caller, *text);

  const FuzzRequest moved = with_query(other, signature);
  if (!moved.where() || moved.where()->account != "acc") return;
  if (const auto caller = admitted(moved)) {
    const auto moved_sas = parse_sas(moved.where()->query);
    require(moved_sas && sas_string_to_sign(*moved_sas, "acc").value() == *text, "a SAS opens what it does not sign");
    require_as_signed(*caller, *text);
  }
}

}  // namespace

void fuzz_access(std::string_view input) {
  std::vector<std::string> lines = lines_of(input);
  lines.resize(12);
  const FuzzRequest sent = request_of(lines);
  FuzzRequest other = sent;
  other.target = lines[8];
  if (!lines[9].empty()) other.method = lines[9];
  if (!lines[10].empty()) other.x_ms_date = lines[10];
  if (!lines[11].empty()) other.content_type = lines[11];

  for (const bool secure : {false, true}) {
    const auto caller = admitted(sent, secure);
    require(is_stranger(caller) && (secure || !caller), "a stranger is let in");
  }
  check_shared_key(sent, other);
  check_sas(sent, other);
}

}  // namespace rocktable
