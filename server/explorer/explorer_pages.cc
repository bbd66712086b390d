#include "server/explorer/explorer_pages.h"

#include <algorithm>
#include <string>

#include "server/explorer/embedded_files.h"

namespace rocktable {
namespace {

constexpr std::string_view kPage = "/_rocktable/";
constexpr std::string_view kParts = "/_rocktable/explorer/";

// Scripts and styles only from the server itself, and no text that becomes markup: keys and values of entities are
// hostile.
constexpr std::string_view kContentPolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view type_of(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "image/svg+xml";
}

const EmbeddedFile* find_file(std::string_view path) {
  const std::string_view name = path == kPage              ? "index.html"
                                : path.starts_with(kParts) ? path.substr(kParts.size())
                                                           : "";
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::path);
  return found == files.end() ? nullptr : &*found;
}

void add_security_fields(Response& response) {
  response.add("Content-Security-Policy", kContentPolicy);
  response.add("X-Content-Type-Options", "nosniff");
  response.add("Referrer-Policy", "no-referrer");
  response.add("Cross-Origin-Opener-Policy", "same-origin");
  response.add("Cross-Origin-Resource-Policy", "same-origin");
}

Response refusal_page(int status, std::string_view sentence) {
  Response out;
  out.status = status;
  out.add("Content-Type", "text/html; charset=utf-8");
  out.add("Cache-Control", "no-store");
  add_security_fields(out);
  out.body = "<!doctype html><html lang=\"en\"><title>rocktable</title><h1>The explorer is not available</h1><p>";
  out.body.append(sentence).append("</p></html>\n");
  return out;
}

bool matches_etag(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != if_none_match.npos;
}

}  // namespace

bool is_explorer_target(std::string_view target) {
  const std::string_view path = path_of(target);
  return path == kPage || path == kPage.substr(0, kPage.size() - 1) || path.starts_with(kParts);
}

Response explorer_response(const ControlPolicy& policy, bool is_on, std::string_view method, std::string_view target,
                           const Headers& headers) {
  if (const auto refusal = refuse_page(policy, headers)) return refusal_page(refusal->status, refusal->error);
  if (!is_on) return refusal_page(404, "The server runs with --noExplorer.");
  const std::string_view path = path_of(target);
  Response out;
  if (method != "GET" && method != "HEAD") {
    out = refusal_page(405, "Use GET, HEAD for this resource.");
    out.add("Allow", "GET, HEAD");
    return out;
  }
  if (!path.ends_with('/') && path.size() < kPage.size()) {
    out.status = 308;
    out.reason = "Permanent Redirect";
    out.add("Location", kPage);
    return out;
  }
  const EmbeddedFile* const file = find_file(path);
  if (file == nullptr) return refusal_page(404, "There is no such page.");
  out.add("ETag", file->etag);
  out.add("Cache-Control", "no-cache");
  add_security_fields(out);
  if (matches_etag(headers.get("If-None-Match"), file->etag)) {
    out.status = 304;
    return out;
  }
  out.add("Content-Type", type_of(file->path));
  out.body = file->content;
  return out;
}

}  // namespace rocktable
