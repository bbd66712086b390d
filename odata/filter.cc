// The $filter tree: its text form, the comparison of values, and its evaluation. Evaluation is the inner loop
// of every scan.
#include "odata/filter.h"

#include <compare>

#include "base/text.h"

namespace rocktable {
namespace {

void append(std::string& out, const Filter& filter);

struct Printer {
  std::string& out;

  void operator()(const Constant& constant) const { out += constant.value ? "true" : "false"; }

  void operator()(const Comparison& comparison) const {
    out += '(';
    out += to_string(comparison.op);
    out += ' ';
    out += comparison.property;
    out += ' ';
    out += to_string(view_of(comparison.literal));
    out += ')';
  }

  void operator()(const BooleanProperty& boolean) const { out += "(prop " + boolean.property + ')'; }
  void operator()(const And& conjunction) const { print_terms("(and", conjunction.terms); }
  void operator()(const Or& disjunction) const { print_terms("(or", disjunction.terms); }

  void operator()(const Not& negation) const {
    out += "(not ";
    append(out, *negation.term);
    out += ')';
  }

  void print_terms(std::string_view opening, const std::vector<Filter>& terms) const {
    out += opening;
    for (const Filter& term : terms) {
      out += ' ';
      append(out, term);
    }
    out += ')';
  }
};

void append(std::string& out, const Filter& filter) { std::visit(Printer{out}, filter.node); }

// Returns how a stored value compares to a literal: `less` if their types do not match.
std::partial_ordering order(const ValueView& stored, const ValueView& literal) {
  return std::visit(
      []<class Stored, class Literal>(const Stored& left, const Literal& right) -> std::partial_ordering {
        constexpr bool kLiteralWidens =
            (std::is_same_v<Stored, std::int64_t> && std::is_same_v<Literal, std::int32_t>) ||
            (std::is_same_v<Stored, double> &&
             (std::is_same_v<Literal, std::int32_t> || std::is_same_v<Literal, std::int64_t>));
        if constexpr (kLiteralWidens) {
          return left <=> static_cast<Stored>(right);
        } else if constexpr (!std::is_same_v<Stored, Literal>) {
          return std::partial_ordering::less;
        } else if constexpr (std::is_same_v<Stored, std::string_view>) {
          return compare_utf16(left, right);
        } else if constexpr (std::is_same_v<Stored, BinaryView>) {
          return left.bytes <=> right.bytes;  // string_view compares bytes as unsigned
        } else {
          return left <=> right;
        }
      },
      stored, literal);
}

class ViewLookup final : public PropertyLookup {
 public:
  explicit ViewLookup(const EntityView& entity) : entity_(entity) {}
  std::optional<ValueView> find(std::string_view name) const override { return entity_.find(name); }

 private:
  const EntityView& entity_;
};

struct Matcher {
  const PropertyLookup& entity;

  bool operator()(const Constant& constant) const { return constant.value; }

  bool operator()(const Comparison& comparison) const {
    const auto stored = entity.find(comparison.property);
    return stored && compare(*stored, comparison.op, view_of(comparison.literal));
  }

  bool operator()(const BooleanProperty& boolean) const {
    const auto stored = entity.find(boolean.property);
    const bool* value = stored ? std::get_if<bool>(&*stored) : nullptr;
    return value != nullptr && *value;
  }

  bool operator()(const And& conjunction) const {
    for (const Filter& term : conjunction.terms)
      if (!matches(term, entity)) return false;
    return true;
  }

  bool operator()(const Or& disjunction) const {
    for (const Filter& term : disjunction.terms)
      if (matches(term, entity)) return true;
    return false;
  }

  bool operator()(const Not& negation) const { return !matches(*negation.term, entity); }
};

}  // namespace

std::string to_string(const Filter& filter) {
  std::string out;
  append(out, filter);
  return out;
}

std::string_view to_string(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::Eq:
      return "eq";
    case ComparisonOperator::Ne:
      return "ne";
    case ComparisonOperator::Gt:
      return "gt";
    case ComparisonOperator::Ge:
      return "ge";
    case ComparisonOperator::Lt:
      return "lt";
    case ComparisonOperator::Le:
      return "le";
  }
  return {};
}

bool compare(const ValueView& stored, ComparisonOperator op, const ValueView& literal) {
  // Equality of strings needs no order: the lengths of most unequal strings differ already.
  const auto* stored_text = std::get_if<std::string_view>(&stored);
  const auto* literal_text = std::get_if<std::string_view>(&literal);
  const bool both_text = stored_text != nullptr && literal_text != nullptr;
  if (both_text && op == ComparisonOperator::Eq) return *stored_text == *literal_text;
  if (both_text && op == ComparisonOperator::Ne) return *stored_text != *literal_text;

  // NaN is unordered: then every operator below except `!=` returns false.
  const std::partial_ordering relation = order(stored, literal);
  switch (op) {
    case ComparisonOperator::Eq:
      return relation == 0;
    case ComparisonOperator::Ne:
      return relation != 0;
    case ComparisonOperator::Gt:
      return relation > 0;
    case ComparisonOperator::Ge:
      return relation >= 0;
    case ComparisonOperator::Lt:
      return relation < 0;
    case ComparisonOperator::Le:
      return relation <= 0;
  }
  return false;
}

bool matches(const Filter& filter, const PropertyLookup& entity) { return std::visit(Matcher{entity}, filter.node); }

bool matches(const Filter& filter, const EntityView& entity) { return matches(filter, ViewLookup(entity)); }

}  // namespace rocktable
