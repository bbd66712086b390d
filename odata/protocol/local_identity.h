// The identities that an instance makes up for programs on this machine: managed identities without a cloud. The ids
// follow from the name, so that they are the same in each run and on each machine.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// The tenant of all local identities. No tenant of the cloud has it: its version is 8, theirs is 4.
inline constexpr std::string_view kLocalTenant = "726f636b-7461-8c65-a000-6c6f63616c00";

struct LocalIdentity {
  std::string name;
  std::string object_id;  // GUIDs in lower case
  std::string app_id;     // the client id, by which a program asks for it

  bool operator==(const LocalIdentity&) const = default;
};

// 1 to 63 letters, digits, hyphens, underscores and dots; the first is a letter or digit. Not a GUID, because a role is
// assigned to a name or to an object id.
bool is_local_identity_name(std::string_view text);

// `name` must be one. The case of its letters matters.
LocalIdentity local_identity(std::string_view name);

}  // namespace rocktable
