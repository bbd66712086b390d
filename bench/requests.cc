// Builds requests as bytes, and signs them with the key of the development account.
#include "bench/requests.h"

#include "base/date_time.h"
#include "base/uri.h"
#include "bench/sample_entities.h"
#include "odata/key_predicate.h"
#include "odata/payload_writer.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/sas.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authenticator.h"

namespace rocktable {
namespace {

constexpr std::string_view kJson = "Content-Type: application/json\r\n";
// In the form that SDKs write. Some servers accept no other form.
const std::string kBatchBoundary = "batch_a36a1b9e-1b0c-4d4a-9f3e-3b1d7a1f5c11";
const std::string kChangeSetBoundary = "changeset_7f0d5c1a-52a4-4f0e-8f5d-1d2f0c9a7b42";

std::string sas_query() {
  SasParameters sas;
  sas.version = "2019-02-02";
  sas.services = "t";
  sas.resource_types = "sco";
  sas.permissions = "rwdlacu";
  sas.expiry = "2099-01-01T00:00:00Z";
  const std::string text = sas_string_to_sign(sas, kDevelopmentAccount).value();
  return "sv=" + sas.version + "&ss=t&srt=sco&sp=rwdlacu&se=2099-01-01T00%3A00%3A00Z&sig=" +
         percent_encode(AccountKey(kDevelopmentKey).sign(text));
}

// Returns the Authorization and x-ms-date lines.
std::string authorization(std::string_view method, std::string_view target, std::string_view content_type, bool lite) {
  const std::string date = to_http_date(now());
  const SignedRequest parts{method, "", content_type, date, target};
  const std::string text = lite ? shared_key_lite_string_to_sign(kDevelopmentAccount, parts)
                                : shared_key_string_to_sign(kDevelopmentAccount, parts);
  return "x-ms-date: " + date + "\r\nAuthorization: " + (lite ? "SharedKeyLite " : "SharedKey ") +
         std::string(kDevelopmentAccount) + ":" + AccountKey(kDevelopmentKey).sign(text) + "\r\n";
}

std::string entity_json(std::size_t number) {
  const Properties properties = properties_of(number);
  const std::string partition = partition_of(number), row = row_of(number);
  std::string out;
  write_entity(out, {MetadataLevel::Minimal, "", kDevelopmentAccount, ""}, std::nullopt,
               {partition, row, DateTime{}, view_of(properties)});
  return out;
}

std::string entity_resource(std::string_view table, std::size_t number) {
  std::string out = "/" + std::string(table);
  append_key_predicate(out, partition_of(number), row_of(number));
  return out;
}

}  // namespace

std::string request_bytes(std::string_view method, std::string_view resource, std::string_view body,
                          std::string_view headers, Signing signing) {
  std::string target = "/" + std::string(kDevelopmentAccount) + std::string(resource);
  if (signing == Signing::Sas) target += (target.find('?') == std::string::npos ? "?" : "&") + sas_query();
  std::string out = std::string(method) + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
                    "x-ms-version: 2019-02-02\r\nAccept: application/json;odata=nometadata\r\n" +
                    "Prefer: return-no-content\r\n" + std::string(headers);
  if (signing != Signing::Sas) out += authorization(method, target, "", signing == Signing::SharedKeyLite);
  if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out + "\r\n" + std::string(body);
}

std::string create_table_request(std::string_view table) {
  return request_bytes("POST", "/Tables", R"({"TableName":")" + std::string(table) + "\"}", kJson);
}

std::string delete_table_request(std::string_view table) {
  return request_bytes("DELETE", "/Tables('" + std::string(table) + "')");
}

std::string get_request(std::string_view table, std::size_t number, Signing signing) {
  return request_bytes("GET", entity_resource(table, number), "", "", signing);
}

std::string insert_request(std::string_view table, std::size_t number) {
  return request_bytes("POST", "/" + std::string(table), entity_json(number), kJson);
}

std::string write_request(std::string_view method, std::string_view table, std::size_t number,
                          std::string_view if_match) {
  std::string headers(kJson);
  if (!if_match.empty()) headers += "If-Match: " + std::string(if_match) + "\r\n";
  return request_bytes(method, entity_resource(table, number), entity_json(number), headers);
}

std::string transaction_request(std::string_view table, std::size_t first, std::size_t count) {
  std::string body =
      "--" + kBatchBoundary + "\r\nContent-Type: multipart/mixed; boundary=" + kChangeSetBoundary + "\r\n\r\n";
  for (std::size_t i = first; i < first + count; ++i) {
    body += "--" + kChangeSetBoundary +
            "\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
            "POST http://127.0.0.1/" +
            std::string(kDevelopmentAccount) + "/" + std::string(table) +
            " HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json;odata=nometadata\r\n"
            "Prefer: return-no-content\r\n\r\n" +
            entity_json(i) + "\r\n";
  }
  body += "--" + kChangeSetBoundary + "--\r\n--" + kBatchBoundary + "--\r\n";
  return request_bytes("POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=" + kBatchBoundary + "\r\n");
}

std::string query_request(std::string_view table, std::string_view filter, std::string_view tokens) {
  std::string resource = "/" + std::string(table) + "()?";
  if (!filter.empty()) resource += "$filter=" + percent_encode(filter);
  return request_bytes("GET", resource + std::string(tokens));
}

}  // namespace rocktable
