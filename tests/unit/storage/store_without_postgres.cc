// For programs without the store in PostgreSQL
#include <stdexcept>

#include "tests/unit/storage/store.h"

namespace rocktable {

PgLayout layout_of_tests() { return PgLayout::Plain; }

bool is_in_database() { return false; }

StoreOptions test_store() { return in_memory(); }

StoreOptions test_store(PgLayout /*layout*/) { throw std::logic_error("this program has no store in a database"); }

TestStore::TestStore(bool kept) : options_(kept ? folder_.store() : test_store()) {}

std::vector<bool> kept_or_not() { return {false, true}; }

}  // namespace rocktable
