#include "server/request/request_context.h"

#include <cstdint>
#include <random>

#include "odata/value.h"

#ifndef ROCKTABLE_VERSION
#error "ROCKTABLE_VERSION is defined by the build"
#endif

namespace rocktable {
namespace {

// Whole header lines, because appending one is cheaper than appending its parts.
constexpr std::string_view kTableLayerLines = "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n";
constexpr std::string_view kTableServer = "Server: Windows-Azure-Table/1.0 rocktable/" ROCKTABLE_VERSION "\r\n";
constexpr std::string_view kBlobServer = "Server: Windows-Azure-Blob/1.0 rocktable/" ROCKTABLE_VERSION "\r\n";
constexpr std::string_view kQueueServer = "Server: Windows-Azure-Queue/1.0 rocktable/" ROCKTABLE_VERSION "\r\n";

std::string_view server_line(StorageService service) {
  if (service == StorageService::Table) return kTableServer;
  return service == StorageService::Blob ? kBlobServer : kQueueServer;
}

// Formats the date once a second and thread.
std::string_view date_line(DateTime time) {
  thread_local std::int64_t second = -1;
  thread_local std::string line;
  if (time.ticks / kTicksPerSecond != second) {
    second = time.ticks / kTicksPerSecond;
    line.clear();
    append_field(line, "Date", to_http_date(time));
  }
  return line;
}

}  // namespace

std::string new_guid() {
  thread_local std::mt19937_64 random(std::random_device{}());
  Guid guid;
  for (std::size_t i = 0; i < guid.bytes.size(); i += 8) {
    std::uint64_t bits = random();
    for (std::size_t j = 0; j < 8; ++j, bits >>= 8) guid.bytes[i + j] = static_cast<std::uint8_t>(bits);
  }
  std::string out(kGuidLength, '\0');
  write_guid(out.data(), guid);
  return out;
}

void add_common_fields(Response& response, const RequestContext& context) {
  response.fields += server_line(context.service);
  response.add("x-ms-request-id", context.request_id);
  if (!context.client_request_id.empty()) response.add("x-ms-client-request-id", context.client_request_id);
  if (!context.version.empty()) response.add("x-ms-version", context.version);
  response.fields += date_line(context.received);
}

Response table_layer_response(const RequestContext& context, int status) {
  Response response;
  response.status = status;
  response.fields.reserve(512);
  response.fields += kTableLayerLines;
  add_common_fields(response, context);
  return response;
}

Response front_end_response(const RequestContext& context, int status) {
  Response response;
  response.status = status;
  add_common_fields(response, context);
  return response;
}

Response xml_response(const RequestContext& context, std::string_view document) {
  Response response = front_end_response(context, 200);
  response.add("Content-Type", "application/xml");
  response.framing = Response::Framing::Chunked;
  response.body = "\xEF\xBB\xBF";  // the service sends a byte order mark before documents, not before errors
  response.body += document;
  return response;
}

void append_preference_applied(std::string& fields, const Preferences& preferences) {
  constexpr std::string_view kName = "Preference-Applied";
  if (preferences.prefer == Prefer::ReturnNoContent) append_field(fields, kName, "return-no-content");
  if (preferences.prefer == Prefer::ReturnContent) append_field(fields, kName, "return-content");
}

std::string_view json_content_type(MetadataLevel level) {
  switch (level) {
    case MetadataLevel::None:
      return "application/json;odata=nometadata;streaming=true;charset=utf-8";
    case MetadataLevel::Minimal:
      return "application/json;odata=minimalmetadata;streaming=true;charset=utf-8";
    case MetadataLevel::Full:
      return "application/json;odata=fullmetadata;streaming=true;charset=utf-8";
  }
  return {};
}

void set_json_body(Response& response, const RequestContext& context, std::string body) {
  response.add("Content-Type", json_content_type(context.preferences.level));
  response.framing = Response::Framing::Chunked;
  response.body = std::move(body);
}

PayloadFormat payload_format(const RequestContext& context, std::string_view table) {
  return payload_format(context, table, context.preferences.level);
}

PayloadFormat payload_format(const RequestContext& context, std::string_view table, MetadataLevel level) {
  return {level, context.target.base_url, context.target.account, table};
}

}  // namespace rocktable
