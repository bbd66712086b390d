// The names of local identities, and the ids that follow from them.
#include "odata/protocol/local_identity.h"

#include <doctest/doctest.h>

#include <set>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("Names of local identities are words, and no GUIDs") {
  for (const char* name : {"a", "alice", "Alice-2_b.c", "0"}) CHECK(is_local_identity_name(name));
  CHECK(is_local_identity_name(std::string(63, 'a')));
  CHECK_FALSE(is_local_identity_name(std::string(64, 'a')));
  for (const char* name :
       {"", "a b", "-a", ".a", "a=b", "a,b", "a/b", "\xC3\xA4", "00000000-0000-0000-0000-000000000001"})
    CHECK_FALSE(is_local_identity_name(name));
}

TEST_CASE("The ids of a local identity are fixed: programs write them down") {
  const LocalIdentity alice = local_identity("alice");
  CHECK(alice == local_identity("alice"));
  CHECK(alice.name == "alice");
  std::set<std::string> ids{std::string(kLocalTenant)};
  for (const char* name : {"alice", "Alice", "bob"})
    for (const auto& id : {local_identity(name).object_id, local_identity(name).app_id}) {
      CAPTURE(id);
      CHECK(id.size() == 36);
      CHECK(id[14] == '8');
      CHECK(std::string("89ab").find(id[19]) != std::string::npos);
      CHECK(id.find_first_not_of("0123456789abcdef-") == std::string::npos);
      CHECK(ids.insert(id).second);
    }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
