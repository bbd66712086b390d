#include "client/report/by_test.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rocktable {

std::vector<TestCosts> costs_by_test(const InsightReport& report) {
  std::set<std::string> tests, accounts;
  for (const auto& shape : report.shapes) {
    accounts.insert(shape.account);
    if (!shape.test.empty()) tests.insert(shape.test);
  }
  if (tests.empty() && accounts.size() < 2) return {};
  std::map<std::string, TestCosts> by_name;
  for (const auto& shape : report.shapes) {
    const std::string name = !shape.test.empty()   ? shape.test
                             : accounts.size() > 1 ? "account " + shape.account
                                                   : "other requests";
    TestCosts& costs = by_name[name];
    costs.name = name;
    if (costs.requests == 0 || shape.entities_scanned > costs.worst.entities_scanned) costs.worst = shape;
    costs.requests += shape.requests;
    costs.entities_scanned += shape.entities_scanned;
    costs.entities_returned += shape.entities_returned;
  }
  std::vector<TestCosts> out;
  out.reserve(by_name.size());
  for (auto& [name, costs] : by_name) out.push_back(std::move(costs));
  std::stable_sort(out.begin(), out.end(), [](const TestCosts& a, const TestCosts& b) {
    return std::tie(a.entities_scanned, a.requests) > std::tie(b.entities_scanned, b.requests);
  });
  return out;
}

}  // namespace rocktable
