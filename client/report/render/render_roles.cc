#include "client/report/render/render_roles.h"

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"
#include "client/report/render/html_text.h"
#include "client/report/render/markdown_text.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxCallersAsHtml = 200;  // about 2 KiB each
constexpr std::size_t kMaxCallersAsMarkdown = 100;

constexpr const char* kTitleOfRoles = "The smallest roles and signatures that suffice";
constexpr const char* kNoCallers = "No request had a bearer token or a shared access signature.";

bool is_of_identity(const CallerNeeds& caller) { return caller.kind == "token" || caller.kind == "userDelegationSas"; }

// `Token of alice`, `Table SAS`
std::string title_of(const CallerNeeds& caller) {
  std::string out = caller.kind == "token"               ? "Token"
                    : caller.kind == "userDelegationSas" ? "User delegation SAS"
                    : caller.kind == "tableSas"          ? "Table SAS"
                    : caller.kind == "accountSas"        ? "Account SAS"
                                                         : caller.kind;
  if (is_of_identity(caller)) out += " of " + (caller.identity.empty() ? "nobody (it has no oid)" : caller.identity);
  return out;
}

std::string list_of(const std::vector<std::string>& names) { return names.empty() ? "none" : joined(names); }

// `for devstoreaccount1, 12 requests`
std::string place_of(const CallerNeeds& caller) {
  return "for " + caller.account + ", " + counted(caller.requests, "request", "requests");
}

std::string more_callers(std::uint64_t requests) {
  return counted(requests, "request", "requests") + " of further callers are not counted.";
}

std::string line_of_sas(const SmallestSas& sas) {
  std::string out = "  smallest signature: sp=" + sas.permissions;
  if (!sas.resource_types.empty()) return out + " srt=" + sas.resource_types + "\n";
  out += " tn=" + sas.table;
  if (sas.first_partition && sas.last_partition) out += " spk=" + *sas.first_partition + " epk=" + *sas.last_partition;
  return out + "\n";
}

std::string lines_of_roles(const SmallestRoles& roles) {
  std::string out = "  built-in roles: " + list_of(roles.built_in) + "\n  scope: " + roles.scope +
                    "\n  exactly what it used, as a custom role:\n";
  for (std::string_view rest = roles.custom; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    out.append("    ").append(rest.substr(0, end)).append("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// --- Markdown -----------------------------------------------------------------------------------------------

// The code of a role is JSON, whose lines begin with a quote or a bracket: none ends the fence.
std::string markdown_of(const CallerNeeds& caller) {
  std::string out = "\n#### " + markdown_prose(title_of(caller)) + "\n\n" +
                    markdown_prose(place_of(caller) + "; tables: " + list_of(caller.tables)) + "\n\n";
  const auto add = [&](const char* name, const std::string& text) {
    out += "- " + std::string(name) + ": " + text + "\n";
  };
  if (caller.sas) {
    const SmallestSas& sas = *caller.sas;
    add("permissions (sp)", markdown_code(sas.permissions));
    if (!sas.resource_types.empty()) add("resource types (srt)", markdown_code(sas.resource_types));
    if (!sas.table.empty()) add("table (tn)", markdown_code(sas.table));
    if (sas.first_partition && sas.last_partition)
      add("partitions (spk, epk)", markdown_code("'" + *sas.first_partition + "' to '" + *sas.last_partition + "'"));
  }
  if (!caller.roles) return out;
  add("built-in roles", markdown_prose(list_of(caller.roles->built_in)));
  add("scope", markdown_code(caller.roles->scope));
  return out + "\n<details><summary>Exactly what it used, as a custom role</summary>\n\n```json\n" +
         caller.roles->custom + "\n```\n\n</details>\n";
}

// --- HTML ---------------------------------------------------------------------------------------------------

// A line of a list of definitions; `content` is HTML.
std::string defined(const char* name, const std::string& content) {
  return html_element("div", html_element("dt", name) + html_element("dd", content)) + "\n";
}

std::string partitions_of(const SmallestSas& sas) {
  if (!sas.first_partition || !sas.last_partition) return "all";
  const std::string first = code_element("'" + *sas.first_partition + "'");
  if (*sas.first_partition == *sas.last_partition) return first;
  return first + " to " + code_element("'" + *sas.last_partition + "'");
}

std::string definitions_of(const SmallestSas& sas) {
  std::string out = defined("permissions (sp)", code_element(sas.permissions));
  if (!sas.resource_types.empty()) return out + defined("resource types (srt)", code_element(sas.resource_types));
  return out + defined("table (tn)", code_element(sas.table)) + defined("partitions (spk, epk)", partitions_of(sas));
}

std::string definitions_of(const SmallestRoles& roles) {
  return defined("built-in roles", html_text(list_of(roles.built_in))) + defined("scope", code_element(roles.scope));
}

std::string custom_role_of(const SmallestRoles& roles) {
  return "<details><summary>Exactly what it used, as a custom role</summary>\n" +
         html_element("p class=\"quiet\"", "One click selects it. Fill in the scope, then " +
                                               code_element("az role definition create --role-definition FILE") +
                                               " takes it.") +
         "\n" + html_element("pre class=\"copied\"", code_element(roles.custom)) + "</details>\n";
}

std::string article_of(const CallerNeeds& caller) {
  return "<article class=\"caller\">\n" + html_element("h3", html_text(title_of(caller))) + "\n" +
         html_element("p class=\"quiet\"", html_text(place_of(caller) + "; tables: " + list_of(caller.tables))) +
         "\n<dl>\n" + (caller.sas ? definitions_of(*caller.sas) : "") +
         (caller.roles ? definitions_of(*caller.roles) : "") + "</dl>\n" +
         (caller.roles ? custom_role_of(*caller.roles) : "") + "</article>\n";
}

}  // namespace

PermissionNeeds printable_needs(PermissionNeeds needs) {
  const auto make_printable = [](std::string& text) { text = printable(text); };
  for (CallerNeeds& caller : needs.callers) {
    for (std::string* const text : {&caller.account, &caller.kind, &caller.identity, &caller.object_id})
      make_printable(*text);
    for (std::string& table : caller.tables) make_printable(table);
    if (caller.sas) {
      SmallestSas& sas = *caller.sas;
      for (std::string* const text : {&sas.permissions, &sas.resource_types, &sas.table}) make_printable(*text);
      for (auto* const key : {&sas.first_partition, &sas.last_partition})
        if (*key) make_printable(**key);
    }
    if (caller.roles) {
      make_printable(caller.roles->scope);
      for (std::string& role : caller.roles->built_in) make_printable(role);
    }
  }
  return needs;
}

std::string roles_as_text(const PermissionNeeds& needs) {
  std::string out;
  for (const CallerNeeds& caller : needs.callers) {
    out += (out.empty() ? "" : "\n") + title_of(caller) + " " + place_of(caller) +
           "\n  tables: " + list_of(caller.tables) + "\n";
    if (caller.sas) out += line_of_sas(*caller.sas);
    if (caller.roles) out += lines_of_roles(*caller.roles);
  }
  if (out.empty()) out = std::string(kNoCallers) + "\n";
  if (needs.not_counted > 0) out += "\n" + more_callers(needs.not_counted) + "\n";
  return out;
}

std::string roles_as_markdown(const PermissionNeeds& needs) {
  std::string out = "\n### " + std::string(kTitleOfRoles) + "\n";
  if (needs.callers.empty()) out += "\n" + std::string(kNoCallers) + "\n";
  const std::size_t shown = std::min(needs.callers.size(), kMaxCallersAsMarkdown);
  for (std::size_t i = 0; i < shown; ++i) out += markdown_of(needs.callers[i]);
  if (needs.callers.size() > shown)
    out += "\n... and " + counted(needs.callers.size() - shown, "more caller", "more callers") +
           ", which `--format json` has.\n";
  if (needs.not_counted > 0) out += "\n" + more_callers(needs.not_counted) + "\n";
  return out;
}

std::string roles_section(const PermissionNeeds& needs) {
  std::string out = "<section>\n" + html_element("h2", kTitleOfRoles) + "\n";
  if (needs.callers.empty()) out += html_element("p", kNoCallers) + "\n";
  const std::size_t shown = std::min(needs.callers.size(), kMaxCallersAsHtml);
  for (std::size_t i = 0; i < shown; ++i) out += article_of(needs.callers[i]);
  const auto add_note = [&](const std::string& text) { out += html_element("p class=\"quiet\"", text) + "\n"; };
  if (needs.callers.size() > shown)
    add_note("... and " + counted(needs.callers.size() - shown, "more caller", "more callers") +
             ", which --format json has");
  if (needs.not_counted > 0) add_note(more_callers(needs.not_counted));
  return out + "</section>\n";
}

}  // namespace rocktable
