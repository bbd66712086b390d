// Any bytes of a connection, as consecutive requests that arrive in pieces. The first four bytes are the
// sizes of the pieces. Checks that the sizes do not matter, that framing is unambiguous, and that a trailer
// never changes the method, headers or body of its request, nor whether another request may follow.
// Everything except the body is known with the header, and the body equals what a simpler decoder finds in
// the chunks.
//
// Two differences are allowed, because Beast causes them. First, which error is found: Beast checks the part
// of a header or chunk extension that it has at once, but checks what arrives in pieces only when it is
// complete, and so may reach the end or a limit before. Second, the limit of a header: in pieces Beast counts
// the whole header, otherwise only what it still has to read.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <charconv>

#include "server/http/request_parser.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

namespace http = boost::beast::http;

// Small, so that the fuzzer reaches the limits.
constexpr std::uint32_t kMaxHeaderBytes = 512;
constexpr std::uint64_t kMaxBodyBytes = 256;

// Returns the client's bytes in pieces. The sizes of the pieces repeat.
class Wire {
 public:
  Wire(std::string_view bytes, std::vector<std::size_t> sizes) : all_(bytes), bytes_(bytes), sizes_(std::move(sizes)) {}

  std::string_view sent() const { return all_.substr(0, all_.size() - bytes_.size()); }

  std::string_view next() {
    const auto piece = bytes_.substr(0, sizes_[at_++ % sizes_.size()]);
    bytes_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view all_, bytes_;
  std::vector<std::size_t> sizes_;
  std::size_t at_ = 0;
};

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7F &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

// Returns the contents of the chunks at the start of `bytes`, which must be well formed.
std::string body_of_chunks(std::string_view bytes) {
  std::string body;
  for (;;) {
    std::size_t size = 0;
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), size, 16);
    if (size == 0) return body;
    bytes.remove_prefix(bytes.find("\r\n") + 2);
    body += bytes.substr(0, size);
    bytes.remove_prefix(size + 2);
  }
}

// Checks that the body has the length that the request states: by Content-Length only, or only by the chunks
// at the start of `rest`.
void check_framing(const Request& request, std::string_view rest) {
  const Headers& headers = request.headers;
  const auto length = headers.get("Content-Length");
  const bool chunked = headers.has("Transfer-Encoding");
  require(headers.count("Transfer-Encoding") + headers.count("Content-Length") <= 1, "a request is framed in two ways");
  require(!chunked || equals_ignoring_case(headers.get("Transfer-Encoding"), "chunked"),
          "a transfer coding is ignored");
  if (chunked) {
    require(*request.body == body_of_chunks(rest), "a body is not what its chunks hold");
    return;
  }
  std::size_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  require(request.body->size() == bytes, "a body is not as long as it says");
}

void check_request(const Request& request) {
  require(is_token(request.method), "a method that is none");
  require(!request.target.empty() && request.target.find(' ') == request.target.npos &&
              !holds_control_character(request.target),
          "a target that is none");
  for (const auto& [name, value] : request.headers.all()) {
    require(is_token(name), "a header's name that is none");
    require(!holds_control_character(value) && trim(value) == value, "a header's value that is none");
  }
  require(request.body->size() <= kMaxBodyBytes, "a body beyond the limit");
}

struct Conversation {
  std::string requests;
  std::string ending;  // the error; empty if a request asked to close

  bool agrees_with(const Conversation& whole) const {
    if (is_at_limit() && whole.requests.starts_with(requests)) return true;
    if (whole.is_at_limit() && requests.starts_with(whole.requests)) return true;
    return requests == whole.requests && ending.empty() == whole.ending.empty();
  }

  bool is_at_limit() const { return ending == make_error_code(http::error::header_limit).message(); }
};

// Reads as Connection does (server/http/connection.cc).
class Reader {
 public:
  explicit Reader(Wire wire) : wire_(std::move(wire)) {}

  // Returns the requests as text, and how the conversation ended.
  Conversation conversation() {
    while (read_request()) {
    }
    return {told_, ending_};
  }

 private:
  bool read_request() {
    RequestParser parser(buffers_);
    parser.header_limit(kMaxHeaderBytes);
    parser.body_limit(kMaxBodyBytes);
    if (!feed(parser, true)) return false;
    if (parser.framing_error()) {
      ending_ = "framed strangely";
      return false;
    }
    const std::size_t body_begins = parsed_;
    const std::string head = told_with(parser, false);
    const bool goes_on = parser.keep_alive();
    if (!parser.is_done() && !feed(parser, false)) return false;
    Request request;
    parser.view(request);
    check_request(request);
    check_framing(request, wire_.sent().substr(body_begins, parsed_ - body_begins));
    require(told_with(parser, false) == head && parser.keep_alive() == goes_on,
            "a trailer changes what stood in the header");
    told_ += told_with(parser, true);
    return goes_on;
  }

  bool feed(RequestParser& parser, bool header_alone) {
    parser.eager(!header_alone);
    while (header_alone ? !parser.is_header_done() : !parser.is_done()) {
      if (!unread_.empty()) {
        boost::system::error_code error;
        const std::size_t bytes = parser.put(boost::asio::buffer(unread_), error);
        unread_.erase(0, bytes);
        parsed_ += bytes;
        if (!error) continue;
        if (error != http::error::need_more) {
          ending_ = error.message();
          return false;
        }
      }
      const auto piece = wire_.next();
      if (piece.empty()) {
        ending_ = "the end";
        return false;
      }
      unread_ += piece;
    }
    return true;
  }

  static std::string told_with(const RequestParser& parser, bool with_body) {
    Request request;
    parser.view(request);
    std::string out;
    out.append(request.method).append(" ").append(request.target).append(parser.is_http_1_0() ? " 1.0\n" : "\n");
    for (const auto& [name, value] : request.headers.all()) out.append(name).append("=").append(value).append("\n");
    out.append(parser.expects_continue() ? "expects\n" : "\n");
    return with_body ? out.append(*request.body).append("\n\n") : out;
  }

  Wire wire_;
  RequestBuffers buffers_;
  std::size_t parsed_ = 0;  // bytes parsed so far
  std::string unread_, told_, ending_;
};

}  // namespace

void fuzz_request(std::string_view input) {
  std::vector<std::size_t> sizes;
  for (const char c : input.substr(0, 4)) sizes.push_back(1 + static_cast<unsigned char>(c) % 64);
  if (sizes.size() < 4) return;
  const std::string_view bytes = input.substr(4);
  const Conversation whole = Reader(Wire(bytes, {bytes.size() + 1})).conversation();
  for (const auto& some : {sizes, {1}, {7, 2}}) {
    const Conversation cut = Reader(Wire(bytes, some)).conversation();
    require(cut.agrees_with(whole),
            "pieces read as\n" + cut.requests + cut.ending + "\nand the whole as\n" + whole.requests + whole.ending);
  }
}

}  // namespace rocktable
