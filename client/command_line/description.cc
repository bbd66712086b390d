#include "client/command_line/description.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace rocktable {
namespace {

using Json = nlohmann::ordered_json;

// Short names first, as in help pages.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const auto& name : option.get_snames()) out.push_back("-" + name);
  for (const auto& name : option.get_lnames()) out.push_back("--" + name);
  return out;
}

void describe_value(const CLI::Option& option, Json& out) {
  out["text"] = option.get_description();
  out["group"] = option.get_group();
  out["required"] = option.get_required();
  out["repeatable"] = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

Json describe_option(const CLI::Option& option) {
  const bool is_flag = option.get_expected_max() == 0;
  Json out{{"names", names_of(option)}, {"value", is_flag ? "" : option.get_type_name()}};
  describe_value(option, out);
  return out;
}

Json describe_argument(const CLI::Option& option) {
  Json out{{"name", option.get_name(true)}};
  describe_value(option, out);
  return out;
}

// An option that is also accepted as a bare word is in both lists.
Json describe_app(const CLI::App& app) {
  Json out{{"name", app.get_name()},   {"description", app.get_description()}, {"footer", app.get_footer()},
           {"options", Json::array()}, {"arguments", Json::array()},           {"subcommands", Json::array()}};
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) out["arguments"].push_back(describe_argument(*option));
    if (option->nonpositional()) out["options"].push_back(describe_option(*option));
  }
  for (const auto* option : inherited_options(app)) out["options"].push_back(describe_option(*option));
  for (const auto* command : app.get_subcommands({})) out["subcommands"].push_back(describe_app(*command));
  return out;
}

}  // namespace

std::vector<const CLI::Option*> inherited_options(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  if (const CLI::App* const parent = app.get_parent(); parent != nullptr && app.get_fallthrough())
    for (const auto* option : parent->get_options())
      if (option != parent->get_help_ptr()) out.push_back(option);
  return out;
}

std::string describe(const CLI::App& app) { return describe_app(app).dump(); }

}  // namespace rocktable
