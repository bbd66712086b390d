# Included by RocksDB's own CMakeLists.txt (script/support/libraries.sh): of its library, leaves out what the store never
# calls, and compiles what runs rarely for size: half of the code. What a read or a write of an entity goes through stays
# compiled for speed; the names are those of RocksDB 7.8. Files of other versions that no name here matches are compiled
# for size.

# C interface, tools, tests, databases for reading only and for followers, caches and utilities that are not in use.
# The unit tests read options (utilities/options).
set(not_in_use
  ^db/c\\.cc ^db/db_impl/\(compacted_db_impl|db_impl_\(debug|readonly|secondary\)\) ^table/adaptive/
  ^table/sst_file_dumper ^test_util/.*testutil ^test_util/transaction_test_util ^tools/
  ^utilities/\(agg_merge|backup|blob_db|cache_dump_load|env_mirror|fault_injection|leveldb_options|memory|ttl\)
  ^utilities/\(option_change_migration|persistent_cache|simulator_cache|transactions/optimistic\)
  ^utilities/cassandra/cassandra_compaction_filter ^utilities/transactions/lock/range/
)

set(fast
  ^cache/\(cache_key|lru_cache|sharded_cache\)
  ^db/\(arena_wrapped_db_iter|db_iter|dbformat|log_writer|memtable|merge_helper|table_cache|write_\)
  ^db/range_ ^db/compaction/compaction_iterator ^db/db_impl/db_impl_write
  ^file/\(file_prefetch_buffer|random_access_file_reader|writable_file_writer\)
  ^memory/ ^memtable/\(alloc_tracker|skiplistrep|write_buffer_manager\)
  ^monitoring/\(instrumented_mutex|iostats_context|perf_\)
  ^table/block_based/\(binary|block|data_block|filter|flush|full|index|parsed|reader_common\)
  ^table/\(block_fetcher|format|get_context|iterator|merging_iterator|two_level_iterator\)
  ^util/\(cleanable|coding|comparator|crc32c|dynamic_bloom|hash|murmurhash|random|slice|status|thread_local|xxhash\)
)
set(not_fast ^table/block_based/block_based_table_factory)

function(matching out files)  # REGULAR_EXPRESSION...
  list(JOIN ARGN "|" expression)
  list(FILTER files INCLUDE REGEX "${expression}")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

function(divide_rocksdb)
  get_target_property(rare rocksdb SOURCES)
  matching(left_out "${rare}" ${not_in_use})
  matching(frequent "${rare}" ${fast})
  matching(exceptions "${frequent}" ${not_fast})
  list(REMOVE_ITEM frequent ${exceptions})
  list(REMOVE_ITEM rare ${left_out} ${frequent})

  # The fast ones are the first members of the archive: of a template that several files instantiate, the linker takes
  # the first.
  set_property(TARGET rocksdb PROPERTY SOURCES ${frequent})
  target_compile_options(rocksdb PRIVATE -fomit-frame-pointer -fno-align-jumps -fno-align-labels -fno-align-loops)
  add_library(rocksdb_rare OBJECT ${rare})
  target_compile_options(rocksdb_rare PRIVATE -Os)
  target_sources(rocksdb PRIVATE $<TARGET_OBJECTS:rocksdb_rare>)

  # RocksDB's authors test on Linux that its files can be compiled together (`make unity_test`).
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set_target_properties(rocksdb rocksdb_rare PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()
cmake_language(DEFER CALL divide_rocksdb)
