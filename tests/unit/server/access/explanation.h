// The explanation of a refused request to the account `acc`, with a check that it contains no secret. The
// account has its own keys, so that signing with the well-known key is a mistake.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/uri.h"
#include "odata/protocol/development_account.h"
#include "server/access/refusal_explanation.h"
#include "tests/unit/server/access/requests.h"

namespace rocktable {

inline const std::string kKey = "VGhpcyBpcyB0aGUga2V5IG9mIHRoZSBhY2NvdW50IGFjYw==";

inline bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// Checks that the text contains no key and no valid signature, also none of a text that it quotes.
inline void check_harmless(const std::string& text) {
  CAPTURE(text);
  CHECK(text.size() < 8192);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  for (const std::string& key : {kKey, kSecondKey, std::string(kDevelopmentKey)}) {
    CHECK(text.find(key) == text.npos);
    CHECK(text.find(decode_base64(key).value()) == text.npos);
  }
  // 32 bytes in base64 are 43 characters and a padding, in hex 64.
  std::size_t run = 0;
  for (const char c : text) {
    const bool of_base64 = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
    if (c == '=') CHECK(run != 43);
    run = of_base64 ? run + 1 : 0;
    CHECK(run < 64);
  }
}

// Empty if the request is accepted. The default target is the list of tables of the account.
inline std::string explanation(Sent sent, bool bearer_tokens = true) {
  const auto policies = [](std::string_view, std::string_view table) -> std::vector<SignedIdentifier> {
    if (to_lower_ascii(table) != "mytable") return {};
    return {{"full", std::nullopt, seconds_later(1), "r"}, {"over", std::nullopt, seconds_later(-1), "r"}};
  };
  const Authenticator authenticator({{"acc", {kKey, kSecondKey}}}, policies, {.accepted = bearer_tokens});
  if (sent.target.empty()) sent.target = "/acc/Tables";
  const Received received(sent);
  const auto& [request, target] = received;
  const auto caller = authenticator.authenticate(request, target, sent.secure, sent.now);
  if (caller) return "";
  std::string text = explain_authentication(authenticator, request, target, sent.secure, sent.now, caller.error());
  check_harmless(text);
  CHECK(text != "");
  return text;
}

inline Sent signed_request(Sent sent, const std::string& to_sign, const std::string& scheme = "SharedKey",
                           const std::string& key = kKey) {
  sent.fields.emplace_back("Authorization", scheme + " acc:" + sign(to_sign, key));
  return sent;
}

// The explanation for a SAS with this query, signed over `text`.
inline std::string sas_explanation(const std::string& query, const std::string& signs, const std::string& key = kKey,
                                   const std::string& remote = "127.0.0.1") {
  return explanation(
      {.target = "/acc/MyTable?" + query + "&sig=" + percent_encode(sign(signs, key)), .remote = remote});
}

}  // namespace rocktable
