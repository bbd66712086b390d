#include "server/handlers/blob_and_queue_stub.h"

#include "base/text.h"
#include "odata/value.h"
#include "server/handlers/service_properties.h"
#include "server/request/caller.h"
#include "server/request/xml.h"

namespace rocktable {
namespace {

// What a shared access signature must grant for the operations of all three services.
// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#blob-service
constexpr RequiredAccess kReadService{'s', "r", ""};
constexpr RequiredAccess kListService{'s', "l", ""};

bool is_blob(const RequestContext& context) { return context.service == StorageService::Blob; }

// Source: learn.microsoft.com/rest/api/storageservices/get-blob-service-properties
Response get_properties(const RequestContext& context) {
  const auto common = parse_xml(render_service_properties({}), "StorageServiceProperties");
  auto document = new_xml();
  auto root = document.append_copy(common.document_element());
  if (is_blob(context)) {
    for (const char* section : {"DeleteRetentionPolicy", "StaticWebsite"})
      root.append_child(section).append_child("Enabled").text() = "false";
  }
  return xml_response(context, render_xml(document));
}

// Source: learn.microsoft.com/rest/api/storageservices/get-account-information
Response get_account_information(const RequestContext& context) {
  Response response = front_end_response(context, 200);
  response.add("x-ms-sku-name", "Standard_RAGRS");
  response.add("x-ms-account-kind", "StorageV2");
  response.add("x-ms-is-hns-enabled", "false");
  return response;
}

void require_page_size(std::string_view text) {
  const auto number = parse_int32(text);
  if (!number) refuse(ErrorCode::InvalidQueryParameterValue);
  if (*number < 1) refuse(ErrorCode::OutOfRangeQueryParameterValue);
}

// Echoes the parameters of the request.
// Source: learn.microsoft.com/rest/api/storageservices/list-containers2
Response list_nothing(const QueryParameters& query, const RequestContext& context) {
  if (const auto size = query.get("maxresults")) require_page_size(*size);
  pugi::xml_document document = new_xml();
  auto root = document.append_child("EnumerationResults");
  root.append_attribute("ServiceEndpoint") = (context.target.base_url + "/").c_str();
  for (const auto& [element, parameter] :
       {std::pair{"Prefix", "prefix"}, {"Marker", "marker"}, {"MaxResults", "maxresults"}}) {
    const std::string value(query.get(parameter).value_or(""));
    if (!value.empty()) root.append_child(element).text() = value.c_str();
  }
  root.append_child(is_blob(context) ? "Containers" : "Queues");
  root.append_child("NextMarker");
  return xml_response(context, render_xml(document));
}

Response service_response(const Request& request, const QueryParameters& query, const RequestContext& context) {
  const auto is = [&](const char* name, const char* value) { return query.get(name).value_or("") == value; };
  const bool get = request.method == "GET";
  if (get && is("restype", "service") && is("comp", "properties")) {
    authorize(context.caller, kReadService).value();
    return get_properties(context);
  }
  if (get && is("restype", "service") && is("comp", "stats")) {
    authorize(context.caller, kReadService).value();
    return get_service_stats(context);
  }
  if (get && !query.get("restype") && is("comp", "list")) {
    authorize(context.caller, kListService).value();
    return list_nothing(query, context);
  }
  const bool read = get || request.method == "HEAD";
  if (read && is_blob(context) && is("restype", "account") && is("comp", "properties"))
    return get_account_information(context);
  refuse(ErrorCode::NotImplemented);
}

}  // namespace

Response blob_and_queue_response(const Request& request, const QueryParameters& query, const RequestContext& context) {
  if (context.target.resource.empty() || context.target.resource == "/")
    return service_response(request, query, context);
  if (request.method != "GET" && request.method != "HEAD" && request.method != "DELETE")
    refuse(ErrorCode::NotImplemented);
  refuse(is_blob(context) ? ErrorCode::ContainerNotFound : ErrorCode::QueueNotFound);
}

}  // namespace rocktable
