#include "storage/rocksdb/memo/column_filter.h"

#include <span>
#include <string_view>
#include <variant>

namespace rocktable {
namespace {

// The property that a filter asks for.
struct Asked {
  const std::string* property = nullptr;  // null: none yet
  bool is_one = true;                     // false: several, or keys
};

void add_asked(Asked& asked, const Filter& filter);

void add_asked(Asked& asked, const std::string& property) {
  if (property == "PartitionKey" || property == "RowKey") asked.is_one = false;
  if (asked.property != nullptr && *asked.property != property) asked.is_one = false;
  asked.property = &property;
}

void add_asked(Asked& asked, std::span<const Filter> terms) {
  for (const Filter& term : terms) add_asked(asked, term);
}

void add_asked(Asked& asked, const Filter& filter) {
  if (const auto* comparison = std::get_if<Comparison>(&filter.node)) add_asked(asked, comparison->property);
  if (const auto* boolean = std::get_if<BooleanProperty>(&filter.node)) add_asked(asked, boolean->property);
  if (const auto* conjunction = std::get_if<And>(&filter.node)) add_asked(asked, conjunction->terms);
  if (const auto* disjunction = std::get_if<Or>(&filter.node)) add_asked(asked, disjunction->terms);
  if (const auto* negation = std::get_if<Not>(&filter.node)) add_asked(asked, *negation->term);
}

// Returns null if the filter does not ask for one property alone.
const std::string* only_property(const Filter& filter) {
  Asked asked;
  add_asked(asked, filter);
  return asked.is_one ? asked.property : nullptr;
}

bool is_equality(const Filter& term) {
  const auto* comparison = std::get_if<Comparison>(&term.node);
  return comparison != nullptr && comparison->op == ComparisonOperator::Eq;
}

class ValueLookup final : public PropertyLookup {
 public:
  explicit ValueLookup(const std::optional<ValueView>& value) : value_(value) {}
  std::optional<ValueView> find(std::string_view) const override { return value_; }

 private:
  const std::optional<ValueView>& value_;
};

}  // namespace

std::optional<ColumnFilter> ColumnFilter::of(const Filter& filter) {
  const auto* conjunction = std::get_if<And>(&filter.node);
  const std::span<const Filter> terms =
      conjunction != nullptr ? std::span<const Filter>(conjunction->terms) : std::span<const Filter>(&filter, 1);
  ColumnFilter out;
  bool has_equality = false;
  for (const Filter& term : terms) {
    const std::string* property = only_property(term);
    if (property == nullptr || (out.property_ != nullptr && (has_equality || !is_equality(term)))) continue;
    out.property_ = property;
    has_equality = is_equality(term);
  }
  if (out.property_ == nullptr) return std::nullopt;
  for (const Filter& term : terms)
    if (const auto* property = only_property(term); property != nullptr && *property == *out.property_)
      out.terms_.push_back(&term);
  if (out.terms_.size() == 1) out.only_ = std::get_if<Comparison>(&out.terms_.front()->node);
  if (out.only_ != nullptr) out.literal_ = view_of(out.only_->literal);
  return out;
}

bool ColumnFilter::may_match(const std::optional<ValueView>& value) const {
  if (only_ != nullptr) return value && compare(*value, only_->op, *literal_);
  for (const Filter* term : terms_)
    if (!matches(*term, ValueLookup(value))) return false;
  return true;
}

}  // namespace rocktable
