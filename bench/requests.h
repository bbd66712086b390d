// Creates the requests of the scenarios as signed bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rocktable {

enum class Signing { SharedKeyLite, SharedKey, Sas };

// A request of the development account, valid for fifteen minutes. `resource` is the path after the account:
// `/Tables`. `headers`: more header lines, each ending with CRLF.
std::string request_bytes(std::string_view method, std::string_view resource, std::string_view body = "",
                          std::string_view headers = "", Signing signing = Signing::SharedKeyLite);

std::string create_table_request(std::string_view table);
std::string delete_table_request(std::string_view table);

// Reads one entity of sample_entities.h.
std::string get_request(std::string_view table, std::size_t number, Signing signing = Signing::SharedKeyLite);
std::string insert_request(std::string_view table, std::size_t number);
// PUT or MERGE. Without `if_match` the entity need not exist.
std::string write_request(std::string_view method, std::string_view table, std::size_t number,
                          std::string_view if_match = "");
// A transaction that inserts this many entities of one partition.
std::string transaction_request(std::string_view table, std::size_t first, std::size_t count);

// A page of a query. `filter`: empty for all entities; `tokens`: from the previous page,
// `&NextPartitionKey=...`.
std::string query_request(std::string_view table, std::string_view filter, std::string_view tokens = "");

}  // namespace rocktable
