#include "storage/postgres/database/citus_sql.h"

namespace rocktable {
namespace {

// A statement that runs `command` on each node, as text. Each returns the number of processes that it found.
std::string left_on_nodes(const std::string& command) {
  return "EXISTS (SELECT 1 FROM run_command_on_all_nodes(" + command + ") node WHERE NOT success OR result <> '0')";
}

// Ends the processes that work for a connection, on all nodes. A node that passes a statement on and ends may have sent
// it to another one just before. So only a second look, after nothing was found, is sure.
// A commit on several nodes has two phases. After the first no process works on it, and it can still be committed: the
// node that coordinates it decides within citus.recover_2pc_interval. It is named after the group of that node and its
// process there, which is the rest of the global id.
std::string end_work() {
  const std::string command = R"(format($command$
          SELECT (SELECT count(pg_terminate_backend(process_id))
                  FROM get_all_active_transactions() t JOIN pg_stat_activity a ON a.pid = t.process_id
                  WHERE t.global_pid = %1$s
                    AND (t.worker_query OR ({backend_start} = %2$s AND {server_start} = %3$s)))
               + (SELECT count(*) FROM pg_prepared_xacts
                  WHERE database = current_database() AND starts_with(gid, 'citus_%4$s_%5$s_'))
        $command$, $1::bigint, $2::bigint, $3::bigint,
        (SELECT groupid FROM pg_dist_node WHERE nodeid = $1::bigint / 10000000000), $1::bigint % 10000000000))";
  return "SELECT 1 WHERE " + left_on_nodes(command) + " OR " + left_on_nodes(command);
}

// The coordinator runs this. The settings are those of processes that work for others: only a database can give them.
std::string spread() {
  std::string settings =
      "'jit = off', 'tcp_keepalives_idle = 10', 'tcp_keepalives_interval = 5', 'tcp_keepalives_count = 3'";
  for (const std::string& setting : planner_settings()) settings += ", '" + setting + "'";
  return R"(SELECT create_reference_table(one)
  FROM unnest(ARRAY['rocktable_meta', 'rocktable_accounts', 'rocktable_tables', 'rocktable_dropped',
                    'rocktable_counters']::regclass[]) one
  WHERE NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = one);
SELECT create_distributed_table('rocktable_entities', 'part', colocate_with := 'none')
  WHERE NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'rocktable_entities'::regclass);
SELECT run_command_on_all_nodes(format('ALTER DATABASE %I SET %s', current_database(), setting))
  FROM unnest(ARRAY[)" +
         settings + R"(]) setting;
INSERT INTO rocktable_counters (name, value) VALUES ('front_ends', 0) ON CONFLICT (name) DO NOTHING;
)";
}

}  // namespace

SqlParts citus_parts() {
  return {
      // An insertion that is not of a SELECT goes to its node directly. Its guard is a step of its own.
      {"{values}", "VALUES ("},
      {"{if_guarded}", ")"},
      {"{and_guarded}", ""},
      // UPDATE takes no volatile function.
      {"{now}", "statement_timestamp()"},
      // Each node has numbers of its own in a sequence, which are not those modulo kSlots.
      {"{front_end}", "UPDATE rocktable_counters SET value = value + 1 WHERE name = 'front_ends' RETURNING value"},
      {"{work}", "citus_backend_gpid()::bigint"},
      {"{end_work}", end_work()},
      // On each node, a sequence gives other numbers, if it is the default of a column.
      {"{, id}", ""},
      {"{, next id}", ""},
      {"{default_id}", " DEFAULT nextval('rocktable_ids')"},
      {"{counters}",
       "CREATE TABLE IF NOT EXISTS rocktable_counters (name text, value bigint NOT NULL, PRIMARY KEY (name));"},
      {"{part_column}", ", part int NOT NULL"},
      {"{spread}", spread()},
      // Each node sends so many numbers.
      {"{counted}", "least($3::bigint, 100000)"},
      {"{in_part}", " AND part = $part::int"},
      {"{in_parts}", " AND part = ANY($part::int[])"},
      {"{, part}", ", part"},
      {"{, $part}", ", $part::int"},
      {"{, $parts}", ", $part::int[]"},
      {"{, n.part}", ", n.part"},
      {"{, moved part}", ", part # $part::int"},
  };
}

std::vector<std::string> citus_settings() {
  return {// With a plan for all values, a statement would go to all nodes.
          "SET plan_cache_mode = auto",
          // Connections to the other nodes, for one of a front end.
          "SET citus.max_adaptive_executor_pool_size = 1",
          // A node that is not there must not keep a connection for long.
          "SET citus.node_connection_timeout = 2000"};
}

std::string citus_guard() {
  return R"(
        SELECT 1 / count(*) FROM rocktable_tables
        WHERE account = $1::bytea AND name = $2::bytea AND id = $3::bigint)";
}

}  // namespace rocktable
