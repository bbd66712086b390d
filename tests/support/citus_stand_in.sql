-- What a store on Citus uses of it, on one PostgreSQL: so its statements can be run where there is no Citus. For a new
-- schema or database; then `rocktable store schema --distributed`.
CREATE TABLE pg_dist_node (nodeid int, groupid int, shouldhaveshards bool);
INSERT INTO pg_dist_node VALUES (0, 0, true);
CREATE TABLE pg_dist_partition (logicalrelid regclass);
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION citus_backend_gpid() RETURNS bigint LANGUAGE sql AS 'SELECT pg_backend_pid()::bigint';
CREATE FUNCTION get_all_active_transactions(OUT process_id int, OUT worker_query bool, OUT global_pid bigint) RETURNS SETOF record
  LANGUAGE sql AS 'SELECT pid, false, pid::bigint FROM pg_stat_activity';
CREATE FUNCTION run_command_on_all_nodes(command text, OUT nodeid int, OUT success bool, OUT result text) RETURNS SETOF record
  LANGUAGE plpgsql AS $$
  BEGIN
    nodeid := 1;
    success := true;
    IF command LIKE 'ALTER DATABASE%' THEN
      EXECUTE command;
    ELSE
      EXECUTE command INTO result;
    END IF;
    RETURN NEXT;
  EXCEPTION WHEN OTHERS THEN
    success := false;
    result := SQLERRM;
    RETURN NEXT;
  END $$;
