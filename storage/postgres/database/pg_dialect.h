// How statements reach a database, and what its errors say.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/postgres/database/pg_failure.h"
#include "storage/postgres/database/pg_values.h"
#include "storage/postgres/database/statements.h"

namespace rocktable {

// A statement and its parameters.
struct PgStep {
  Statement statement;
  PgParameters parameters = {};
};

// What an error says of the statement that failed.
enum class PgEffect {
  None,
  NoneOfNode,  // none, because a node of the database could not be reached
  Unknown,     // a node may have done it, and may still do it
};

// Of PostgreSQL itself.
class PgDialect {
 public:
  using Send = std::function<std::vector<PgRows>(std::span<const PgStep> steps)>;

  virtual ~PgDialect() = default;

  virtual PgLayout layout() const { return PgLayout::Plain; }

  // Runs the steps in one round trip. Returns the rows of each.
  virtual std::vector<PgRows> run(std::span<const PgStep> steps, const Send& send) const { return send(steps); }

  virtual PgEffect effect_after(const PgError&) const { return PgEffect::None; }

  // Whether a statement that succeeds, and warns of this, may have no effect yet.
  virtual bool is_doubtful(std::string_view) const { return false; }

  // Whether connections prepare their statements. Otherwise they send the text each time.
  virtual bool prepares() const { return true; }
};

const PgDialect& dialect_of(PgLayout layout);

}  // namespace rocktable
