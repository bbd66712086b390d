# libpq, the client library of PostgreSQL: sets `libpq` to what the store links.
find_package(PostgreSQL 13 REQUIRED)
set(libpq PostgreSQL::PostgreSQL)
