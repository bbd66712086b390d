#include "storage/postgres/database/citus_sql.h"

namespace rocktable {
namespace {

// `command`: text of SQL that returns a number. Whether it is not 0 on a node, or the node does not answer.
std::string is_left_on_a_node(const std::string& command) {
  return "EXISTS (SELECT 1 FROM run_command_on_all_nodes(" + command + ") node WHERE NOT success OR result <> '0')";
}

// Ends the processes that work for a connection, on all nodes. A node that passes a statement on and ends may have sent
// it to another one just before. So only a second look, after nothing was found, is sure. PostgreSQL would look once
// for `x OR x`.
//
// A commit on several nodes has two phases. After the first no process works on it, and it can still be committed: the
// node that coordinates it decides within citus.recover_2pc_interval. The name of a prepared transaction begins with
// the group and the process of that node. The global number of a connection has the node, whose group must be known.
std::string end_work() {
  const std::string command = R"(format($command$
          SELECT (SELECT count(pg_terminate_backend(process_id))
                  FROM get_all_active_transactions() t JOIN pg_stat_activity a ON a.pid = t.process_id
                  WHERE t.global_pid = %1$s
                    AND (t.worker_query OR ({backend_start} = %2$s AND {server_start} = %3$s)))
               + (SELECT count(*) FROM pg_prepared_xacts
                  WHERE database = current_database() AND starts_with(gid, 'citus_%4$s_%5$s_'))
        $command$, $1::bigint, $2::bigint, $3::bigint,
        (SELECT groupid FROM {its_node}), $1::bigint % 10000000000))";
  const std::string is_left = is_left_on_a_node(command);
  return "SELECT 1 WHERE CASE WHEN NOT EXISTS (SELECT 1 FROM {its_node}) THEN true WHEN " + is_left +
         " THEN true ELSE " + is_left + " END";
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
DO $$
DECLARE refusal text;
BEGIN
  -- Of two that alter a database at once, one is refused.
  PERFORM pg_advisory_xact_lock(hashtext('rocktable: settings of the database'));
  SELECT result INTO refusal
    FROM unnest(ARRAY[)" +
         settings + R"(]) setting,
         run_command_on_all_nodes(format('ALTER DATABASE %I SET %s', current_database(), setting))
    WHERE NOT success LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION 'a node refuses a setting of the database: %', refusal; END IF;
END $$;
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
      {"{its_node}", "pg_dist_node WHERE nodeid = $1::bigint / 10000000000"},
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
          // Of a commit that a node does not confirm, Citus warns.
          "SET client_min_messages = warning",
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
