// Reads all lines or members first, then resolves identities and roles, so that their order does not matter.
#include "server/access/roles/role_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxIdentityName = 100;

// Throws FileError at a place of the text.
using RefuseHere = std::function<void(const std::string& sentence)>;

bool is_identity_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdentityName && !is_guid(text) && text != "role" &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
                  c == '.' || c == '@' || c >= 0x80;
         });
}

// An assignment as written.
struct WrittenAssignment {
  std::string identity;
  std::string role;  // of a line: with the scope behind it, if it is not in quotes
  std::optional<std::string> scope;
  bool may_have_scope = false;  // in `role`
  RefuseHere refuse;
};

class RoleDocumentBuilder {
 public:
  void add_identity(RoleIdentity identity, const RefuseHere& refuse) {
    if (!is_identity_name(identity.name))
      refuse("`" + identity.name + "` cannot be the name of an identity: use letters, digits and - _ . @");
    for (std::string* id : {&identity.object_id, &identity.tenant_id, &identity.app_id}) {
      if (!id->empty() && !is_guid(*id)) refuse("`" + *id + "` is not a GUID");
      *id = to_lower_ascii(*id);
    }
    if (identity.object_id.empty()) refuse("the identity " + identity.name + " needs an oid");
    for (const auto& other : out_.identities) {
      if (other.name == identity.name) refuse("the identity " + identity.name + " is defined twice");
      if (other.object_id == identity.object_id)
        refuse("the identities " + other.name + " and " + identity.name + " have the same oid");
    }
    out_.identities.push_back(std::move(identity));
  }

  void add_role(Role role, const RefuseHere& refuse) {
    for (const Role& other : built_in_roles())
      if (means_role(role.name, other) && role.id != other.id)
        refuse("there is a built-in role " + other.name + "; a custom role needs another name");
    for (const Role& other : out_.roles)
      if (means_role(role.name, other) || (!role.id.empty() && role.id == other.id))
        refuse("the role " + role.name + " is defined twice");
    for (auto& doubt : doubts_about(role)) out_.doubts.push_back(std::move(doubt));
    out_.roles.push_back(std::move(role));
  }

  void add_assignment(WrittenAssignment assignment) { written_.push_back(std::move(assignment)); }

  // Identities that the text need not define. Its own definitions of these names and ids come first.
  void add_known(const std::vector<RoleIdentity>& known) {
    for (const auto& one : known) {
      const auto is_same = [&](const RoleIdentity& other) {
        return other.name == one.name || other.object_id == one.object_id;
      };
      if (std::none_of(out_.identities.begin(), out_.identities.end(), is_same)) out_.identities.push_back(one);
    }
  }

  RoleDocument finish() {
    for (const auto& one : written_) out_.assignments.push_back(resolved(one));
    return std::move(out_);
  }

 private:
  std::string object_id_of(const WrittenAssignment& one) const {
    if (is_guid(one.identity)) return to_lower_ascii(one.identity);
    for (const auto& identity : out_.identities)
      if (identity.name == one.identity) return identity.object_id;
    one.refuse("`" + one.identity + "` is neither an oid nor a name that is defined: `" + one.identity + " oid=GUID`");
    return {};
  }

  RoleAssignment resolved(const WrittenAssignment& one) const {
    RoleAssignment out;
    out.object_id = object_id_of(one);
    std::optional<std::string> scope = one.scope;
    const Role* role = out_.find_role(one.role);
    // Names of roles have blanks, scopes have none.
    if (const auto blank = one.role.find_last_of(" \t");
        role == nullptr && one.may_have_scope && blank != one.role.npos) {
      role = out_.find_role(trim(std::string_view(one.role).substr(0, blank)));
      scope = one.role.substr(blank + 1);
    }
    if (role == nullptr) {
      std::string known;
      for (const Role& built_in : built_in_roles()) known += (known.empty() ? "" : ", ") + built_in.name;
      for (const Role& custom : out_.roles) known += ", " + custom.name;
      one.refuse("there is no role `" + one.role + "`; there are: " + known);
    }
    out.role = role->name;
    out.granted = role->granted;
    if (!scope) return out;
    try {
      out.scope = parse_role_scope(*scope);
    } catch (const std::invalid_argument& error) {
      one.refuse(error.what());
    }
    return out;
  }

  RoleDocument out_;
  std::vector<WrittenAssignment> written_;
};

// --- JSON -------------------------------------------------------------------------------------------------

// Also after the document was read.
RefuseHere refusal_at(const JsonReader& value, const std::string& source) {
  return [source, place = value.place()](const std::string& sentence) { throw FileError(source, place, sentence); };
}

std::string text_of_any(const JsonReader& object, std::initializer_list<std::string_view> names) {
  for (const auto& name : names)
    if (object.has(name)) return object.member(name).text();
  return {};
}

bool looks_like_assignment(const JsonReader& object) {
  const auto has = [](const JsonReader& one) {
    return one.has("principalId") || (one.has("identity") && one.has("role"));
  };
  if (object.kind() != JsonKind::Object) return false;
  return has(object) || (object.has("properties") && object.member("properties").kind() == JsonKind::Object &&
                         has(object.member("properties")));
}

class JsonRoles {
 public:
  JsonRoles(RoleDocumentBuilder& builder, const std::string& source) : builder_(builder), source_(source) {}

  void read_identity(const JsonReader& object) {
    object.allow_only({"name", "oid", "tid", "appid"});
    builder_.add_identity({object.member("name").text(), object.member("oid").text(), object.text_or("tid", ""),
                           object.text_or("appid", "")},
                          refusal_at(object, source_));
  }

  void read_assignment(const JsonReader& object) {
    object.must_be(JsonKind::Object);
    std::optional<JsonReader> properties;
    if (object.has("properties")) properties.emplace(object.member("properties"));
    const JsonReader& body = properties ? *properties : object;
    WrittenAssignment out;
    out.identity = text_of_any(body, {"identity", "principalId"});
    out.role = text_of_any(body, {"role", "roleDefinitionName", "roleDefinitionId"});
    if (out.identity.empty()) object.refuse("an assignment needs an identity (or principalId)");
    if (out.role.empty()) object.refuse("an assignment needs a role (or roleDefinitionName, or roleDefinitionId)");
    if (body.has("scope")) out.scope = body.member("scope").text();
    out.refuse = refusal_at(object, source_);
    builder_.add_assignment(std::move(out));
  }

  // A file that a line names, or an array: roles and assignments.
  void read_any(const JsonReader& value) {
    if (looks_like_assignment(value)) return read_assignment(value);
    builder_.add_role(read_role(value), refusal_at(value, source_));
  }

  void read_document(const JsonReader& root) {
    if (root.kind() == JsonKind::Array) {
      for (const JsonReader& item : root.items()) read_any(item);
      return;
    }
    if (looks_like_role(root)) return read_any(root);
    root.allow_only({"identities", "roles", "assignments", "enforced"});
    for_each(root, "identities", [this](const JsonReader& item) { read_identity(item); });
    for_each(root, "roles",
             [this](const JsonReader& item) { builder_.add_role(read_role(item), refusal_at(item, source_)); });
    for_each(root, "assignments", [this](const JsonReader& item) { read_assignment(item); });
  }

 private:
  template <class Read>
  static void for_each(const JsonReader& root, std::string_view name, const Read& read) {
    if (!root.has(name)) return;
    const JsonReader list = root.member(name);
    list.must_be(JsonKind::Array);
    for (const JsonReader& item : list.items()) read(item);
  }

  RoleDocumentBuilder& builder_;
  const std::string& source_;
};

// --- Lines ------------------------------------------------------------------------------------------------

// Removes the first word, or the text in quotes, from the front of a line.
std::string take_word(std::string_view& line, const RefuseHere& refuse) {
  line = trim(line);
  if (line.starts_with('"')) {
    const auto end = line.find('"', 1);
    if (end == line.npos) refuse("the quotes are not closed");
    const std::string out(line.substr(1, end - 1));
    line = trim(line.substr(end + 1));
    return out;
  }
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  const std::string out(line.substr(0, end));
  line = trim(line.substr(end));
  return out;
}

// `#` starts a comment at the beginning of a line and after a blank, but not in quotes.
std::string_view without_remark(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  }
  return line;
}

bool is_definition(std::string_view rest) {
  return rest.starts_with("oid=") || rest.starts_with("tid=") || rest.starts_with("appid=");
}

RoleIdentity read_definition(std::string name, std::string_view rest, const RefuseHere& refuse) {
  RoleIdentity out{std::move(name), {}, {}, {}};
  while (!rest.empty()) {
    const std::string word = take_word(rest, refuse);
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    std::string* const value = key == "oid"     ? &out.object_id
                               : key == "tid"   ? &out.tenant_id
                               : key == "appid" ? &out.app_id
                                                : nullptr;
    if (equals == word.npos || value == nullptr) refuse("`" + word + "` is none of oid=GUID, tid=GUID and appid=GUID");
    if (!value->empty()) refuse(key + " is given twice");
    *value = word.substr(equals + 1);
    if (value->empty()) refuse(key + "= needs a GUID");
  }
  return out;
}

WrittenAssignment read_line_assignment(std::string identity, std::string_view rest, const RefuseHere& refuse) {
  WrittenAssignment out{std::move(identity), {}, std::nullopt, false, refuse};
  if (rest.empty()) refuse("`" + out.identity + "` needs a role, or oid=GUID");
  out.may_have_scope = !rest.starts_with('"');
  if (out.may_have_scope) {
    out.role = rest;
    return out;
  }
  out.role = take_word(rest, refuse);
  if (!rest.empty()) out.scope = std::string(rest);
  return out;
}

class LineRoles {
 public:
  LineRoles(RoleDocumentBuilder& builder, const std::string& source, const ReadRoleFile& read_file)
      : builder_(builder), source_(source), read_file_(read_file) {}

  void read(std::string_view text) {
    std::uint64_t number = 0;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number;
      line = trim(without_remark(line));
      if (line.empty()) continue;
      read_line(line, [source = source_, number](const std::string& sentence) {
        throw FileError(source, {number, 1}, sentence);
      });
    }
  }

 private:
  void read_line(std::string_view line, const RefuseHere& refuse) {
    std::string first = take_word(line, refuse);
    if (first == "role") return read_roles_of_file(line, refuse);
    if (is_definition(line)) return builder_.add_identity(read_definition(std::move(first), line, refuse), refuse);
    builder_.add_assignment(read_line_assignment(std::move(first), line, refuse));
  }

  void read_roles_of_file(std::string_view line, const RefuseHere& refuse) {
    if (!read_file_) refuse("a file cannot be named here: send the roles as JSON");
    const std::string file = line.starts_with('"') ? take_word(line, refuse) : std::string(line);
    if (file.empty()) refuse("`role` needs a file");
    const std::string text = read_file_(file);
    const JsonDocument document(text, file);
    const JsonReader root = document.root();
    const auto add = [&](const JsonReader& one) { builder_.add_role(read_role(one), refusal_at(one, file)); };
    if (root.kind() != JsonKind::Array) return add(root);
    for (const JsonReader& item : root.items()) add(item);
  }

  RoleDocumentBuilder& builder_;
  const std::string& source_;
  const ReadRoleFile& read_file_;
};

}  // namespace

const Role* RoleDocument::find_role(std::string_view text) const {
  const auto means = [&](const Role& role) { return means_role(text, role); };
  if (const auto found = std::find_if(roles.begin(), roles.end(), means); found != roles.end()) return &*found;
  const auto built_in = built_in_roles();
  const auto found = std::find_if(built_in.begin(), built_in.end(), means);
  return found != built_in.end() ? &*found : nullptr;
}

const RoleIdentity* RoleDocument::identity_of(std::string_view object_id) const {
  const auto found = std::find_if(identities.begin(), identities.end(),
                                  [&](const RoleIdentity& one) { return one.object_id == object_id; });
  return found != identities.end() ? &*found : nullptr;
}

std::string_view RoleDocument::shown_identity(std::string_view object_id) const {
  const auto* identity = identity_of(object_id);
  return identity != nullptr ? std::string_view(identity->name) : object_id;
}

RoleDocument parse_roles(std::string_view text, const std::string& source, const ReadRoleFile& read_file,
                         const std::vector<RoleIdentity>& known) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  RoleDocumentBuilder builder;
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '[')) {
    const JsonDocument document(text, source);
    JsonRoles reader(builder, source);
    reader.read_document(document.root());
    builder.add_known(known);
    return builder.finish();
  }
  LineRoles(builder, source, read_file).read(text);
  builder.add_known(known);
  return builder.finish();
}

nlohmann::json to_json(const Role& role) {
  nlohmann::json permissions = nlohmann::json::array();
  for (const auto& block : role.permissions)
    permissions.push_back({{"actions", block.actions},
                           {"notActions", block.not_actions},
                           {"dataActions", block.data_actions},
                           {"notDataActions", block.not_data_actions}});
  nlohmann::json out = {{"roleName", role.name}, {"permissions", std::move(permissions)}};
  if (!role.id.empty()) out["id"] = role.id;
  return out;
}

nlohmann::json to_json(const RoleDocument& document) {
  nlohmann::json identities = nlohmann::json::array(), roles = nlohmann::json::array(),
                 assignments = nlohmann::json::array();
  for (const auto& one : document.identities) {
    nlohmann::json identity = {{"name", one.name}, {"oid", one.object_id}};
    if (!one.tenant_id.empty()) identity["tid"] = one.tenant_id;
    if (!one.app_id.empty()) identity["appid"] = one.app_id;
    identities.push_back(std::move(identity));
  }
  for (const Role& role : document.roles) roles.push_back(to_json(role));
  for (const auto& one : document.assignments) {
    nlohmann::json assignment = {{"identity", document.shown_identity(one.object_id)}, {"role", one.role}};
    if (one.scope != RoleScope()) assignment["scope"] = to_string(one.scope);
    assignments.push_back(std::move(assignment));
  }
  return {{"identities", std::move(identities)}, {"roles", std::move(roles)}, {"assignments", std::move(assignments)}};
}

}  // namespace rocktable
