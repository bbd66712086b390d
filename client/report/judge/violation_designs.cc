#include "client/report/judge/violation_designs.h"

namespace rocktable {
namespace {

// The shapes of several accounts, clients and tests count together, as in the sentences of a report.
SeenRequests seen_requests(const InsightReport& report, const Violation& violation) {
  SeenRequests out;
  out.finding = violation.id;
  out.table = violation.table;
  out.fingerprint = violation.fingerprint;
  out.example = violation.example;
  out.client = violation.client;
  if (violation.operation.empty()) {  // of several shapes
    out.requests = violation.count;
    return out;
  }
  for (const ShapeStatistics& shape : report.shapes) {
    if (shape.table != violation.table || shape.operation != violation.operation ||
        shape.fingerprint != violation.fingerprint || (!violation.plan.empty() && shape.plan != violation.plan))
      continue;
    out.requests += shape.requests;
    out.continuations += shape.continuations;
    out.scanned += shape.entities_scanned;
    out.returned += shape.entities_returned;
    out.counts_entities = out.counts_entities && shape.counts_entities;
    if (out.client.empty()) out.client = shape.client;
  }
  return out;
}

}  // namespace

void add_designs(const InsightReport& report, std::vector<Violation>& violations) {
  for (Violation& violation : violations) violation.design = design_advice(seen_requests(report, violation));
}

}  // namespace rocktable
