// Keys made of an entity's properties: `lastname_{LastName:lower}`, `{Created:invertedTicks}_{Id}`.
//
//   template := (text | '{{' | '}}' | '{' property (':' form)? '}')*
//   form     := 'lower' | 'upper'       of a text
//             | 'pad' digits            of a number that is not negative: zeros in front up to so many digits
//             | 'ticks'                 of a time: 100 ns since the year 1, in 19 digits, so that order is kept
//             | 'invertedTicks'         of a time: 19 digits in which the latest comes first
//             | 'date'                  of a time: 2026-11-21
//
// property is any of the entity's, PartitionKey, RowKey and Timestamp included. Without a form a value stands as in JSON
// (a time as 2026-11-21T08:30:00Z). Letters outside ASCII keep their case.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"

namespace rocktable::migration {

// What is wrong with a template, or with an entity that it is applied to: a sentence.
class KeyTemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class KeyTemplate {
 public:
  // Throws KeyTemplateError.
  static KeyTemplate parse(std::string_view text);

  // Throws KeyTemplateError where a property is missing, has not the type that its form wants, or where the result is
  // no key.
  std::string apply(const Entity& entity) const;

  const std::string& text() const { return text_; }

 private:
  enum class Form { Plain, Lower, Upper, Pad, Ticks, InvertedTicks, Date };
  struct Part {
    std::string literal;   // before the property
    std::string property;  // empty: there is none
    Form form = Form::Plain;
    std::size_t width = 0;
  };

  static Part parse_placeholder(std::string_view text);
  static std::string text_of(const Part& part, const ValueView& value);

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace rocktable::migration
