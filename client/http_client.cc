// Waits for Asio's asynchronous operations, because the blocking ones have no timeouts. Each starts with one buffer and
// one type of handler: Beast's, which compose them for each stream and kind of message, are 0.3 MB of code.
#include "client/http_client.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "base/platform/trusted_certificates.h"
#include "client/system_authorities.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;

using FailureKind = HttpError::Kind;
using Socket = asio::ip::tcp::socket;
using Parser = http::response_parser<http::string_body>;
using Time = std::chrono::steady_clock::time_point;

// Of one asynchronous operation, and what completes it.
struct Outcome {
  boost::system::error_code error;
  std::size_t bytes = 0;
};
struct Handler {
  Outcome* outcome;
  void operator()(const boost::system::error_code& error, std::size_t bytes = 0) const { *outcome = {error, bytes}; }
};

constexpr std::size_t kHeadBytes = 1 << 10;  // of most requests
constexpr std::size_t kReadBytes = 64 << 10;

Time in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

bool is_address(const std::string& host) {
  boost::system::error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

// Such names mean this machine, whatever its resolver says (RFC 6761, section 6.3).
bool is_localhost(const std::string& host) {
  return equals_ignoring_case(host, "localhost") || to_lower_ascii(host).ends_with(".localhost");
}

bool is_this_machine(const std::string& host) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host, error);
  return error ? is_localhost(host) : address.is_loopback();
}

// Hint for a refused connection to this machine.
std::string how_to_start(const HttpUrl& origin) {
  constexpr std::uint16_t kUsualPort = 10002;
  std::string command = "rocktable";
  if (origin.port != kUsualPort) command += " --tablePort " + std::to_string(origin.port);
  if (origin.secure) command += " --tls auto";
  return "nothing listens on this port; to start an emulator: " + command;
}

std::string seconds_of(std::chrono::milliseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return whole == time ? std::to_string(whole.count()) + " s" : std::to_string(time.count()) + " ms";
}

// Trusts what SSL_CERT_FILE and SSL_CERT_DIR name; without them, what the system trusts. Ignores errors: the file of
// HttpOptions may suffice.
void trust_system_authorities(ssl::context& tls) {
  boost::system::error_code ignored;
  tls.set_default_verify_paths(ignored);
  const bool named = std::getenv("SSL_CERT_FILE") != nullptr || std::getenv("SSL_CERT_DIR") != nullptr;
  const auto exists = [](const std::filesystem::path& path) {
    std::error_code no_such;
    return std::filesystem::exists(path, no_such);
  };
  // OpenSSL reads single certificates of its own folder when it needs them. A file is read as a whole.
  if (named || exists(X509_get_default_cert_dir()) || exists(X509_get_default_cert_file())) return;
  const auto places = system_authorities();
  const auto file = std::find_if(places.begin(), places.end(), exists);
  if (file != places.end()) {
    tls.load_verify_file(file->string(), ignored);
  } else {
    X509_STORE* const store = SSL_CTX_get_cert_store(tls.native_handle());
    for (const std::string& bytes : trusted_certificates()) {
      const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
      const std::unique_ptr<X509, decltype(&X509_free)> certificate(
          d2i_X509(nullptr, &begin, static_cast<long>(bytes.size())), X509_free);
      if (certificate != nullptr) X509_STORE_add_cert(store, certificate.get());
    }
  }
  ERR_clear_error();
}

// Whether trusting one more certificate authority would fix the error.
bool lacks_authority(long verdict) {
  switch (verdict) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return true;
    default:
      return false;
  }
}

std::string what_to_trust(const std::string& file) {
  return file.empty() ? "; set --caFile FILE to the certificate of its authority" : "; its authority is not in " + file;
}

// Returns why the handshake failed, with the reason for rejecting the certificate if that was it.
std::string reason_of(const boost::system::error_code& error, SSL* tls, const std::string& authority_file) {
  const long verdict = SSL_get_verify_result(tls);
  if (verdict != X509_V_OK)
    return std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verdict) +
           (lacks_authority(verdict) ? what_to_trust(authority_file) : "");
  if (error.category() == asio::error::get_ssl_category()) {
    const int code = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    if (code == SSL_R_WRONG_VERSION_NUMBER || code == SSL_R_PACKET_LENGTH_TOO_LONG)
      return "the server does not speak HTTPS; use http:// if it speaks HTTP";
    const char* reason = ERR_reason_error_string(static_cast<unsigned long>(error.value()));
    if (reason != nullptr) return std::string("TLS failed: ") + reason;
  }
  return "TLS failed: " + error.message();
}

std::string message_of(const HttpRequest& request, const std::string& host) {
  std::string out = request.method + ' ' + request.target + " HTTP/1.1\r\n";
  out.reserve(kHeadBytes + request.body.size());
  const auto add = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& [name, value] : request.headers.all()) add(name, value);
  if (request.headers.get("Host").empty()) add("Host", host);
  if (request.headers.get("User-Agent").empty()) add("User-Agent", "rocktable");
  const bool may_have_body = request.method != "GET" && request.method != "HEAD" && request.method != "DELETE";
  if (may_have_body || !request.body.empty()) add("Content-Length", std::to_string(request.body.size()));
  return out.append("\r\n").append(request.body);
}

// Whether the response to a plain HTTP request says that the server requires HTTPS. rocktable and the service
// use an error code, others a sentence.
bool wants_tls(const HttpResponse& answer) {
  constexpr int kBadRequest = 400;
  if (answer.status != kBadRequest) return false;
  constexpr std::string_view kWords[] = {"AccountRequiresHttps", "sent to HTTPS port", "to an HTTPS server",
                                         "plain HTTP to an SSL"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view words) { return answer.body.find(words) != std::string::npos; });
}

// Other servers respond with a TLS alert (RFC 8446, section 5.1).
bool starts_with_alert(const beast::flat_buffer& received) {
  constexpr std::string_view kAlert = "\x15\x03";
  const auto bytes = received.data();
  return std::string_view(static_cast<const char*>(bytes.data()), bytes.size()).starts_with(kAlert);
}

HttpResponse response_of(http::response<http::string_body>&& message) {
  HttpResponse out;
  out.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    const auto name = field.name_string(), value = field.value();
    out.headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  out.body = std::move(message.body());
  return out;
}

}  // namespace

// The origin, and the connection to it while one is open.
class HttpClient::Connection {
 public:
  Connection(const HttpUrl& origin, HttpOptions options) : origin_(origin), options_(std::move(options)) {
    if (origin_.secure) prepare_tls();
  }

  HttpResponse send(const HttpRequest& request) {
    const bool kept = is_open();
    if (kept) {
      if (auto answer = exchange(request, true)) return std::move(*answer);
    }
    open();
    HttpResponse answer = *exchange(request, false);
    answer.sent_twice = kept;
    return answer;
  }

 private:
  using Endpoints = std::vector<asio::ip::tcp::endpoint>;

  // --- Waiting ---

  // Runs one asynchronous operation, started by `start(handler)`, until it completes. At the deadline, closes the
  // socket and returns beast::error::timeout.
  template <class Start>
  Outcome wait(Time deadline, Start start) {
    Outcome outcome;
    io_.restart();
    start(Handler{&outcome});
    io_.run_until(deadline);
    if (io_.stopped()) return outcome;
    boost::system::error_code ignored;
    socket_->close(ignored);
    io_.run();
    outcome.error = beast::error::timeout;
    return outcome;
  }

  HttpError failed(FailureKind kind, const std::string& what) const {
    return HttpError(kind, origin_.origin() + " " + what);
  }

  HttpError timed_out() const {
    return failed(FailureKind::TimedOut, "did not answer within " + seconds_of(options_.answer_timeout));
  }

  // --- Opening and closing ---

  bool is_open() const { return socket_.has_value(); }

  void close() {
    secure_.reset();
    socket_.reset();
    buffer_.clear();
  }

  void prepare_tls() {
    tls_.emplace(ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
    trust_system_authorities(*tls_);
    boost::system::error_code error;
    tls_->set_verify_mode(ssl::verify_peer);
    const std::string& file = options_.certificate_authority_file;
    if (file.empty()) return;
    tls_->load_verify_file(file, error);
    ERR_clear_error();
    if (error)
      throw HttpError(FailureKind::Untrusted, "cannot read certificates from " + file + ": " + error.message());
  }

  Endpoints resolve() {
    if (is_localhost(origin_.host))
      return {{asio::ip::address_v4::loopback(), origin_.port}, {asio::ip::address_v6::loopback(), origin_.port}};
    asio::ip::tcp::resolver resolver(io_);
    boost::system::error_code error;
    Endpoints out;
    for (const auto& entry : resolver.resolve(origin_.host, std::to_string(origin_.port), error))
      out.push_back(entry.endpoint());
    if (error) throw failed(FailureKind::Unreachable, "cannot be reached: " + error.message());
    return out;
  }

  // Opens a new connection. If it throws, no connection is left open.
  void open() {
    close();
    const Endpoints endpoints = resolve();
    socket_.emplace(io_);
    try {
      connect(endpoints);
      if (tls_) handshake();
    } catch (...) {
      close();
      throw;
    }
  }

  void connect(const Endpoints& endpoints) {
    boost::system::error_code error = asio::error::host_not_found, ignored;
    for (const auto& endpoint : endpoints) {
      socket_->close(ignored);  // an address that did not answer leaves it open
      const auto outcome =
          wait(in(options_.connect_timeout), [&](Handler handler) { socket_->async_connect(endpoint, handler); }).error;
      if (!outcome || &endpoint == &endpoints.front()) error = outcome;  // the first address explains most
      if (!outcome) break;
    }
    if (error == beast::error::timeout)
      throw failed(FailureKind::Unreachable, "cannot be reached within " + seconds_of(options_.connect_timeout));
    if (error) throw failed(FailureKind::Unreachable, "cannot be reached: " + error.message() + what_to_do(error));
    socket_->set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  std::string what_to_do(const boost::system::error_code& error) const {
    if (error != asio::error::connection_refused || !is_this_machine(origin_.host)) return "";
    return "; " + how_to_start(origin_);
  }

  void handshake() {
    secure_.emplace(*socket_, *tls_);
    SSL* tls = secure_->native_handle();
    if (!is_address(origin_.host)) SSL_set_tlsext_host_name(tls, origin_.host.c_str());
    secure_->set_verify_callback(ssl::host_name_verification(origin_.host));
    const auto error = wait(in(options_.connect_timeout), [&](Handler handler) {
                         secure_->async_handshake(ssl::stream_base::client, handler);
                       }).error;
    if (error == beast::error::timeout)
      throw failed(FailureKind::Unreachable,
                   "did not complete the TLS handshake within " + seconds_of(options_.connect_timeout));
    if (error == asio::error::connection_reset || error == asio::error::eof)
      throw failed(FailureKind::Unreachable,
                   "closed the connection during the TLS handshake; use http:// if it speaks HTTP");
    if (error)
      throw failed(FailureKind::Untrusted,
                   "cannot be used: " + reason_of(error, tls, options_.certificate_authority_file));
  }

  // --- One request and its answer ---

  // Returns nullopt if a kept-alive connection turned out to be closed. Closes the connection on any error.
  std::optional<HttpResponse> exchange(const HttpRequest& request, bool kept) {
    try {
      return exchange_over_open(request, kept);
    } catch (...) {
      close();
      throw;
    }
  }

  std::optional<HttpResponse> exchange_over_open(const HttpRequest& request, bool kept) {
    const auto unsent = write(message_of(request, origin_.authority()), in(options_.answer_timeout));
    if (unsent == beast::error::timeout) throw timed_out();
    // A server may reject a request and close before it has read all of it: read the response even if sending
    // failed.
    Parser parser;
    parser.body_limit(options_.max_body_bytes);
    parser.skip(request.method == "HEAD");
    const auto error = read(parser, in(options_.answer_timeout));
    if (error && kept && !parser.got_some() && error != beast::error::timeout) {
      close();
      return std::nullopt;
    }
    if (error) throw no_response(error);
    const bool keep_alive = !unsent && parser.keep_alive();
    HttpResponse answer = response_of(parser.release());
    if (!origin_.secure && wants_tls(answer)) throw failed(FailureKind::Malformed, "speaks HTTPS: use https://");
    if (!keep_alive) close();
    return answer;
  }

  boost::system::error_code write(std::string_view message, Time deadline) {
    while (!message.empty()) {
      const auto [error, bytes] = wait(deadline, [&](Handler handler) {
        const auto part = asio::buffer(message);
        secure_ ? secure_->async_write_some(part, handler) : socket_->async_write_some(part, handler);
      });
      if (error) return error;
      message.remove_prefix(bytes);
    }
    return {};
  }

  // Reads until the message is complete. The end of the connection completes a body without a length.
  boost::system::error_code read(Parser& parser, Time deadline) {
    parser.eager(true);
    for (;;) {
      boost::system::error_code error;
      while (buffer_.size() > 0 && !error) {
        buffer_.consume(parser.put(buffer_.data(), error));
        if (error && error != http::error::need_more) return error;
        if (parser.is_done()) return {};
      }
      const Outcome received = wait(deadline, [&](Handler handler) {
        const asio::mutable_buffer place = buffer_.prepare(kReadBytes);
        secure_ ? secure_->async_read_some(place, handler) : socket_->async_read_some(place, handler);
      });
      buffer_.commit(received.bytes);
      if (received.error == asio::error::eof && !parser.got_some()) return http::error::end_of_stream;
      if (received.error == asio::error::eof) {
        boost::system::error_code incomplete;
        parser.put_eof(incomplete);
        return incomplete;
      }
      if (received.error) return received.error;
    }
  }

  HttpError no_response(const boost::system::error_code& error) const {
    if (error == beast::error::timeout) return timed_out();
    if (error == http::error::body_limit)
      return failed(FailureKind::Malformed,
                    "sent a response larger than " + std::to_string(options_.max_body_bytes) + " bytes");
    if (!origin_.secure && starts_with_alert(buffer_))
      return failed(FailureKind::Malformed, "speaks HTTPS: use https://");
    const bool closed = error == http::error::end_of_stream || error == http::error::partial_message ||
                        error == asio::error::eof || error == ssl::error::stream_truncated;
    if (closed) return failed(FailureKind::Dropped, "closed the connection before its response was complete");
    if (error.category() == make_error_code(http::error::bad_version).category())
      return failed(FailureKind::Malformed, "did not respond in HTTP: " + error.message());
    return failed(FailureKind::Dropped, "lost the connection: " + error.message());
  }

  HttpUrl origin_;
  HttpOptions options_;
  asio::io_context io_{1};
  std::optional<ssl::context> tls_;
  std::optional<Socket> socket_;
  std::optional<ssl::stream<Socket&>> secure_;
  beast::flat_buffer buffer_;  // may contain the start of the next message
};

HttpClient::HttpClient(const HttpUrl& origin, HttpOptions options)
    : connection_(std::make_unique<Connection>(origin, std::move(options))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

HttpResponse HttpClient::send(const HttpRequest& request) { return connection_->send(request); }

}  // namespace rocktable
