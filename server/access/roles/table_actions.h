// The actions of Azure's role-based access control that the table service checks, and sets of them.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory#permissions-for-table-service-operations
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace rocktable {

// In the order in which texts list them.
enum class TableAction : std::uint8_t {
  ReadService,   // service properties and statistics
  WriteService,  // service properties
  GenerateUserDelegationKey,
  ReadTables,
  WriteTables,
  DeleteTables,
  GetAcl,
  SetAcl,
  ReadEntities,  // from here on: data actions
  WriteEntities,
  DeleteEntities,
  AddEntities,
  UpdateEntities,
};
inline constexpr int kTableActionCount = static_cast<int>(TableAction::UpdateEntities) + 1;

// The full name: `Microsoft.Storage/storageAccounts/tableServices/tables/read`.
std::string_view name_of(TableAction action);

// Whether it belongs to the list dataActions of a role, not to actions.
bool is_data_action(TableAction action);

class ActionSet {
 public:
  constexpr ActionSet() = default;
  constexpr ActionSet(TableAction action)  // NOLINT(google-explicit-constructor): a set of one
      : bits_(static_cast<std::uint16_t>(1U << static_cast<unsigned>(action))) {}
  constexpr ActionSet(std::initializer_list<TableAction> actions) {
    for (const TableAction action : actions) *this |= action;
  }

  constexpr ActionSet& operator|=(ActionSet other) {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return *this;
  }
  constexpr ActionSet& operator-=(ActionSet other) {
    bits_ = static_cast<std::uint16_t>(bits_ & ~other.bits_);
    return *this;
  }
  constexpr bool contains(ActionSet other) const { return (bits_ & other.bits_) == other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const ActionSet&) const = default;
  constexpr bool operator<(const ActionSet& other) const { return bits_ < other.bits_; }

  // In the order of the enumeration.
  std::vector<TableAction> list() const;

 private:
  std::uint16_t bits_ = 0;
};

// The actions, or else the data actions, whose names match a pattern of a role: `*` is any run of characters, case does
// not matter.
ActionSet matching_actions(std::string_view pattern, bool data_actions);

}  // namespace rocktable
