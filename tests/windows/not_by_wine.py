"""A plugin of pytest: tests/protocol on the program for Windows by Wine (run.py --protocol).

Skips the tests that are about Linux, or need what Wine does not have, with the reason, and ends one that hangs.
"""
import signal
import threading

import pytest

SECONDS = 180  # of a test, of its fixtures, and of their end

# Reasons, and the beginnings of names: a file, or `FILE::TEST`.
NOT_BY_WINE = {
    "the command of `rocktable exec` is a program of Linux": (
        "test_exec.py", "test_exec_dev_storage.py", "test_exec_tls.py",
        "test_ci_guide.py", "test_cloud_host_names.py", "test_faults_guide.py", "test_insight_gate.py",
        "test_insight_guide.py", "test_readme.py",
        "test_configuration.py::test_exec_takes_the_file_and_no_variables",
        "test_configuration.py::test_of_an_option_of_exec_that_is_given_twice_the_last_counts",
        "test_configuration.py::test_a_server_inside_exec_does_not_ask_for_the_token_of_the_outer_one",
        "test_control_commands.py::test_inside_exec_nobody_is_asked",
        "test_fault_effects.py::test_a_rule_that_was_never_on_hit_nothing",
        "test_faults.py::test_exec_tells_which_rule_never_fired",
        "test_healthcheck.py::test_inside_exec_it_needs_no_flag",
        "test_identity.py::test_exec_leads_credentials_to_the_instance_and_nowhere_else",
        "test_identity.py::test_exec_without_an_identity_changes_nothing_about_credentials",
        "test_identity.py::test_the_client_id_of_one_of_the_identities_stays",
        "test_identity.py::test_tokens_for_curl",
        "test_json_output.py::test_the_reference_names_each_member",
        "test_permission_report.py::test_the_report_of_exec_tells_the_roles_of_its_command",
        "test_relay.py::test_exec_has_them_too",
        "test_start.py::test_a_command_with_a_server_of_its_own_says_nothing_of_it",
        "test_start.py::test_timeout_ends_the_server_of_a_command_in_order",
        "test_trace.py::test_exec_takes_it",
    ),
    "Azurite or a browser, or what stands in for it, is a program of Linux": ("test_beside.py", "test_open.py"),
    "--store is not in this program": (
        "test_citus_stand_in.py", "test_database_clock.py", "test_isolation_of_front_ends.py", "test_lost_answers.py",
        "test_operators_view.py", "test_shared_store.py", "test_silent_database.py", "test_write_groups.py",
    ),
    "it looks at modes of files; Wine shows an access control list as another mode": (
        "test_accounts.py::test_a_ready_file_with_keys_of_the_user_is_for_the_user_alone",
        "test_accounts.py::test_what_others_prepared_does_not_get_the_ready_file",
        "test_https.py::test_in_memory_the_location_holds_the_authority_alone",
        "test_identity.py::test_the_ready_file_is_only_for_its_owner_and_output_has_no_secret",
        "test_start.py::test_what_tells_of_requests_is_for_the_owner_alone",
        "test_user_delegation.py::test_revoked_keys_stay_revoked_and_others_do_not_notice",
    ),
    "it looks at the process in /proc, at its number, or at the signal that ended it": (
        "test_accounts.py::test_names_that_were_only_asked_for_take_no_memory",
        "test_command_line.py::test_the_ready_file",
        "test_compat.py::test_the_table_service_alone_prints_its_two_lines_and_opens_no_other_port",
        "test_compat.py::test_without_compat_there_is_one_port",
        "test_drop_in.py::test_a_tool_starts_it_and_finds_three_lines_and_three_ports",
        "test_drop_in.py::test_the_table_service_alone_is_a_word_too",
        "test_fault_effects.py::test_a_client_that_does_not_read_a_slow_answer_loses_its_connection",
        "test_fault_effects.py::test_slow_answers_hold_neither_threads_nor_others_and_end_with_their_clients",
        "test_https.py::test_clients_that_dawdle_are_closed",
        "test_migrate.py::test_a_migration_that_is_interrupted_says_so",
        "test_progress.py::test_who_ends_a_transfer_",
        "test_requests.py::test_a_closed_stream_leaves_no_connection",
        "test_start.py::test_a_later_signal_ends_the_server_at_once",
        "test_start_by_programs.py::test_an_input_that_has_ended_already_ends_it_after_the_start",
        "test_start_by_programs.py::test_the_first_line_is_the_ready_document",
    ),
    "it locks the store as programs of Linux do": (
        "test_snapshots.py::test_a_server_ends_where_its_store_cannot_be_opened_for_a_minute",
        "test_snapshots.py::test_a_stop_of_a_store_that_cannot_be_opened_loses_nothing",
        "test_snapshots.py::test_a_store_that_cannot_be_opened_is_not_ready_and_served_again_once_it_can_be",
    ),
    "it expects a path of Linux": (
        "test_migrate.py::test_the_guide_works_as_it_stands",
        "test_snapshots.py::test_a_damaged_snapshot_is_refused_with_the_name_of_the_file",
        "test_start.py::test_a_folder_for_the_debug_log_gets_a_file_and_that_is_said",
        "test_trace.py::test_a_file_that_cannot_be_written_ends_the_start",
        "test_trace.py::test_on_a_full_disk_requests_are_served_and_the_trace_stays_readable",
    ),
    "Wine knows no pipes or devices in folders of Linux, and shows a symbolic link as what it leads to": (
        "test_seed.py::test_a_link_that_leads_nowhere_is_refused",
        "test_seed.py::test_what_is_no_regular_file_is_refused",
        "test_transfer.py::test_a_link_in_place_of_an_unfinished_file_is_not_gone_on_with[symlink]",
        "test_transfer.py::test_a_prepared_link_is_not_written_through[symlink]",
        "test_transfer.py::test_a_state_that_is_a_pipe_is_refused",
    ),
    "it limits the size of files as Linux does": ("test_transfer.py::test_a_full_disk_is_told_with_what_was_written",),
    "Wine releases the locks of a program a moment after it was killed": (
        "test_seed.py::test_who_is_killed_while_seeding_leaves_an_empty_store_or_a_complete_one",
    ),
    "Wine does not tell which program holds a port": (
        "test_start.py::test_a_second_server_on_a_port_is_told_of_the_first",
        "test_start.py::test_a_taken_port_is_told_with_its_address_its_holder_and_the_way_out",
        "test_start.py::test_so_are_the_ports_of_the_other_services",
    ),
    "Wine does not tell of the end of a connection before the bytes ahead of it are read": (
        "test_https.py::test_a_scan_ends_when_its_client_hangs_up_over_https[alone-say_goodbye_and_close]",
        "test_https.py::test_a_scan_ends_when_its_client_hangs_up_over_https[pipelined-say_goodbye_and_close]",
        "test_https.py::test_a_scan_ends_when_its_client_hangs_up_behind_a_pipelined_request[close]",
    ),
    "the terminal of Wine moves its cursor for each character": (
        "test_command_line.py::test_help_is_as_wide_as_the_terminal",
        "test_control_commands.py::test_a_reset_at_a_terminal_names_what_goes_and_asks",
        "test_control_commands.py::test_a_restore_at_a_terminal_names_what_it_replaces",
        "test_control_commands.py::test_nobody_is_asked",
        "test_control_commands.py::test_the_variable_answers_where_it_is_true",
        "test_control_commands.py::test_what_a_reset_is_asked_for_has_its_reach",
        "test_progress.py::test_a_terminal_that_becomes_narrower_gets_shorter_lines",
        "test_progress.py::test_no_line_is_wider_than_the_terminal",
    ),
    "it takes minutes by Wine": (
        "test_migrate.py::test_entities_that_others_write_meanwhile_are_not_lost",
        "test_migrate.py::test_what_is_killed_at_any_moment_ends_as_if_it_had_run_once",
        "test_migrate_ways_out.py::test_an_abort_that_is_killed_at_any_moment_is_repeated",
        "test_migrate_ways_out.py::test_what_others_wrote_at_both_keys_is_not_overwritten",
        "test_report_logs.py::test_a_million_records_take_seconds_and_bounded_memory",
        "test_transfer.py::test_a_copy_that_was_killed_goes_on_by_its_state",
        "test_transfer.py::test_an_export_that_was_killed_goes_on_to_the_same_file",
        "test_transfer.py::test_large_entities_go_in_transactions_within_the_limit_of_the_service",
    ),
    "its OpenSSL has no RC2, as that of all packages": ("test_https.py::test_a_certificate_in_pfx_form[RC2]",),
    "a restore does not know links in the place of the store": (
        "test_snapshots.py::test_a_store_behind_a_link_is_restored_behind_it",
    ),
}


class Hangs(Exception):
    """A test takes too long."""


def pytest_collection_modifyitems(items):
    for item in items:
        name = f"{item.path.name}::{item.name}"
        for reason, beginnings in NOT_BY_WINE.items():
            if name.startswith(beginnings):
                item.add_marker(pytest.mark.skip(reason=f"by Wine: {reason}"))


def limited():
    if threading.current_thread() is not threading.main_thread():  # one of pytest-xdist, which gets no signals
        yield
        return

    def end(*_):
        raise Hangs(f"it takes more than {SECONDS} s")

    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup():
    yield from limited()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call():
    yield from limited()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown():
    yield from limited()
