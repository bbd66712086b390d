// What is different where Citus distributes the store: PostgreSQL over several nodes.
//
// The rows of entities are spread by the column `part`. All rows of a partition have the same, so they are on one node.
// The other tables have copies on all nodes. A statement that names its part runs on one node; the one that a front end
// is connected to passes it on.
// Source: docs.citusdata.com/en/v12.1 (SQL support and workarounds; Citus utility functions).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/database/pg_dialect.h"
#include "storage/postgres/database/statements.h"

namespace rocktable {

// The column `part` of an entity with this key (utf16_key.h): of its table and its PartitionKey.
std::int32_t part_of(std::string_view key);
// The part of an entity that moves to another table changes by XOR with this. The first eight bytes of the arguments
// are the ids of the tables.
std::int32_t change_of_part(std::string_view from, std::string_view to);

class CitusDialect final : public PgDialect {
 public:
  PgLayout layout() const override { return PgLayout::Distributed; }
  // The guard of a write is a step before it, and each statement has its part.
  std::vector<PgRows> run(std::span<const PgStep> steps, const Send& send) const override;
  // A node that passes a statement on may lose the one that runs it.
  PgEffect effect_after(const PgError& error) const override;
  // Of a commit in two phases whose second one a node does not confirm, Citus only warns.
  bool is_doubtful(std::string_view warning) const override;
  // Citus 12.1 makes another plan at each execution of a prepared statement whose rows are on the node that has it, and
  // keeps all of them (27 kB each) until the connection ends.
  bool prepares() const override { return false; }
};

}  // namespace rocktable
