// What each test cost: the shapes of a report by the test, or the account, that sent the requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/report/insight_report.h"

namespace rocktable {

struct TestCosts {
  std::string name;  // of the test; `account NAME` if a report of several accounts has no test; `other requests`
  std::uint64_t requests = 0, entities_scanned = 0, entities_returned = 0;
  ShapeStatistics worst;  // that scanned most
};

// The most entities scanned first. Empty if the report has neither the name of a test nor several accounts. `report` is
// as recorded: merged() adds up what this tells apart.
std::vector<TestCosts> costs_by_test(const InsightReport& report);

}  // namespace rocktable
