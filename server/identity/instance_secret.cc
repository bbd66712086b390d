// The file has one line: {"version": 1, "secret": "BASE64"}, where the secret has 32 bytes.
#include "server/identity/instance_secret.h"

#include <openssl/rand.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "base/atomic_file.h"
#include "base/base64.h"
#include "base/input_file.h"

namespace rocktable {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr int kFileVersion = 1;
constexpr mode_t kForOwnerAlone = 0600;

std::string random_secret() {
  std::array<unsigned char, kSecretBytes> bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error("the system has no random numbers for a secret");
  return encode_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string base64_of_text(std::string_view text) {
  if (text.size() < InstanceSecret::kMinTextBytes)
    throw std::invalid_argument("a secret must have at least 16 characters");
  return encode_base64(text);
}

// Returns nullopt if there is no file.
std::optional<std::string> read_secret_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const auto document = nlohmann::json::parse(read_file(path.string()), nullptr, /*allow_exceptions=*/false);
  const auto fail = [&] {
    throw std::runtime_error(path.string() +
                             " is not a file of rocktable, or is of another version. If you delete it, rocktable makes "
                             "a new secret, and what was signed with the old one no longer counts");
  };
  if (!document.is_object() || document.value("version", nlohmann::json()) != kFileVersion) fail();
  const auto secret = document.find("secret");
  if (secret == document.end() || !secret->is_string()) fail();
  const auto bytes = decode_base64(secret->get_ref<const std::string&>());
  if (!bytes || bytes->size() != kSecretBytes) fail();
  return secret->get<std::string>();
}

}  // namespace

InstanceSecret::InstanceSecret() : key_(random_secret()) {}

InstanceSecret::InstanceSecret(std::string_view text) : key_(base64_of_text(text)) {}

InstanceSecret InstanceSecret::of_folder(const std::filesystem::path& folder) {
  const auto path = folder / kFile;
  if (const auto secret = read_secret_file(path)) return InstanceSecret(AccountKey(*secret));
  AtomicFile file(path, kForOwnerAlone);
  file.write(nlohmann::json{{"version", kFileVersion}, {"secret", random_secret()}}.dump() + "\n");
  if (!file.create_if_absent())
    throw std::runtime_error("cannot write " + path.string() + ": " + std::generic_category().message(errno));
  // Another process may have been first: what is in the file counts.
  const auto secret = read_secret_file(path);
  if (!secret) throw std::runtime_error("cannot read " + path.string() + ", which was just written");
  return InstanceSecret(AccountKey(*secret));
}

}  // namespace rocktable
