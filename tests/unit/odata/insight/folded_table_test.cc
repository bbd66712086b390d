#include "odata/insight/folded_table.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

TEST_CASE("tables that are named by a date have one name") {
  CHECK(folded_table("") == "");
  CHECK(folded_table("Orders") == "orders");
  CHECK(folded_table("Log20261121b7") == "log#b#");
  CHECK(folded_table("Year2026Month11") == "year#month#");
  CHECK(folded_table("log#") == "log#");
  CHECK(folded_table("*") == "*");
}

}  // namespace rocktable::TEST_FILE
