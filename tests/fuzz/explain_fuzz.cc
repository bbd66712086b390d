// Why requests of any bytes are refused (lines as in access_request.h): one short line of printable ASCII, without the
// key, and without the signature that would fit.
#include <algorithm>

#include "server/auth_checks.h"
#include "server/auth_explanation.h"
#include "server/protocol/sas.h"
#include "tests/fuzz/access_request.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

void require_harmless(const std::string& text) {
  require(!text.empty() && text.size() < 8192, "an explanation is empty or endless");
  require(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }),
          "an explanation is more than a line of ASCII");
  require(text.find(fuzz_key()) == text.npos, "an explanation tells the key");
}

// The signatures that would have let this request in.
std::vector<std::string> right_signatures(const FuzzRequest& sent, const Target& target) {
  std::vector<std::string> out;
  const Request request = sent.request();
  for (const auto& signed_target : signed_targets(request, target)) {
    const SignedRequest parts{sent.method, sent.content_md5, sent.content_type, date_of(request.headers),
                              signed_target};
    out.push_back(fuzz_sign(shared_key_string_to_sign(target.account, parts)));
    out.push_back(fuzz_sign(shared_key_lite_string_to_sign(target.account, parts)));
  }
  if (const auto sas = parse_sas(target.query))
    if (const auto text = sas_string_to_sign(*sas, target.account)) out.push_back(fuzz_sign(*text));
  return out;
}

}  // namespace

void fuzz_explain(std::string_view input) {
  std::vector<std::string> lines = lines_of(input);
  lines.resize(8);
  const FuzzRequest sent = request_of(lines);
  const auto target = sent.where();
  if (!target) return;
  const Request request = sent.request();
  const auto caller = fuzz_authenticator().authenticate(request, *target, /*secure=*/true, kFuzzNow);
  if (caller) return;
  const std::string text = fuzz_authenticator().explain(request, *target, true, kFuzzNow, caller.error());
  require_harmless(text);
  for (const auto& signature : right_signatures(sent, *target))
    require(text.find(signature.substr(0, 20)) == text.npos, "an explanation tells a signature that fits");
}

}  // namespace rocktable
