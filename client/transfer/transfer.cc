// Plans which table goes where, then transfers one table after another. Saves the state regularly.
#include "client/transfer/transfer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "base/input_file.h"
#include "base/text.h"
#include "client/table_client.h"
#include "client/table_listing.h"
#include "client/transfer/contents_id.h"
#include "client/transfer/entity_sink.h"
#include "client/transfer/entity_source.h"
#include "client/transfer/fingerprint.h"
#include "client/transfer/table_writer.h"
#include "client/transfer/transfer_state.h"
#include "odata/files/csv.h"
#include "odata/files/entity_fault.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCheckpointEntities = 20'000;  // entities that an interruption can cost
constexpr std::uint64_t kProgressEntities = 256;       // between two progress reports
constexpr std::chrono::seconds kLongPause{2};          // shorter pauses are not reported

// One table to transfer. A file name is empty if that end is an account.
struct Job {
  std::string table;
  std::string from_file, to_file;
  EntityFormat from_format = EntityFormat::Ndjson, to_format = EntityFormat::Ndjson;
};

std::string entities(std::uint64_t count) { return counted(count, "entity", "entities"); }

// Size and time of the file, to detect changes.
std::string file_stamp(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  return error ? "" : std::to_string(size) + " bytes at " + std::to_string(time);
}

// Keeps table names in messages readable, and rejects file names that are not table names.
void require_table_name(const std::string& name, const std::string& where) {
  if (!check_table_name(name))
    throw std::runtime_error(where + ": '" + name +
                             "' is not a table name: use 3 to 63 letters and digits, starting with a letter");
}

void require_regular_file(const std::string& file) {
  const std::string why = why_not_a_regular_file(file);
  if (!why.empty()) throw std::runtime_error(file + " cannot be read: " + why);
}

// Flushes entities that were added before a failure, and returns how many are written. If the sink itself
// failed, returns how many are known to be written.
std::uint64_t written_after_fault(EntitySink& sink) {
  try {
    sink.flush();
    return sink.written();
  } catch (const std::exception&) {
    return sink.written();
  }
}

class Transfer {
 public:
  Transfer(const TransferOptions& options, Progress& progress)
      : options_(options), progress_(progress), state_(state_file_of(options), parameters()) {}

  TransferSummary run();

 private:
  // --- The plan ---
  TransferState::Parameters parameters() const;
  void check_state();
  void check_ends();
  void check_contents();
  void check_last_entities();
  void check_last_entity(const TransferEndpoint& end, const std::string& table, const TableProgress& record);
  [[noreturn]] void refuse_to_resume(const std::string& why);
  std::vector<Job> plan();
  std::vector<Job> jobs_from_account();
  std::vector<std::string> list_tables();
  std::vector<Job> jobs_from_files() const;
  Job job_from_file(const std::string& file) const;
  void prepare_folder() const;

  // --- The work ---
  void run_job(const Job& job);
  void move(EntitySource& source, std::optional<Entity> first, EntitySink& sink, TableProgress& record);
  void show(const Job& job, const EntitySource& source, const EntitySink& sink, std::uint64_t before);
  void checkpoint(EntitySource& source, EntitySink& sink, std::uint64_t before, TableProgress& record);
  void finish(EntitySink& sink, std::uint64_t before, TableProgress& record);
  std::unique_ptr<EntitySource> open_source(const Job& job, const std::string& position);
  std::unique_ptr<EntitySource> open_target(const Job& job);  // for verification
  std::unique_ptr<EntitySink> open_sink(const Job& job, TableProgress& record, std::uint64_t maybe_written);
  std::uint64_t resume_table(const Job& job, TableProgress& record);
  std::vector<std::string> columns_of(const Job& job);
  void create_table(const std::string& name);
  void save_state();

  // --- The check ---
  void verify(const Job& job);
  Fingerprint fingerprint(EntitySource& source, const std::function<void()>& read);

  TableClient client_of(const TransferEndpoint& end) const { return TableClient(*end.account, options_.http); }
  std::unique_ptr<EntitySource> open_table(const TransferEndpoint& end, const std::string& table,
                                           const std::string& position);
  Pause pause();
  std::function<void(const std::string&, std::chrono::milliseconds)> report_pause();
  std::string done_so_far() const;
  bool can_resume() const;

  const TransferOptions& options_;
  Progress& progress_;
  TransferState state_;
  std::size_t jobs_left_ = 0;
  std::uint64_t written_ = 0;  // by this run, all tables
  std::uint64_t tables_ = 0;
  std::map<std::string, std::uint64_t> counts_;  // of tables that were read completely
  std::uint64_t read_ = 0;                       // of the current table
  std::function<void()> show_;                   // reports progress of the current table
  bool is_refused_ = false;                      // the same command would fail again
  std::string current_;
};

// --- The plan ----------------------------------------------------------------------------------------------

TransferState::Parameters Transfer::parameters() const {
  return {{"command", options_.command},
          {"from", name_of(options_.from)},
          {"to", name_of(options_.to)},
          {"filter", options_.filter},
          {"mode", std::string(method_of(options_.mode))},
          {"formulas", options_.escape_formulas ? "escaped" : ""},
          {"format", options_.format ? std::to_string(static_cast<int>(*options_.format)) : ""}};
}

void Transfer::check_state() {
  if (state_.is_foreign()) {
    is_refused_ = !options_.state_file.empty();
    if (is_refused_)
      throw std::runtime_error("the state " + options_.state_file +
                               " belongs to another transfer; remove it, or pass another file with --state");
    progress_.print_line("the state " + state_.file().string() + " belongs to another transfer and is ignored");
  }
  if (options_.restart) state_.restart();
}

void Transfer::check_ends() {
  if (!state_.is_enabled()) return;
  check_contents();
  // Otherwise a later attempt could resume from the state of another one.
  if (!state_.is_resumed()) return state_.remove();
  check_last_entities();
  progress_.print_line("resuming an earlier attempt, recorded in " + state_.file().string());
}

void Transfer::refuse_to_resume(const std::string& why) {
  is_refused_ = true;
  throw std::runtime_error(why + "; to start over, pass --restart or remove " + state_.file().string());
}

// The state of an earlier attempt refers to the data at that time. An emulator that was emptied or restarted
// without its data does not have it any more.
void Transfer::check_contents() {
  TransferState::ContentsIds now;
  for (const auto& [name, end] : {std::pair("from", &options_.from), std::pair("to", &options_.to)}) {
    if (!end->account) continue;
    if (auto id = contents_id_of(*end->account, options_.http, pause()); !id.empty()) now.emplace(name, std::move(id));
  }
  if (state_.is_resumed() && state_.contents() != now) {
    const auto of = [](const TransferState::ContentsIds& ids, const char* name) {
      const auto found = ids.find(name);
      return found == ids.end() ? std::string() : found->second;
    };
    const bool is_target = of(now, "to") != of(state_.contents(), "to");
    refuse_to_resume("cannot resume the earlier attempt: the data at " +
                     name_of(is_target ? options_.to : options_.from) + " was reset, restored or replaced since");
  }
  state_.set_contents(std::move(now));
}

// Covers endpoints without a contents id, and deleted tables: checks that the last entity of each table
// exists.
void Transfer::check_last_entities() {
  for (const auto& [table, record] : state_.tables()) {
    if (options_.to.account) check_last_entity(options_.to, table, record);
    if (options_.from.account && !record.done) check_last_entity(options_.from, table, record);
  }
}

void Transfer::check_last_entity(const TransferEndpoint& end, const std::string& table, const TableProgress& record) {
  if (!record.done && !record.last) return;
  TableClient client = client_of(end);
  const auto error_of = [&](const auto& ask) -> std::optional<TableError> {
    const auto answer = with_retries(RetryPolicy{}, pause(), ask);
    return answer ? std::nullopt : std::optional(answer.error());
  };
  std::optional<TableError> error;
  std::string what = "the table " + table;
  if (record.last) {
    what += " had the entity (" + quoted_for_message(record.last->partition_key) + ", " +
            quoted_for_message(record.last->row_key) + ")";
    error = error_of([&](int) { return client.get(table, *record.last); });
  } else {
    what += " existed";
    error = error_of([&](int) { return client.query(table, "", 1, {}); });
  }
  if (!error) return;
  refuse_to_resume("cannot resume the earlier attempt: " + what + " at " + name_of(end) +
                   ", and now the server returns: " + error->sentence());
}

std::vector<Job> Transfer::plan() {
  std::vector<Job> jobs = options_.from.account ? jobs_from_account() : jobs_from_files();
  for (const Job& job : jobs) require_table_name(job.table, "--table");
  return jobs;
}

std::vector<std::string> Transfer::list_tables() {
  TableClient client = client_of(options_.from);
  return list_all_tables(client, pause());
}

std::vector<Job> Transfer::jobs_from_account() {
  const auto tables = options_.tables.empty() ? list_tables() : options_.tables;
  const bool to_files = !options_.to.account;
  const bool to_one = to_files && (options_.to.path == "-" || is_file_path(options_.to.path));
  if (to_one && tables.size() != 1)
    throw std::runtime_error("cannot write " + std::to_string(tables.size()) + " tables to one file; pass a folder");
  const auto by_name = to_one ? format_of_file(options_.to.path) : std::nullopt;
  const EntityFormat format = options_.format.value_or(by_name.value_or(EntityFormat::Ndjson));
  const std::string ending = format == EntityFormat::Csv ? ".csv" : ".ndjson";
  std::vector<Job> jobs;
  for (const auto& table : tables) {
    Job job{table, {}, {}, {}, format};
    if (to_files) job.to_file = to_one ? options_.to.path : (fs::path(options_.to.path) / (table + ending)).string();
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Job Transfer::job_from_file(const std::string& file) const {
  Job job;
  job.from_file = file;
  job.from_format = options_.format.value_or(format_of_file(file).value_or(EntityFormat::Ndjson));
  job.table = fs::path(file).stem().string();
  return job;
}

std::vector<Job> Transfer::jobs_from_files() const {
  const std::string& path = options_.from.path;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    Job job = job_from_file(path);
    if (options_.tables.size() == 1) job.table = options_.tables.front();
    if (options_.tables.size() > 1) throw std::runtime_error("cannot read several tables from one file; pass a folder");
    if (path != "-") require_regular_file(path);  // first: the name of a missing folder need not be a table name
    require_table_name(job.table, path + " (--table sets another name)");
    return {job};
  }
  std::vector<Job> jobs;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto format = format_of_file(entry.path().filename().string());
    if (!format || (options_.format && format != options_.format)) continue;
    Job job = job_from_file(entry.path().string());
    const auto is_it = [&](const auto& table) { return equals_ignoring_case(table, job.table); };
    const auto& wanted = options_.tables;
    if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), is_it)) continue;
    require_table_name(job.table, job.from_file);
    require_regular_file(job.from_file);
    jobs.push_back(std::move(job));
  }
  if (error) throw std::runtime_error(path + " cannot be read: " + error.message());
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.from_file < b.from_file; });
  std::set<std::string> known;
  for (const Job& job : jobs)
    if (!known.insert(to_lower_ascii(job.table)).second)
      throw std::runtime_error(path + " has several files for the table " + job.table);
  for (const auto& table : options_.tables)
    if (!known.contains(to_lower_ascii(table)))
      throw std::runtime_error(std::string(path).append(" has no file for the table ").append(table));
  if (jobs.empty()) throw std::runtime_error(path + " has no file named TABLE.ndjson or TABLE.csv");
  return jobs;
}

void Transfer::prepare_folder() const {
  const std::string& path = options_.to.path;
  if (options_.to.account || path == "-" || is_file_path(path) || options_.dry_run) return;
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw std::runtime_error("the folder " + path + " cannot be created: " + error.message());
}

// --- Opening both ends -------------------------------------------------------------------------------------

std::function<void(const std::string&, std::chrono::milliseconds)> Transfer::report_pause() {
  return [this](const std::string& why, std::chrono::milliseconds time) {
    if (time >= kLongPause) progress_.print_line("retrying in " + std::to_string(time.count() / 1000) + " s: " + why);
  };
}

Pause Transfer::pause() {
  return [tell = report_pause()](const std::string& why, std::chrono::milliseconds time) {
    tell(why, time);
    std::this_thread::sleep_for(time);
    return true;
  };
}

std::unique_ptr<EntitySource> Transfer::open_table(const TransferEndpoint& end, const std::string& table,
                                                   const std::string& position) {
  return std::make_unique<TableSource>(client_of(end), table, options_.filter, RetryPolicy{}, pause(), position);
}

std::unique_ptr<EntitySource> Transfer::open_source(const Job& job, const std::string& position) {
  if (job.from_file.empty()) return open_table(options_.from, job.table, position);
  return std::make_unique<FileSource>(job.from_file, job.from_format, position);
}

std::unique_ptr<EntitySource> Transfer::open_target(const Job& job) {
  if (job.to_file.empty()) return open_table(options_.to, job.table, "");
  return std::make_unique<FileSource>(job.to_file, job.to_format);
}

// The first line of a CSV lists all columns, so all entities are read once to find them.
std::vector<std::string> Transfer::columns_of(const Job& job) {
  PropertyNames names;
  const auto source = open_source(job, "");
  std::uint64_t count = 0;
  while (const auto entity = source->next()) {
    const auto properties = view_of(entity->properties);
    names.add({entity->key.partition_key, entity->key.row_key, {}, properties});
    if (++count % kProgressEntities == 0) progress_.show("columns of " + job.table, count, std::nullopt);
  }
  counts_[job.table] = count;
  return names.names();
}

void Transfer::create_table(const std::string& name) {
  TableClient client = client_of(options_.to);
  const auto outcome = with_retries(RetryPolicy{}, pause(), [&](int) { return client.create_table(name); });
  if (outcome || outcome.error().code == "TableAlreadyExists") return;
  // Without the permission to create tables, writing to an existing table may still be permitted.
  if (outcome.error().code.starts_with("Authorization")) return;
  throw std::runtime_error("the table " + name + " cannot be created at " + name_of(options_.to) + ": " +
                           outcome.error().sentence());
}

std::unique_ptr<EntitySink> Transfer::open_sink(const Job& job, TableProgress& record, std::uint64_t maybe_written) {
  if (options_.dry_run) return std::make_unique<NullSink>();
  if (!job.to_file.empty()) {
    if (job.to_format == EntityFormat::Csv && record.bytes == 0) record.columns = columns_of(job);
    return std::make_unique<FileSink>(
        job.to_file, FileSinkOptions{job.to_format, record.columns, options_.escape_formulas, record.bytes});
  }
  create_table(job.table);
  TableWriterOptions options;
  options.connections = options_.connections;
  options.mode = options_.mode;
  options.policy.reached_before = true;
  options.maybe_written = maybe_written;
  options.on_pause = report_pause();
  options.on_wait = [this] { show_(); };
  return std::make_unique<TableWriter>([this] { return client_of(options_.to); }, job.table, std::move(options));
}

// Decides whether the progress of an earlier attempt is usable. Returns how many of the next entities that
// attempt may have written already.
std::uint64_t Transfer::resume_table(const Job& job, TableProgress& record) {
  std::uint64_t maybe_written = state_.is_resumed() ? 2 * kCheckpointEntities : 0;
  const std::string stamp = job.from_file.empty() ? "" : file_stamp(job.from_file);
  const bool file_is_lost = !job.to_file.empty() && FileSink::bytes_left_of(job.to_file) < record.bytes;
  const bool source_has_changed = record.entities > 0 && record.source != stamp;
  if (file_is_lost || source_has_changed) {
    maybe_written += record.entities;
    progress_.print_line(job.table + " starts over: " +
                         (source_has_changed ? job.from_file + " has changed" : job.to_file + ".partial is missing"));
    record = {};
  }
  record.source = stamp;
  return maybe_written;
}

// --- The work ----------------------------------------------------------------------------------------------

void Transfer::save_state() {
  try {
    state_.save();
  } catch (const std::runtime_error& error) {
    if (!options_.state_file.empty()) throw;
    progress_.print_line(std::string(error.what()) + "; an interrupted transfer cannot resume");
    state_.disable();
  }
}

void Transfer::checkpoint(EntitySource& source, EntitySink& sink, std::uint64_t before, TableProgress& record) {
  sink.flush();
  record.entities = before + sink.written();
  record.position = *source.position();
  if (const auto* file = dynamic_cast<FileSink*>(&sink)) record.bytes = file->bytes();
  save_state();
}

// Reports written entities, not queued ones. The fraction of a table is only known if columns_of() counted
// its entities.
void Transfer::show(const Job& job, const EntitySource& source, const EntitySink& sink, std::uint64_t before) {
  const auto* const writer = dynamic_cast<const TableWriter*>(&sink);
  const std::uint64_t done = writer != nullptr ? before + writer->written() : read_;
  const auto count = counts_.find(job.table);
  std::optional<double> fraction = source.fraction();
  if (count != counts_.end() && count->second > 0)
    fraction = static_cast<double>(read_) / static_cast<double>(count->second);
  if (fraction && read_ > 0) *fraction *= static_cast<double>(done) / static_cast<double>(read_);
  progress_.show(job.table, done, fraction);
}

void Transfer::move(EntitySource& source, std::optional<Entity> first, EntitySink& sink, TableProgress& record) {
  const std::uint64_t before = record.entities;
  std::uint64_t count = 0, recorded = 0;
  for (auto entity = std::move(first); entity; entity = source.next()) {
    sink.add(*entity);
    record.last = std::move(entity->key);
    ++read_;
    if (++count % kProgressEntities == 0) show_();
    if (count - recorded < kCheckpointEntities || !state_.is_enabled() || !source.position()) continue;
    checkpoint(source, sink, before, record);
    recorded = count;
  }
}

void Transfer::finish(EntitySink& sink, std::uint64_t before, TableProgress& record) {
  sink.flush();
  if (auto* file = dynamic_cast<FileSink*>(&sink)) file->finish();
  record.entities = before + sink.written();
  record.done = true;
  if (jobs_left_ > 0) save_state();
}

void Transfer::run_job(const Job& job) {
  current_ = job.table;
  TableProgress& record = state_.table(job.table);
  if (record.done) return;
  const std::uint64_t maybe_written = resume_table(job, record);
  const auto source = open_source(job, record.position);
  auto first = source->next();  // before open_sink(): a source that fails must not leave an empty table
  const auto sink = open_sink(job, record, maybe_written);
  if (options_.mode == WriteMode::Insert) save_state();
  const std::uint64_t before = record.entities;
  read_ = before;
  show_ = [&, before] { show(job, *source, *sink, before); };
  try {
    move(*source, std::move(first), *sink, record);
    finish(*sink, before, record);
  } catch (...) {
    written_ += written_after_fault(*sink);
    throw;
  }
  written_ += sink->written();
  ++tables_;
}

std::string Transfer::done_so_far() const {
  const std::string done = options_.dry_run ? "counted" : "written";
  return "; " + done + " so far: " + entities(written_) + (current_.empty() ? "" : ", up to the table " + current_);
}

// --- The check ---------------------------------------------------------------------------------------------

// Calls `read` after every kProgressEntities entities.
Fingerprint Transfer::fingerprint(EntitySource& source, const std::function<void()>& read) {
  Fingerprint out;
  while (const auto entity = source.next()) {
    out.add(*entity);
    if (out.count() % kProgressEntities == 0) read();
  }
  return out;
}

void Transfer::verify(const Job& job) {
  // If all is well, both sides have as many entities as were written.
  const std::uint64_t total = 2 * state_.table(job.table).entities;
  std::atomic<std::uint64_t> read = 0;
  const auto show = [&] {
    const std::uint64_t count = read += kProgressEntities;
    progress_.show("verifying " + job.table, count / 2,
                   total == 0 ? std::nullopt : std::optional(static_cast<double>(count) / static_cast<double>(total)));
  };
  auto there = std::async(std::launch::async, [&] { return fingerprint(*open_target(job), show); });
  const Fingerprint here = fingerprint(*open_source(job, ""), show);
  const Fingerprint other = there.get();
  if (here != other)
    throw std::runtime_error("the table " + job.table + " differs between the two sides: " + here.to_string() + " at " +
                             name_of(options_.from) + ", " + other.to_string() + " at " + name_of(options_.to));
  progress_.print_line("verified " + job.table + ": " + here.to_string() + " on both sides");
}

// Whether the same command can resume from the state.
bool Transfer::can_resume() const {
  std::error_code ignored;
  return state_.is_enabled() && !is_refused_ && fs::exists(state_.file(), ignored);
}

TransferSummary Transfer::run() {
  const auto start = std::chrono::steady_clock::now();
  try {
    check_state();
    const std::vector<Job> jobs = plan();
    check_ends();
    prepare_folder();
    jobs_left_ = jobs.size();
    for (const Job& job : jobs) {
      --jobs_left_;
      run_job(job);
    }
    state_.remove();
    TransferSummary out;
    out.entities = written_;
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const Job& job : jobs) out.tables.push_back({job.table, state_.table(job.table).entities});
    char time[32];
    std::snprintf(time, sizeof time, "%.1f s", out.seconds);
    progress_.print_line(std::string(options_.dry_run ? "counted, nothing written: " : "done: ") + entities(written_) +
                         " of " + counted(tables_, "table", "tables") + " from " + name_of(options_.from) + " to " +
                         name_of(options_.to) + " in " + time);
    current_.clear();
    if (options_.verify)
      for (const Job& job : jobs) verify(job);
    out.verified = options_.verify;
    return out;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + done_so_far() +
                             (can_resume() ? "; run the same command again to resume" : ""));
  }
}

}  // namespace

bool is_file_path(const std::string& path) {
  std::error_code error;
  return format_of_file(path).has_value() && !fs::is_directory(path, error);
}

std::string state_file_of(const TransferOptions& options) {
  if (options.dry_run) return {};
  if (!options.state_file.empty()) return options.state_file;
  const std::string& path = options.from.account ? options.to.path : options.from.path;
  if (path.empty() || path == "-") return {};
  const std::string name = ".rocktable-" + options.command + ".json";
  const bool is_file = options.from.account ? is_file_path(path) : !fs::is_directory(path);
  return is_file ? path + name : (fs::path(path) / name).string();
}

std::string name_of(const TransferEndpoint& end) { return end.account ? end.account->address() : end.path; }

TransferSummary run_transfer(const TransferOptions& options, Progress& progress) {
  return Transfer(options, progress).run();
}

}  // namespace rocktable
