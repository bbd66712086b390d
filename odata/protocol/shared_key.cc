// Builds strings to sign, and signs them with HMAC over the SHA-256 of OpenSSL.
#include "odata/protocol/shared_key.h"

// OpenSSL prefers EVP_MAC to the functions of a single hash. But each signature with EVP_MAC allocates and copies three
// contexts, which takes as long as the hashing.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

#include "base/base64.h"
#include "base/text.h"
#include "odata/protocol/query_string.h"

namespace rocktable {
namespace {

// Returns the path of a request target without query. The target has origin form (/path) or absolute form
// (http://host/path).
std::string_view path_of(std::string_view target_without_query) {
  std::string_view path = target_without_query;
  if (path.starts_with('/')) return path;
  if (const std::size_t scheme = path.find("://"); scheme != std::string_view::npos) {
    path.remove_prefix(scheme + 3);
    path = path.substr(std::min(path.find('/'), path.size()));
  }
  return path.empty() ? "/" : path;
}

std::string value_of_comp(std::string_view raw_query) {
  std::optional<std::string_view> comp;
  for_each_query_parameter(raw_query, [&](std::string_view name, std::string_view value) {
    // Decodes the name, because routing does, too.
    if (!comp && equals_ignoring_case(decode_query_value(name), "comp")) comp = value;
  });
  return comp ? decode_query_value(*comp) : std::string();
}

constexpr std::size_t kLinesRoom = 128;  // the usual size of the lines before the resource

void append_resource(std::string& out, std::string_view account, std::string_view target) {
  const std::size_t path_end = std::min(target.find('?'), target.size());
  out.append("/").append(account).append(path_of(target.substr(0, path_end)));
  if (path_end == target.size()) return;
  const std::string comp = value_of_comp(target.substr(path_end + 1));
  if (!comp.empty()) out.append("?comp=").append(comp);
}

// Appends `name:value\n` for all x-ms-... headers, in lower case and sorted. Joins values of the same name in
// one line.
void append_own_headers(std::string& out, const Headers& headers) {
  std::map<std::string, std::string> lines;
  for (const auto& [name, value] : headers.all()) {
    std::string key = to_lower_ascii(name);
    if (!key.starts_with("x-ms-")) continue;
    const auto [line, is_new] = lines.emplace(std::move(key), std::string());
    if (!is_new) line->second += ',';
    line->second += trim(value);
  }
  for (const auto& [name, value] : lines) out.append(name).append(":").append(value).append("\n");
}

void append_query(std::string& out, std::string_view raw_query) {
  std::map<std::string, std::vector<std::string>> parameters;
  for_each_query_parameter(raw_query, [&](std::string_view name, std::string_view value) {
    parameters[to_lower_ascii(decode_query_value(name))].push_back(decode_query_value(value));
  });
  for (auto& [name, values] : parameters) {
    std::sort(values.begin(), values.end());
    out.append("\n").append(name).append(":");
    for (std::size_t i = 0; i < values.size(); ++i) out.append(i == 0 ? "" : ",").append(values[i]);
  }
}

std::string_view signed_date(const Headers& headers) {
  return headers.has("x-ms-date") ? std::string_view() : headers.get("Date");
}

}  // namespace

std::string canonicalized_resource(std::string_view account, std::string_view target) {
  std::string out;
  append_resource(out, account, target);
  return out;
}

std::string shared_key_string_to_sign(std::string_view account, const SignedRequest& request) {
  std::string text;
  text.reserve(kLinesRoom + account.size() + request.target.size());
  for (const std::string_view line : {request.method, request.content_md5, request.content_type, request.date})
    text.append(line).append("\n");
  append_resource(text, account, request.target);
  return text;
}

std::string shared_key_lite_string_to_sign(std::string_view account, const SignedRequest& request) {
  std::string text;
  text.reserve(kLinesRoom + account.size() + request.target.size());
  text.append(request.date).append("\n");
  append_resource(text, account, request.target);
  return text;
}

std::string blob_and_queue_string_to_sign(std::string_view account, std::string_view method, std::string_view target,
                                          const Headers& headers) {
  constexpr std::array kStandard = {
      "Content-Encoding",  "Content-Language", "Content-Length", "Content-MD5",         "Content-Type", "Date",
      "If-Modified-Since", "If-Match",         "If-None-Match",  "If-Unmodified-Since", "Range"};
  std::string text(method);
  text += '\n';
  for (const std::string_view name : kStandard) {
    std::string_view value = name == "Date" ? signed_date(headers) : headers.get(name);
    if (name == "Content-Length" && value == "0") value = {};
    text.append(value).append("\n");
  }
  append_own_headers(text, headers);
  const std::size_t path_end = std::min(target.find('?'), target.size());
  text.append("/").append(account).append(path_of(target.substr(0, path_end)));
  if (path_end < target.size()) append_query(text, target.substr(path_end + 1));
  return text;
}

std::string blob_and_queue_lite_string_to_sign(std::string_view account, std::string_view method,
                                               std::string_view target, const Headers& headers) {
  std::string text;
  for (const std::string_view line :
       {method, headers.get("Content-MD5"), headers.get("Content-Type"), signed_date(headers)})
    text.append(line).append("\n");
  append_own_headers(text, headers);
  append_resource(text, account, target);
  return text;
}

// The states of both hashes of HMAC after the block of the key, from which each signature continues:
//
//   HMAC(key, text) = H(key ^ 0x5c5c... H(key ^ 0x3636... text)), with a key of one block
//
// Source: RFC 2104, sections 2 and 4.
struct AccountKey::Hmac {
  using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;
  using Block = std::array<unsigned char, SHA256_CBLOCK>;

  SHA256_CTX inner, outer;

  explicit Hmac(std::string_view key) {
    Block block{};
    if (key.size() > block.size()) {
      SHA256(bytes_of(key), key.size(), block.data());
    } else {
      std::copy(key.begin(), key.end(), block.begin());
    }
    inner = state_after(block, 0x36);
    outer = state_after(block, 0x5c);
  }

  Digest digest(std::string_view text) const {
    Digest out;
    SHA256_CTX hash = inner;
    SHA256_Update(&hash, text.data(), text.size());
    SHA256_Final(out.data(), &hash);
    hash = outer;
    SHA256_Update(&hash, out.data(), out.size());
    SHA256_Final(out.data(), &hash);
    return out;
  }

 private:
  static const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }

  static SHA256_CTX state_after(Block block, unsigned char mask) {
    for (unsigned char& byte : block) byte ^= mask;
    SHA256_CTX state;
    SHA256_Init(&state);
    SHA256_Update(&state, block.data(), block.size());
    return state;
  }
};

AccountKey::AccountKey(std::string_view base64) {
  const std::optional<std::string> key = decode_base64(base64);
  if (!key || key->empty()) throw std::invalid_argument("an account key must be base64 and not empty");
  hmac_ = std::make_unique<Hmac>(*key);
}

AccountKey::~AccountKey() = default;
AccountKey::AccountKey(AccountKey&&) noexcept = default;
AccountKey& AccountKey::operator=(AccountKey&&) noexcept = default;

AccountKey::Signature AccountKey::signature_of(std::string_view text) const {
  const Hmac::Digest digest = hmac_->digest(text);
  Signature out;
  write_base64(out.data(), {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return out;
}

std::string AccountKey::sign(std::string_view text) const {
  const Signature signature = signature_of(text);
  return {signature.data(), signature.size()};
}

bool AccountKey::has_signed(std::string_view text, std::string_view signature) const {
  const Signature expected = signature_of(text);
  return equal_in_constant_time({expected.data(), expected.size()}, signature);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace rocktable
