#include "client/change_set.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "odata/key_predicate.h"
#include "odata/payload_writer.h"

namespace rocktable {
namespace {

// A fixed boundary is safe: an entity is serialized as one line of JSON that starts with a brace, so no line
// of a body starts with `--`.
constexpr std::string_view kContentType = "multipart/mixed; boundary=batch_rocktable";
constexpr std::string_view kBegin =
    "--batch_rocktable\r\nContent-Type: multipart/mixed; boundary=changeset_rocktable\r\n\r\n";
constexpr std::string_view kPart =
    "--changeset_rocktable\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
constexpr std::string_view kHeaders =
    " HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\nDataServiceVersion: 3.0\r\n";
constexpr std::string_view kBodyHeaders =
    "Content-Type: application/json\r\nPrefer: return-no-content\r\nContent-Length: ";
constexpr std::string_view kIfMatch = "If-Match: ";
constexpr std::string_view kEnd = "--changeset_rocktable--\r\n--batch_rocktable--\r\n";

constexpr std::size_t kMaxLengthDigits = 20;

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

// Moves the index of the failed write from the message to `position`: `7:The specified entity already
// exists.`
void take_position(TableError& error) {
  const char* const begin = error.message.data();
  const char* const end = begin + error.message.size();
  std::size_t position = 0;
  const auto [colon, problem] = std::from_chars(begin, end, position);
  if (problem != std::errc() || colon == end || *colon != ':') return;
  error.position = position;
  error.message.erase(0, static_cast<std::size_t>(colon + 1 - begin));
}

std::string element(std::string_view xml, const std::string& name) {
  const std::size_t tag = xml.find("<" + name);
  const std::size_t begin = tag == xml.npos ? tag : xml.find('>', tag);
  const std::size_t end = begin == xml.npos ? begin : xml.find("</" + name + ">", begin);
  return end == xml.npos ? "" : std::string(xml.substr(begin + 1, end - begin - 1));
}

// Returns the string at `pointer`; empty if there is none.
std::string text_at(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json::json_pointer path(pointer);
  if (!json.contains(path) || !json.at(path).is_string()) return {};
  return json.at(path).get<std::string>();
}

TableError malformed_response() { return {0, "", "the response to the transaction is malformed"}; }

}  // namespace

SerializedEntity serialize_entity(const Entity& entity) {
  SerializedEntity out{entity.key, {}};
  const auto properties = view_of(entity.properties);
  write_entity_body(out.body, {entity.key.partition_key, entity.key.row_key, {}, properties});
  return out;
}

std::string_view method_of(WriteMode mode) {
  switch (mode) {
    case WriteMode::Insert:
      return "POST";
    case WriteMode::Replace:
      return "PUT";
    case WriteMode::Merge:
      return "MERGE";
    case WriteMode::Delete:
      return "DELETE";
  }
  return {};
}

std::string_view if_match_of(WriteMode mode, const SerializedEntity& write) {
  return mode == WriteMode::Delete && write.if_match.empty() ? std::string_view("*") : write.if_match;
}

std::string resource_of(WriteMode mode, std::string_view table, const EntityKey& key) {
  std::string out(table);
  if (mode != WriteMode::Insert) append_key_predicate(out, key.partition_key, key.row_key);
  return out;
}

std::size_t bytes_in_transaction(const SerializedEntity& write, std::string_view address) {
  constexpr std::size_t kMethod = 6, kSlashAndTable = 64, kBreaks = 10;
  std::string key;
  append_key_predicate(key, write.key.partition_key, write.key.row_key);
  return kPart.size() + kMethod + address.size() + kSlashAndTable + key.size() + kHeaders.size() + kIfMatch.size() +
         write.if_match.size() + kBodyHeaders.size() + kMaxLengthDigits + kBreaks + write.body.size();
}

std::string_view transaction_content_type() { return kContentType; }

std::string write_transaction(std::string_view address, std::string_view table, WriteMode mode,
                              std::span<const SerializedEntity> writes) {
  std::size_t size = kBegin.size() + kEnd.size();
  for (const SerializedEntity& write : writes) size += bytes_in_transaction(write, address);
  std::string out;
  out.reserve(size);
  out += kBegin;
  for (const SerializedEntity& write : writes) {
    out.append(kPart).append(method_of(mode)).append(" ").append(address).append("/");
    out.append(resource_of(mode, table, write.key)).append(kHeaders);
    if (const auto etag = if_match_of(mode, write); !etag.empty()) out.append(kIfMatch).append(etag).append("\r\n");
    if (mode != WriteMode::Delete) out.append(kBodyHeaders).append(std::to_string(write.body.size())).append("\r\n");
    out.append("\r\n").append(write.body).append("\r\n");
  }
  out += kEnd;
  return out;
}

TableResult<void> read_transaction_response(std::string_view body, std::size_t count) {
  constexpr std::string_view kStatusLine = "\nHTTP/1.1 ";
  std::size_t answers = 0;
  for (std::size_t at = body.find(kStatusLine); at != body.npos; at = body.find(kStatusLine, at + 1)) {
    ++answers;
    int status = 0;
    const std::string_view digits = body.substr(at + kStatusLine.size(), 3);
    std::from_chars(digits.data(), digits.data() + digits.size(), status);
    if (status >= kFirstErrorStatus) {
      const std::size_t begin = body.find_first_of("{<", at);
      const std::size_t end = body.find_last_of("}>");
      const bool has_body = begin != body.npos && end != body.npos && end > begin;
      return read_error(status, has_body ? body.substr(begin, end + 1 - begin) : std::string_view{});
    }
    if (status == 0) return malformed_response();
  }
  if (answers != count) return malformed_response();
  return {};
}

TableError read_error(int status, std::string_view body) {
  TableError out;
  out.status = status;
  if (const auto json = nlohmann::json::parse(body, nullptr, false); json.is_object()) {
    out.code = text_at(json, "/odata.error/code");
    out.message = text_at(json, "/odata.error/message/value");
  } else {
    out.code = element(body, "Code");
    out.message = element(body, "Message");
    if (out.code.empty()) out.code = element(body, "m:code");
    if (out.message.empty()) out.message = element(body, "m:message");
  }
  out.message = first_line(out.message);
  take_position(out);
  return out;
}

std::string TableError::sentence() const {
  std::string out = message.empty() ? "the response has no error message" : message;
  if (status == 0) return out;
  out += " (" + std::to_string(status);
  if (!code.empty()) out += " " + code;
  return out + ")";
}

}  // namespace rocktable
