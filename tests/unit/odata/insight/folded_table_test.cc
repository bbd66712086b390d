#include "odata/insight/folded_table.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {

TEST_CASE("tables that are named by a date have one name") {
  CHECK(folded_table("") == "");
  CHECK(folded_table("Orders") == "orders");
  CHECK(folded_table("Log20261121b7") == "log#b7");
  CHECK(folded_table("Year2026Month11") == "year#month11");
  CHECK(folded_table("Sales202653") == "sales#");
  CHECK(folded_table("log20261121235959") == "log#");
  CHECK(folded_table("log#") == "log#");
  CHECK(folded_table("*") == "*");
}

TEST_CASE("tables that are named by another number are different tables") {
  for (const char* const name : {"table1", "orders2", "v12", "a1b2c3d4e5", "t123456", "x20269921", "x20261140", "y1850",
                                 "z202600", "n2026112124", "n202611212360", "n20261", "n202611212359591"}) {
    CAPTURE(name);
    CHECK(folded_table(name) == name);
  }
}

TEST_CASE("a name that may hold a date has four digits in a row") {
  CHECK(may_hold_date("log2026"));
  CHECK_FALSE(may_hold_date("a123b456"));
  CHECK_FALSE(may_hold_date(""));
}

}  // namespace rocktable::TEST_FILE
