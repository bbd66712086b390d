// Reads the roles from the file of --roles, and from the files that it names, and reads them again when one of them
// changes.
#pragma once

#include <memory>
#include <string>

#include "server/access/file_watcher.h"
#include "server/access/roles/roles.h"

namespace rocktable {

class RoleSource {
 public:
  // `file`: empty: none. `always`: identities that the file may name, and assignments beside those of the file.
  explicit RoleSource(std::string file, RoleDocument always = {})
      : file_(std::move(file)), always_(std::move(always)) {}
  RoleSource(const RoleSource&) = delete;
  RoleSource& operator=(const RoleSource&) = delete;

  // Whether there is a file, or an assignment beside it.
  bool has_roles() const { return !file_.empty() || !always_.assignments.empty(); }

  // Returns the roles, and logs what is doubtful in them. A file that the text names is beside `file`, unless its path is
  // absolute. Throws FileError, and std::runtime_error if a file cannot be read.
  RoleDocument read();

  // Starts a thread that watches the files until this object is destroyed. Within a second of a change it replaces
  // `roles`. If reading fails, it logs the error once and leaves the roles unchanged.
  void watch(std::shared_ptr<Roles> roles);

 private:
  std::string read_noted(const std::string& path);

  std::string file_;
  RoleDocument always_;
  FileWatcher watcher_;  // last member: its thread uses the others
};

}  // namespace rocktable
