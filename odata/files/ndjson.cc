// The payload reader reads each line. If it refuses one, the line is examined again to find the place and a
// sentence.
#include "odata/files/ndjson.h"

#include <algorithm>

#include "odata/files/entity_fault.h"
#include "odata/files/located_json.h"
#include "odata/payload_reader.h"
#include "odata/payload_writer.h"

namespace rocktable {
namespace {

constexpr std::string_view kAnnotationSuffix = "@odata.type";
constexpr std::string_view kBlanksInLine = " \t\r";

// What is wrong, and where in the line.
struct Fault {
  std::string_view at;  // the part of the line that is at fault
  std::string sentence;
};

bool is_property(const JsonMember& member) {
  return !member.name.starts_with("odata.") && member.name.find(kAnnotationSuffix) == std::string::npos;
}

// Returns an object that holds only this member and its annotation.
std::string object_of_member(const JsonMember& member, const JsonMember* annotation) {
  std::string json = "{";
  for (const JsonMember* each : {annotation, &member}) {
    if (each == nullptr) continue;
    if (json.size() > 1) json += ',';
    json.append(each->name_token).append(":").append(each->value_token);
  }
  return json += '}';
}

std::optional<EdmType> type_of_annotation(const JsonMember& annotation) {
  const std::string_view token = annotation.value_token;
  return token.size() < 2 ? std::nullopt : parse_edm_type(token.substr(1, token.size() - 2));
}

Fault explain_member_value(const JsonMember& member, const JsonMember* annotation) {
  const char first = member.value_token[0];
  if (first == '{' || first == '[')
    return {member.value_token, "the value of " + quoted_for_message(member.name) + " is an " +
                                    (first == '{' ? "object" : "array") + "; a property holds a single value"};
  if (annotation != nullptr) {
    const auto type = type_of_annotation(*annotation);
    if (type) return {member.value_token, explain_value(member.name, *type)};
    return {annotation->value_token, "the type of " + quoted_for_message(member.name) +
                                         " must be one of Edm.String, Edm.Boolean, Edm.Int32, Edm.Int64, Edm.Double, "
                                         "Edm.DateTime, Edm.Guid, Edm.Binary"};
  }
  return {member.value_token, "the value of " + quoted_for_message(member.name) + " is too large for a number"};
}

std::optional<Fault> explain_member(const JsonMembers& members, const JsonMember& member) {
  const JsonMember* const annotation = members.find(member.name + std::string(kAnnotationSuffix));
  const auto read = read_entity(object_of_member(member, annotation));
  if (read && read->has_typed_key) return Fault{member.value_token, member.name + " is not text"};
  if (read) return std::nullopt;
  if (read.error().code == ErrorCode::InvalidInput) return explain_member_value(member, annotation);
  return Fault{member.name_token, explain_name(member.name)};
}

std::string_view object_of(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(kBlanksInLine), line.size()));
}

// Explains valid JSON that read_entity refuses, or whose keys are not text.
Fault explain_refusal(std::string_view line, const Error& error) {
  const std::string_view object = object_of(line);
  if (object.empty() || object[0] != '{') return {object, "a line must hold one JSON object, an entity"};
  if (error.code == ErrorCode::TooManyProperties)
    return {object, "the entity has more than " + std::to_string(kMaxProperties) + " properties"};
  const JsonMembers members(line);
  for (const JsonMember& member : members.list()) {
    if (!is_property(member)) continue;
    if (auto fault = explain_member(members, member)) return *fault;
  }
  if (const JsonMember* second = members.find_duplicate())
    return {second->name_token, quoted_for_message(second->name) + " is given twice"};
  return {object, error.message};
}

// Explains an entity that read_entity accepts and check_entity refuses.
Fault explain_entity_in(std::string_view line, const EntityKey& key, const Properties& properties) {
  EntityFault fault = explain_entity(key, properties);
  const JsonMembers members(line);
  const JsonMember* const member = members.find(fault.member);
  return {member == nullptr ? object_of(line) : member->value_token, std::move(fault.sentence)};
}

[[noreturn]] void refuse(const LineReader& lines, std::string_view line, const Fault& fault) {
  const auto offset = static_cast<std::size_t>(fault.at.data() - line.data());
  lines.refuse(place_in_line(lines.line(), line, offset), fault.sentence);
}

}  // namespace

std::optional<Entity> NdjsonReader::next() {
  while (const auto line = lines_.next()) {
    const std::size_t begin = line->find_first_not_of(kBlanksInLine);
    if (begin == line->npos) continue;
    place_ = place_in_line(lines_.line(), *line, begin);
    return entity_of(*line);
  }
  return std::nullopt;
}

Entity NdjsonReader::entity_of(std::string_view line) {
  auto payload = read_entity(line);
  if (payload && payload->has_typed_key) refuse(lines_, line, explain_refusal(line, unreadable_body()));
  if (!payload) {
    if (const auto fault = find_json_fault(line)) refuse(lines_, line, {line.substr(fault->offset), fault->sentence});
    refuse(lines_, line, explain_refusal(line, payload.error()));
  }
  if (!payload->partition_key) refuse(lines_, line, {object_of(line), "the entity has no PartitionKey"});
  if (!payload->row_key) refuse(lines_, line, {object_of(line), "the entity has no RowKey"});
  Entity entity{{std::move(*payload->partition_key), std::move(*payload->row_key)}, {}, std::move(payload->properties)};
  if (!check_entity(entity.key, entity.properties))
    refuse(lines_, line, explain_entity_in(line, entity.key, entity.properties));
  return entity;
}

void NdjsonWriter::write(const EntityView& entity) {
  write_entity_body(lines_.text(), entity, timestamps_);
  lines_.end_line();
}

}  // namespace rocktable
