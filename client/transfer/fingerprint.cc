#include "client/transfer/fingerprint.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "odata/payload_writer.h"

namespace rocktable {
namespace {

// Equal for equal entities alone: JSON with types, the properties by name.
std::string canonical(const Entity& entity) {
  auto properties = view_of(entity.properties);
  std::sort(properties.begin(), properties.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (auto& property : properties)
    if (auto* number = std::get_if<double>(&property.value); number != nullptr && *number == 0) *number = 0;
  std::string out;
  write_entity_body(out, {entity.key.partition_key, entity.key.row_key, {}, properties});
  return out;
}

}  // namespace

void Fingerprint::add(const Entity& entity) {
  const std::string text = canonical(entity);
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), digest, sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) sum_[i] += words[i];
  ++count_;
}

std::string Fingerprint::to_string() const {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(sum_[0]),
                static_cast<unsigned long long>(sum_[1]));
  return std::to_string(count_) + (count_ == 1 ? " entity" : " entities") + ", checksum " + text;
}

}  // namespace rocktable
