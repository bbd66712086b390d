// Records of Storage Analytics logs, which the service writes to the container `$logs`.
//
//   record := version-number ; request-start-time ; operation-type ; request-status ; http-status-code ;
//             end-to-end-latency-in-ms ; server-latency-in-ms ; authentication-type ; requester-account-name ;
//             owner-account-name ; service-type ; request-url ; requested-object-key ; request-id-header ;
//             operation-count ; requester-ip-address ; request-version-header ; request-header-size ;
//             request-packet-size ; response-header-size ; response-packet-size ; request-content-length ;
//             request-md5 ; server-md5 ; etag-identifier ; last-modified-time ; conditions-used ;
//             user-agent-header ; referrer-header ; client-request-id
//
// Version 2.0 has fields of OAuth 2.0 behind them; logs of tables have version 1.0. A field that may contain a quote, a
// semicolon or a line feed is in quotes, and encoded as in HTML: `&quot;`. Documented examples also have a quote within
// quotes (`""0x8D15A2913C934DE""`), and URLs with `&amp;` that are not in quotes: their semicolons end no field.
//
// Sources: learn.microsoft.com/rest/api/storageservices/storage-analytics-log-format and
// learn.microsoft.com/azure/storage/common/storage-analytics-logging#log-entries
#pragma once

#include <string>
#include <string_view>

#include "server/logs/log_entry.h"

namespace rocktable {

// Whether a line begins with a version, as `1.0;`.
bool begins_as_storage_analytics(std::string_view line);

// Reads a record into `out`. Its texts are views of the line and of `decoded`. Returns why the line is broken: "it has
// 12 fields of 30"; empty if it is not.
std::string read_storage_analytics(std::string_view line, LogEntry& out, std::string& decoded);

// Replaces `&amp;`, `&quot;`, `&#39;` and so on, once. Keeps other text, such as `&nosuchname;`, as it is.
void append_html_decoded(std::string& out, std::string_view text);

}  // namespace rocktable
