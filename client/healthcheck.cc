#include "client/healthcheck.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "client/command_line.h"
#include "client/http_client.h"
#include "client/secret.h"

namespace rocktable {
namespace {

constexpr int kMaxSeconds = 3600;
constexpr const char* kReady = R"("status":"ready")";

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Asks no account and shows no secret. Throws std::exception where the answer is not that it is ready.
void check(const HttpUrl& url, const HttpOptions& options) {
  HttpClient client(url, options);
  const HttpResponse response = client.send({"GET", "/_rocktable/ready", {}, {}});
  if (response.status == 200 && response.body.find(kReady) != std::string::npos) return;
  if (response.status == 503) throw std::runtime_error(url.origin() + " is not ready: it stops");
  throw std::runtime_error(url.origin() + " is not rocktable: it answered " +
                           std::to_string(response.status) + " to GET /_rocktable/ready");
}

}  // namespace

int run_healthcheck(int argc, const char* const* argv) {
  CLI::App app("Says whether a running instance serves requests.", "rocktable healthcheck");
  std::string url = from_environment("ROCKTABLE_URL", "http://127.0.0.1:10002");
  std::string authority = from_environment("ROCKTABLE_CA_FILE", "");
  int seconds = 3;
  app.add_option("--url", url, "Where it listens [$ROCKTABLE_URL, or http://127.0.0.1:10002]")
      ->type_name("URL");
  app.add_option("--timeout", seconds, "For each step: to connect, to agree on TLS, to answer [3]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, kMaxSeconds).description(""));
  app.add_option("--caFile", authority, "Trusted beside the system's for https://, as of --tls auto")
      ->type_name("FILE");
  app.footer(
      "\nURL may be @FILE or env:NAME: what that file or variable holds.\nExit codes: 0 it is ready, 1 it is "
      "not, 2 wrong usage.");
  if (const auto ending = parse(app, argc, argv)) return ending->tell();
  HttpUrl origin;
  try {
    origin = parse_http_url(read_secret(url, "--url"));
  } catch (const UrlError& error) {
    return wrong_usage(app, error.what()).tell();
  }
  const std::chrono::seconds timeout(seconds);
  check(origin,
        {.certificate_authority_file = authority, .connect_timeout = timeout, .answer_timeout = timeout});
  say("rocktable: " + origin.origin() + " is ready");
  return kDone;
}

}  // namespace rocktable
