// The file has one line: {"version": 1, "revoked": {"ACCOUNT": "TIME"}}.
#include "server/identity/revocation_file.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/atomic_file.h"
#include "base/input_file.h"

namespace rocktable {
namespace {

constexpr int kRevocationVersion = 1;
constexpr mode_t kRevocationMode = 0600;

}  // namespace

RevocationTimes read_revocations(const std::filesystem::path& folder) {
  const auto path = folder / kRevocationFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  try {
    const auto document = nlohmann::json::parse(read_file(path.string()));
    if (document.at("version") == kRevocationVersion) return document.at("revoked").get<RevocationTimes>();
  } catch (const nlohmann::json::exception&) {  // the same sentence as for another version
  }
  throw std::runtime_error(path.string() +
                           " is not a file of rocktable, or is of another version. If you delete it, user delegation "
                           "keys that were revoked count again until they expire");
}

void write_revocations(const std::filesystem::path& folder, const RevocationTimes& times) {
  const auto path = folder / kRevocationFile;
  AtomicFile file(path, kRevocationMode);
  file.write(nlohmann::json{{"version", kRevocationVersion}, {"revoked", times}}.dump() + "\n");
  if (!file.replace())
    throw std::runtime_error("cannot write " + path.string() + ": " + std::generic_category().message(errno));
}

}  // namespace rocktable
