// The options of a server, independent of their source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/limits/client_limits.h"
#include "server/program/options/configuration.h"

namespace rocktable {

// As --readyFile: standard output.
inline constexpr const char* kStandardOutput = "-";

// The program whose startup lines and ports this one imitates.
enum class Compatibility { None, Azurite, AzuriteTable };

// A local identity, and the roles that it has everywhere.
struct IdentityOption {
  std::string name;
  std::vector<std::string> roles;  // names; may be empty
};

struct Options {
  Compatibility compatibility = Compatibility::None;
  std::string blob_host;  // this and the next three: where blobs and queues are served, if they are
  std::uint16_t blob_port = 10000;
  std::string queue_host;
  std::uint16_t queue_port = 10001;
  bool with_azurite = false;  // start its blob and queue services
  std::string blob_upstream;  // URL that the blob port passes on to; empty: none
  std::string queue_upstream;
  std::string table_host;  // empty: 127.0.0.1 and [::1]
  std::uint16_t table_port = 10002;
  std::string port_advice;  // advice if a port is in use; empty: use port 0
  ClientLimits limits;
  std::string location = ".";
  bool in_memory = false;
  bool sync = false;
  std::string store_url;   // of a database; empty: the store is in `location`
  int store_timeout = 10;  // seconds
  int store_connections = 40;
  int store_wait = 0;        // seconds
  std::string seed;          // a file or folder; empty: none
  std::string seed_account;  // empty: the development account
  bool silent = false;
  std::string debug_file;
  std::string trace_file;          // empty: none
  int trace_limit = 64;            // MiB
  std::string ready_file;          // kStandardOutput: standard output, in place of the startup lines
  bool stop_at_input_end = false;  // stop when standard input ends
  int drain = 0;                   // seconds
  bool path_style_only = false;
  std::string certificate_file;        // PEM with a key file, PFX without; empty: no HTTPS, unless tls_auto
  std::string private_key_file;        // PEM
  std::string certificate_password;    // of the PFX
  bool tls_auto = false;               // HTTPS with a certificate of a local authority
  std::vector<std::string> tls_names;  // further names in this certificate
  bool bearer_tokens = false;          // accept bearer tokens, without checking their signature
  std::string accounts_file;
  std::string identity_secret;             // empty: random
  std::string roles_file;                  // empty: a bearer token permits everything
  std::vector<IdentityOption> identities;  // for which the instance issues tokens
  std::uint16_t identity_port = 0;         // of their endpoint; 0: any free one
  bool any_account = false;                // every valid account name exists, with the well-known key
  std::string control_token;               // empty: none
  bool explain_auth = false;               // refusals of access are explained
  bool strict_api_version = false;
  bool insight_headers = false;
  int keep_requests = 16;             // MiB; 0: none are kept
  bool keep_no_bodies = false;        // of them
  bool no_explorer = false;           // no pages below /_rocktable/
  std::string behave;                 // of all accounts, as parse_behaviour() reads it
  std::string faults_file;            // empty: none
  bool strict_faults = false;         // a rule that never fires is an error
  bool report_queries = false;        // at the end (ShutdownReport::queries); no flag
  std::vector<std::string> warnings;  // to be printed before the start
  ValueSources value_sources;         // of options not from the command line
};

}  // namespace rocktable
