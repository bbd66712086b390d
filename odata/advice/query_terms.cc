#include "odata/advice/query_terms.h"

#include <algorithm>
#include <span>
#include <variant>

#include "base/uri.h"
#include "odata/filter_parser.h"

namespace rocktable {
namespace {

constexpr std::string_view kPartition = "PartitionKey", kRow = "RowKey";

// Stands for the `...` of `RowKey eq ? or ...`: terms like the one before it.
constexpr std::string_view kRepetition = "_rocktable_repetition";

// A literal of the type that is declared for the property before it. All others are open.
std::string_view literal_after(std::string_view text) {
  constexpr std::string_view kTimestamp = "Timestamp ", kOperator = "ge ";
  const std::size_t length = kTimestamp.size() + kOperator.size();
  const bool is_time = text.size() >= length && text.substr(text.size() - length).starts_with(kTimestamp);
  return is_time ? "datetime'2000-01-01T00:00:00Z'" : "''";
}

// The fingerprint as a filter whose literals are all alike.
std::optional<Filter> filter_of_fingerprint(std::string_view fingerprint) {
  constexpr std::string_view kRepeatedByOr = " or ...", kRepeatedByAnd = " and ...";
  std::string text;
  for (std::size_t i = 0; i < fingerprint.size();) {
    const std::string_view rest = fingerprint.substr(i);
    if (rest.starts_with(kRepeatedByOr)) {
      text.append(" or ").append(kRepetition);
      i += kRepeatedByOr.size();
    } else if (rest.starts_with(kRepeatedByAnd)) {
      i += kRepeatedByAnd.size();  // one such term says it all
    } else {
      text += fingerprint[i] == '?' ? literal_after(text) : std::string_view(&fingerprint[i], 1);
      ++i;
    }
  }
  auto filter = parse_filter(text);
  if (!filter) return std::nullopt;
  return std::move(*filter);
}

std::optional<Filter> filter_of_example(std::string_view example) {
  constexpr std::string_view kName = "$filter=", kEncodedName = "%24filter=";
  std::size_t begin = example.find(kName);
  if (begin != std::string_view::npos) {
    begin += kName.size();
  } else if (begin = example.find(kEncodedName); begin != std::string_view::npos) {
    begin += kEncodedName.size();
  } else {
    return std::nullopt;
  }
  const std::string_view raw = example.substr(begin, example.find('&', begin) - begin);
  const auto text = percent_decode(raw, true);
  if (!text) return std::nullopt;
  auto filter = parse_filter(*text);
  if (!filter) return std::nullopt;
  return std::move(*filter);
}

std::span<const Filter> alternatives_of(const Filter& filter) {
  const auto* const disjunction = std::get_if<Or>(&filter.node);
  return disjunction == nullptr ? std::span(&filter, 1) : std::span<const Filter>(disjunction->terms);
}

std::span<const Filter> conditions_of(const Filter& filter) {
  const auto* const conjunction = std::get_if<And>(&filter.node);
  return conjunction == nullptr ? std::span(&filter, 1) : std::span<const Filter>(conjunction->terms);
}

bool is_repetition(const Filter& filter) {
  const auto* const boolean = std::get_if<BooleanProperty>(&filter.node);
  return boolean != nullptr && boolean->property == kRepetition;
}

bool equals_key(const Filter& filter, std::string_view key) {
  const auto* const comparison = std::get_if<Comparison>(&filter.node);
  return comparison != nullptr && comparison->op == ComparisonOperator::Eq && comparison->property == key;
}

bool names_partition(const Filter& filter) {
  return is_repetition(filter) ||
         std::ranges::any_of(conditions_of(filter), [](const Filter& term) { return equals_key(term, kPartition); });
}

bool names_row(const Filter& filter) { return is_repetition(filter) || equals_key(filter, kRow); }

// Finds the literal that a property is compared with. Without recursion: filters may be deep.
EdmType type_in(const std::optional<Filter>& example, std::string_view property) {
  std::vector<const Filter*> rest;
  if (example) rest.push_back(&*example);
  while (!rest.empty()) {
    const Filter& filter = *rest.back();
    rest.pop_back();
    if (const auto* const comparison = std::get_if<Comparison>(&filter.node))
      if (comparison->property == property) return type_of(comparison->literal);
    if (const auto* const negation = std::get_if<Not>(&filter.node)) rest.push_back(negation->term.get());
    if (std::holds_alternative<And>(filter.node))
      for (const Filter& term : conditions_of(filter)) rest.push_back(&term);
    if (std::holds_alternative<Or>(filter.node))
      for (const Filter& term : alternatives_of(filter)) rest.push_back(&term);
  }
  return EdmType::String;
}

class TermReader {
 public:
  explicit TermReader(std::string_view example) : example_(filter_of_example(example)) {}

  void read(const Filter& term) {
    if (const auto* const boolean = std::get_if<BooleanProperty>(&term.node))
      return void(add(out_.equal, {boolean->property, EdmType::Boolean}));
    if (const auto* const comparison = std::get_if<Comparison>(&term.node)) return read(*comparison);
    const auto alternatives = alternatives_of(term);
    if (alternatives.size() > 1 && std::ranges::all_of(alternatives, names_partition)) {
      out_.joins_partitions_by_or = true;
    } else if (alternatives.size() > 1 && std::ranges::all_of(alternatives, names_row)) {
      out_.joins_rows_by_or = true;
    } else {
      out_.has_others = true;
    }
  }

  QueryTerms terms() { return std::move(out_); }

 private:
  void read(const Comparison& comparison) {
    const bool is_partition = comparison.property == kPartition, is_row = comparison.property == kRow;
    if (comparison.op == ComparisonOperator::Ne) {
      out_.has_others = true;
    } else if (comparison.op == ComparisonOperator::Eq) {
      if (is_partition) out_.names_partition = true;
      if (is_row) out_.names_row = true;
      if (!is_partition && !is_row) add(out_.equal, {comparison.property, type_in(example_, comparison.property)});
    } else if (is_partition || is_row) {
      auto& range = is_partition ? out_.partition_range : out_.row_range;
      if (!range) range = ComparedProperty{comparison.property, EdmType::String};
      add_bound(*range, comparison.op);
    } else {
      add_bound(add(out_.ranged, {comparison.property, type_in(example_, comparison.property)}), comparison.op);
    }
  }

  static void add_bound(ComparedProperty& range, ComparisonOperator op) {
    const bool is_lower = op == ComparisonOperator::Gt || op == ComparisonOperator::Ge;
    (is_lower ? range.has_lower_bound : range.has_upper_bound) = true;
  }

  static ComparedProperty& add(std::vector<ComparedProperty>& properties, ComparedProperty property) {
    const auto found = std::ranges::find(properties, property.name, &ComparedProperty::name);
    return found != properties.end() ? *found : properties.emplace_back(std::move(property));
  }

  std::optional<Filter> example_;
  QueryTerms out_;
};

}  // namespace

std::optional<QueryTerms> query_terms(std::string_view fingerprint, std::string_view example) {
  if (fingerprint.empty()) return std::nullopt;
  const auto filter = filter_of_fingerprint(fingerprint);
  if (!filter) return std::nullopt;
  TermReader reader(example);
  for (const Filter& term : conditions_of(*filter)) reader.read(term);
  return reader.terms();
}

}  // namespace rocktable
