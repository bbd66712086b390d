// Explanations why requests of any bytes are refused (lines as in access_request.h): one short line of
// printable ASCII. It contains neither the key nor a valid signature, unless the request contains them
// already. (libFuzzer sees the operands of comparisons, and so can find them.)
#include <algorithm>

#include "base/text.h"
#include "odata/protocol/sas.h"
#include "server/access/authentication_checks.h"
#include "server/access/refusal_explanation.h"
#include "tests/fuzz/access_request.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

void require_harmless(const std::string& text) {
  require(!text.empty() && text.size() < 8192, "an explanation is empty or endless");
  require(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }),
          "an explanation is more than a line of ASCII");
}

std::string percent_decoded_bytes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    out += encoded ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i];
    if (encoded) i += 2;
  }
  return out;
}

// Returns the signatures that would be accepted for this request.
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
  const std::string text =
      explain_authentication(fuzz_authenticator(), request, *target, true, kFuzzNow, caller.error());
  require_harmless(text);
  std::vector<std::string> secrets = right_signatures(sent, *target);
  secrets.push_back(fuzz_key());
  const std::string known = std::string(input) + percent_decoded_bytes(input);
  for (const auto& secret : secrets) {
    const std::string part = secret.substr(0, 20);
    require(text.find(part) == text.npos || known.find(part) != known.npos,
            "an explanation tells the key, or a signature that fits");
  }
}

}  // namespace rocktable
