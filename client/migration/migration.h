// A migration: its id, description and steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/change_set.h"
#include "client/migration/key_template.h"
#include "client/migration/missing_rule.h"
#include "client/migration/property_change.h"
#include "odata/entity.h"

namespace rocktable::migration {

// Selects entities of a table: all, one partition, one entity, or those that match a $filter.
struct EntitySelection {
  std::optional<std::string> partition_key;
  std::optional<std::string> row_key;  // only with a partition key
  std::string filter;

  // The selection as a $filter; empty for all.
  std::string to_filter() const;
};

struct CreateTable {
  std::string table;
};

struct DeleteTable {
  std::string table;
};

// Deletes all entities and keeps the table.
struct ClearTable {
  std::string table;
};

struct CopyTable {
  std::string from, to;
};

struct RenameTable {
  std::string from, to;
  bool delete_old = false;
};

struct WriteEntities {
  WriteMode mode = WriteMode::Insert;
  std::string table;
  std::vector<Entity> entities;
  bool if_absent = false;     // with Insert: keep existing entities unchanged
  bool create_table = false;  // if it does not exist
};

struct DeleteEntities {
  std::string table;
  EntitySelection which;
};

struct ChangeProperty {
  std::string table;
  std::optional<std::string> partition_key;  // absent: the whole table
  PropertyChange change;
};

// Gives entities new keys. A key without a template stays the same.
struct Rekey {
  std::string table;
  EntitySelection which;
  std::optional<KeyTemplate> partition_key, row_key;
  bool keep_old = false;  // copies instead of moving: builds a secondary index
  MissingRule missing = {};
};

using Step = std::variant<CreateTable, DeleteTable, ClearTable, CopyTable, RenameTable, WriteEntities, DeleteEntities,
                          ChangeProperty, Rekey>;

struct Migration {
  std::int64_t id = 0;
  std::string version;
  std::string description;
  std::vector<Step> steps;
  std::string source;  // file name
};

// A short description for users: `insert 3 entities into customers`.
std::string summary(const Step& step);

// The complete step as text, for the checksum. The text of a step must never change between versions.
std::string to_string(const Step& step);

// The first bytes of the SHA-256 of to_string(step).
using StepDigest = std::array<unsigned char, 8>;
StepDigest digest(const Step& step);

// The same step with "onMissing": "fail". nullopt: it has that rule already, or none.
std::optional<Step> with_missing_refused(const Step& step);

// SHA-256 in hexadecimal of id, version, description and steps. It does not depend on the layout of the file.
std::string checksum(const Migration& migration);

}  // namespace rocktable::migration
