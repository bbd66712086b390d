#include "odata/advice/design_advice.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "odata/advice/client_code.h"
#include "odata/advice/key_sketch.h"
#include "odata/advice/query_terms.h"

namespace rocktable {
namespace {

using Change = KeySketch::Change;

constexpr std::uint64_t kMinGain = 4;  // to store entities twice, a query must read so many times fewer

std::string code_span(const std::string& text) { return "`" + text + "`"; }

std::string table_of(const SeenRequests& seen) {
  return seen.table.empty() || seen.table == "*" ? "" : " of " + code_span(std::string(seen.table));
}

// `Customer and Status`
std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ").append(code_span(names[i]));
  return out;
}

// The numbers of one query, with all its pages.
struct PerQuery {
  std::uint64_t scanned, returned;
};

PerQuery per_query(const SeenRequests& seen) {
  const std::uint64_t queries = std::max<std::uint64_t>(seen.requests - std::min(seen.continuations, seen.requests), 1);
  return {seen.scanned / queries, (seen.returned + queries - 1) / queries};
}

std::string gain_of(const SeenRequests& seen) {
  if (!seen.counts_entities) return "A query then reads about as many entities as it returns.";
  const PerQuery numbers = per_query(seen);
  return "A query then reads about " + counted(numbers.returned, "entity", "entities") + " instead of " +
         with_commas(numbers.scanned) + ".";
}

std::string sentence_of(const KeySketch& sketch, const SeenRequests& seen) {
  const std::string where = code_span(filter_of(sketch));
  switch (sketch.change) {
    case Change::IndexInPartition:
      return "Store each entity" + table_of(seen) + " a second time in its partition, with the RowKey " +
             code_span(to_string(sketch.row_key)) + ", and ask for " + where + ". " + gain_of(seen);
    case Change::IndexElsewhere:
      return "Store each entity" + table_of(seen) + " a second time, with the PartitionKey " +
             code_span(to_string(sketch.partition_key)) + " and the RowKey " + code_span(to_string(sketch.row_key)) +
             ", and ask for " + where + ". " + gain_of(seen);
    case Change::QueryOfEach:
      return "Send one query for each PartitionKey, at the same time. " + gain_of(seen);
    case Change::ReadOfEach:
      return "Read each entity by its PartitionKey and RowKey, at the same time. " + gain_of(seen);
    case Change::OneQuery:
      return "Ask once for the rows between the first and the last that the program wants: one request for up to 1,000 "
             "entities instead of " +
             counted(seen.requests, "request", "requests") + ".";
    case Change::OneTransaction:
      return "Write the entities of a partition by entity group transactions of up to 100: " +
             counted((seen.requests + 99) / 100, "request", "requests") + " instead of " + with_commas(seen.requests) +
             ".";
  }
  return {};
}

std::string why_index(const KeySketch& sketch) {
  const std::string names = list_of(sketch.properties);
  std::string out = "Keys are the only index of a table. The present keys do not begin with " + names +
                    ", so the service reads what it could skip.";
  out +=
      sketch.change == Change::IndexInPartition
          ? " One transaction writes both entities, so they never differ. Queries of a whole partition meet the "
            "second entities, too: give them a range of RowKeys, or put the second entities into a table of their own."
          : " No transaction spans two partitions: write the second entity first, and write both again after a "
            "failure. Scans of the table meet the second entities, too, unless they have a table of their own.";
  if (sketch.is_one_partition)
    out +=
        " All second entities are in one partition, which serves about 2,000 entities a second: divide it, for "
        "example by day, if you write more.";
  const auto has_number = [](const KeyPart& part) {
    return part.property && (part.property->type == EdmType::Int32 || part.property->type == EdmType::Int64);
  };
  if (std::ranges::any_of(sketch.row_key, has_number) || std::ranges::any_of(sketch.partition_key, has_number))
    out += " Numbers in keys need leading zeros, because keys are compared as text.";
  return out + " Each entity is stored and written twice.";
}

std::string why_of(const KeySketch& sketch) {
  switch (sketch.change) {
    case Change::IndexInPartition:
    case Change::IndexElsewhere:
      return why_index(sketch);
    case Change::QueryOfEach:
      return "The service does not split an `or` of PartitionKeys: it scans the table. A query of one partition reads "
             "only that, and several run at the same time.";
    case Change::ReadOfEach:
      return "The service does not split an `or` of RowKeys: it scans the partition. A point read is the cheapest "
             "request, and several run at the same time.";
    case Change::OneQuery:
      return "Each point read is a request, with its time on the network and its price. Rows of one partition are next "
             "to each other, and one query returns up to 1,000 of them.";
    case Change::OneTransaction:
      return "Each write is a request, with its time on the network and its price. A transaction is one request, and "
             "writes all or nothing.";
  }
  return {};
}

std::vector<std::string> lines_of_code(const std::string& code) {
  std::vector<std::string> out;
  std::istringstream in(code);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::optional<KeySketch> sketch_for(const SeenRequests& seen) {
  if (seen.finding == "n-plus-one" || seen.finding == "single-writes") {
    KeySketch out;
    out.change = seen.finding == "n-plus-one" ? Change::OneQuery : Change::OneTransaction;
    return out;
  }
  const auto is = [&](std::string_view id) { return seen.finding == id; };
  if (!is("table-scan") && !is("partition-scan") && !is("partition-range-scan") && !is("scanned-per-returned") &&
      !is("or-across-partitions") && !is("or-across-rows"))
    return std::nullopt;
  const auto terms = query_terms(seen.fingerprint, seen.example);
  if (!terms) return std::nullopt;
  auto out = key_sketch(*terms);
  const PerQuery numbers = per_query(seen);
  if (!out || !seen.counts_entities) return out;
  const bool stores_twice = out->change == Change::IndexInPartition || out->change == Change::IndexElsewhere;
  const std::uint64_t least = stores_twice ? kMinGain * numbers.returned : numbers.returned + 1;
  return numbers.scanned >= least ? out : std::nullopt;
}

}  // namespace

std::optional<DesignAdvice> design_advice(const SeenRequests& seen) {
  const auto sketch = sketch_for(seen);
  if (!sketch) return std::nullopt;
  const ClientLanguage language = language_of_client(seen.client);
  return DesignAdvice{sentence_of(*sketch, seen), why_of(*sketch), std::string(to_string(language)),
                      lines_of_code(client_code(*sketch, language))};
}

nlohmann::json to_json(const std::optional<DesignAdvice>& design) {
  if (!design) return nullptr;
  std::string code;
  for (const std::string& line : design->code) code.append(line).append("\n");
  return {{"sentence", design->sentence}, {"why", design->why}, {"language", design->language}, {"code", code}};
}

}  // namespace rocktable
