#include "client/migration/step_progress.h"

#include "client/change_set.h"
#include "odata/files/entity_fault.h"

namespace rocktable::migration {

std::runtime_error entity_error(const std::string& table, const EntityKey& key, const std::string& sentence) {
  return std::runtime_error("the table " + table + ", entity (" + quoted_for_message(key.partition_key) + ", " +
                            quoted_for_message(key.row_key) + "): " + sentence);
}

void TransactionCounter::add(const std::string& partition_key) {
  if (cost_.entities == 0 || partition_key != partition_ || open_ == kMaxTransactionWrites) {
    ++cost_.transactions;
    open_ = 0;
    partition_ = partition_key;
  }
  ++open_;
  ++cost_.entities;
}

}  // namespace rocktable::migration
