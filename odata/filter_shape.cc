#include "odata/filter_shape.h"

namespace rocktable {
namespace {

// How tightly an operator binds. An operand that binds less tightly needs parentheses.
enum class Binding { Or, And, Unary };

void append_shape(std::string& out, const Filter& filter, Binding outer);

struct ShapePrinter {
  std::string& out;
  Binding outer;

  void operator()(const Constant& constant) const { out += constant.value ? "true" : "false"; }
  void operator()(const BooleanProperty& boolean) const { out += boolean.property; }
  void operator()(const Comparison& comparison) const {
    out.append(comparison.property).append(" ").append(to_string(comparison.op)).append(" ?");
  }
  void operator()(const And& conjunction) const { print(conjunction.terms, " and ", Binding::And); }
  void operator()(const Or& disjunction) const { print(disjunction.terms, " or ", Binding::Or); }
  void operator()(const Not& negation) const {
    out += "not ";
    append_shape(out, *negation.term, Binding::Unary);
  }

  void print(const std::vector<Filter>& terms, std::string_view joint, Binding binding) const {
    if (outer > binding) out += '(';
    std::size_t last = out.size();  // where the last written term begins
    bool repeats = false;
    append_shape(out, terms.front(), next(binding));
    for (std::size_t i = 1; i < terms.size(); ++i) {
      const std::size_t end = out.size();
      append_shape(out, terms[i], next(binding));
      const bool is_alike = std::string_view(out).substr(last, end - last) == std::string_view(out).substr(end);
      if (is_alike) {
        out.resize(end);
        repeats = true;
        continue;
      }
      std::string between = repeats ? std::string(joint) + "..." + std::string(joint) : std::string(joint);
      out.insert(end, between);
      last = end + between.size();
      repeats = false;
    }
    if (repeats) out.append(joint).append("...");
    if (outer > binding) out += ')';
  }

  static Binding next(Binding binding) { return binding == Binding::Or ? Binding::And : Binding::Unary; }
};

void append_shape(std::string& out, const Filter& filter, Binding outer) {
  std::visit(ShapePrinter{out, outer}, filter.node);
}

}  // namespace

std::string filter_shape(const Filter& filter) {
  std::string out;
  append_shape(out, filter, Binding::Or);
  return out;
}

}  // namespace rocktable
