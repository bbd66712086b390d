// The part of a filter that asks for one property only, so that a column of this property decides it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "odata/filter.h"

namespace rocktable {

class ColumnFilter {
 public:
  // Chooses the property: of a filter that asks for one property, this one; of a conjunction, that of a term with
  // `eq`, else of the first term that asks for one. Nullopt if there is none: all terms ask for keys, or for several
  // properties. The filter must outlive the result.
  static std::optional<ColumnFilter> of(const Filter& filter);

  // Never PartitionKey or RowKey. May be Timestamp.
  const std::string& property() const { return *property_; }

  // Returns whether an entity with this value of the property may match the filter. If not, it does not. `value`
  // nullopt: the entity does not have the property.
  bool may_match(const std::optional<ValueView>& value) const;

 private:
  ColumnFilter() = default;

  const std::string* property_ = nullptr;
  std::vector<const Filter*> terms_;  // all of which must hold; each asks for the property alone
  const Comparison* only_ = nullptr;  // the single term, if it is a comparison
  std::optional<ValueView> literal_;  // of only_
};

}  // namespace rocktable
