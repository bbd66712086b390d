// What a server is started with, whichever way it was said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/program/configuration.h"

namespace rocktable {

// As which program of the peer this one starts: with its lines on standard output, and its ports.
enum class Compatibility { None, Azurite, AzuriteTable };

struct Options {
  Compatibility compatibility = Compatibility::None;
  std::string blob_host;  // for Compatibility::Azurite, as the next ones
  std::uint16_t blob_port = 10000;
  std::string queue_host;
  std::uint16_t queue_port = 10001;
  std::string table_host;  // empty: 127.0.0.1 and [::1]
  std::uint16_t table_port = 10002;
  std::string port_way_out;     // what to do where one is taken; empty: take 0
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
  std::string trace_file;  // empty: none
  int trace_limit = 64;    // MiB
  std::string ready_file;
  bool path_style_only = false;
  std::string certificate_file;  // PEM where there is a key file, else PFX; empty: no HTTPS, unless tls_auto
  std::string private_key_file;  // PEM
  std::string certificate_password;    // of the PFX
  bool tls_auto = false;               // HTTPS with a certificate of a local authority
  std::vector<std::string> tls_names;  // that this certificate is good for, too
  bool bearer_tokens = false;          // tokens are accepted, without a look at their signature
  std::string accounts_file;
  bool any_account = false;   // accounts are there once they are named, with the well-known key
  std::string control_token;  // empty: none
  bool explain_auth = false;  // refusals of access say why
  bool strict_api_version = false;
  bool insight_headers = false;
  std::vector<std::string> warnings;  // to be told before the start
  Origins origins;                    // of the options that the command line does not give
};

}  // namespace rocktable
