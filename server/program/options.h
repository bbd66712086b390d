// The command line of the server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/command_line.h"

namespace rocktable {

struct Options {
  std::string table_host;  // empty: 127.0.0.1 and [::1]
  std::uint16_t table_port = 10002;
  int keep_alive_timeout = 60;  // seconds, as the others
  int head_timeout = 30;
  int body_timeout = 60;
  int answer_timeout = 60;
  int max_connections = 20'000;
  int max_request_memory = 64;  // MiB
  int max_answer_memory = 256;  // MiB
  std::string location = ".";
  bool in_memory = false;
  bool sync = false;
  std::string seed;          // a file or folder; empty: none
  std::string seed_account;  // empty: the development account
  bool silent = false;
  std::string debug_file;
  std::string ready_file;
  bool path_style_only = false;
  std::string certificate_file;  // PEM where there is a key file, else PFX; empty: no HTTPS, unless tls_auto
  std::string private_key_file;  // PEM
  std::string certificate_password;  // of the PFX
  bool tls_auto = false;             // HTTPS with a certificate of a local authority
  bool bearer_tokens = false;        // tokens are accepted, without a look at their signature
  std::string accounts_file;
  bool any_account = false;   // accounts are there once they are named, with the well-known key
  std::string control_token;  // empty: none
  bool explain_auth = false;  // refusals of access say why
  bool strict_api_version = false;
  bool insight_headers = false;
  std::optional<std::string> warning;  // to be told before the start
};

// What the command line asks for: a server with these options, or to end at once.
struct Invocation {
  Options options;
  std::optional<Ending> ending;
};

Invocation parse_command_line(int argc, const char* const* argv);

}  // namespace rocktable
