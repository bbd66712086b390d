// A migration: what it is called, and its steps in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/change_set.h"
#include "client/migration/key_template.h"
#include "client/migration/property_change.h"
#include "odata/entity.h"

namespace rocktable::migration {

// Which of a table's entities: all of them, a partition's, one, or those that match a $filter.
struct EntitySelection {
  std::optional<std::string> partition_key;
  std::optional<std::string> row_key;  // with a partition key alone
  std::string filter;

  // As a $filter; empty for all.
  std::string to_filter() const;
};

struct CreateTable {
  std::string table;
};

struct DeleteTable {
  std::string table;
};

// All its entities go, the table stays.
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
  bool if_absent = false;     // of an insert: entities that are there stay as they are
  bool create_table = false;  // where it is missing
};

struct DeleteEntities {
  std::string table;
  EntitySelection which;
};

struct ChangeProperty {
  std::string table;
  std::optional<std::string> partition_key;  // absent: all of the table
  PropertyChange change;
};

// New keys for entities. A key whose template is absent stays.
struct Rekey {
  std::string table;
  EntitySelection which;
  std::optional<KeyTemplate> partition_key, row_key;
  bool keep_old = false;  // adds entities in place of moving them: a secondary index
};

using Step = std::variant<CreateTable, DeleteTable, ClearTable, CopyTable, RenameTable, WriteEntities,
                          DeleteEntities, ChangeProperty, Rekey>;

struct Migration {
  std::int64_t id = 0;
  std::string version;
  std::string description;
  std::vector<Step> steps;
  std::string source;  // the file's name; empty where there is none
};

// `insert 3 entities into customers`: for people.
std::string summary(const Step& step);

// All that the step says, for the checksum: the same text for the same step, in all versions of this program.
std::string to_string(const Step& step);

// SHA-256 in hex over id, version, description and steps: how a file is laid out is not part of it.
std::string checksum(const Migration& migration);

}  // namespace rocktable::migration
