#include "server/access/role_source.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/input_file.h"
#include "base/printable.h"

namespace rocktable {
namespace {

constexpr std::uint64_t kMaxRolesBytes = 16 << 20;

}  // namespace

std::string RoleSource::read_noted(const std::string& path) {
  watcher_.note(path);
  if (InputFile(path).size() > kMaxRolesBytes) throw std::runtime_error(path + " is larger than 16 MiB");
  return read_file(path);
}

RoleDocument RoleSource::read() {
  if (file_.empty()) return always_;
  watcher_.begin();
  const auto read_named = [this](const std::string& named) {
    return read_noted((std::filesystem::path(file_).parent_path() / named).string());
  };
  RoleDocument roles = parse_roles(read_noted(file_), file_, read_named, always_.identities);
  roles.assignments.insert(roles.assignments.end(), always_.assignments.begin(), always_.assignments.end());
  for (const auto& doubt : roles.doubts) spdlog::warn("{}: {}", file_, printable(doubt));
  return roles;
}

void RoleSource::watch(std::shared_ptr<Roles> roles) {
  if (file_.empty()) return;
  watcher_.watch([this, shared = std::move(roles)] {
    try {
      RoleDocument read_again = read();
      const std::size_t count = read_again.assignments.size();
      shared->replace(std::move(read_again));
      spdlog::info("the roles of {} have changed; they were read again; number of assignments: {}", file_, count);
    } catch (const std::exception& error) {
      spdlog::error("{}; the roles are unchanged", printable(error.what()));
    }
  });
}

}  // namespace rocktable
