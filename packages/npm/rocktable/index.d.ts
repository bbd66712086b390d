/// <reference lib="esnext.disposable" />

/** An account of a server. Accounts share no data. */
export interface Account {
  name: string;
  /** Base64. */
  key: string;
  /** The URL of the table service of this account, such as `http://127.0.0.1:41441/t0f1e2d3c`. */
  endpoint: string;
  connectionString: string;
}

/** A snapshot of all data of a server. */
export interface Snapshot {
  name: string;
  tables: number;
  /** The size on disk. */
  bytes: number;
  /** ISO 8601, in UTC. */
  taken: string;
}

/** The control API of the server has refused a request. `message` is the sentence of the server. */
export class ControlError extends Error {
  /** The HTTP status. */
  readonly status: number;
}

/** A server that runs. */
export interface Server {
  /** Of the server's first account, or of the option `account`. Clients of `@azure/data-tables` need the option
   * `allowInsecureConnection: true` with it, unless the server uses HTTPS. */
  readonly connectionString: string;
  /** The URL of the table service of the same account. */
  readonly endpoint: string;
  /** Without an account: `http://127.0.0.1:41441`. */
  readonly url: string;
  readonly port: number;
  /** The file of the authority that clients must trust; only with `tls: "auto"`. */
  readonly certificateAuthority?: string;
  /** The variables by which other processes find this server: those that `rocktable exec` sets. `connect()` uses them.
   * With `tls: "auto"`, `NODE_EXTRA_CA_CERTS` is the authority; Node reads it when it starts. */
  readonly environment: Record<string, string>;

  /** Makes an account with a new name, for one test. It begins as a copy of `template`; without it, as a copy of the
   * account that was seeded; `null`, or a server without seed: empty. Do not write to the account that is copied.
   * @throws {ControlError} 404: the template has no tables. */
  account(options?: { template?: string | null }): Promise<Account>;
  /** Deletes all tables and settings; of one account; or all entities of one table. */
  reset(options?: { account?: string; table?: string }): Promise<void>;
  /** Takes a snapshot of everything.
   * @throws {ControlError} 409: it exists already, and `replace` is not true. */
  snapshot(name: string, options?: { replace?: boolean }): Promise<Snapshot>;
  /** Restores a snapshot. It stays, so it can be restored again.
   * @throws {ControlError} 404: there is no such snapshot. */
  restore(name: string): Promise<void>;
  /** Costs of all requests since the start, as in `GET /_rocktable/stats`. */
  stats(): Promise<Record<string, unknown>>;
}

/** A server that this process has started. It ends with this process, also if that is killed, and does not keep it
 * running. */
export interface StartedServer extends Server {
  /** Stops the server and waits for its end. Rejects if it did not end in order, with the reason. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A value of an option: `true` sets a flag, `false` and `undefined` leave the option out, a list repeats it. */
export type OptionValue = string | number | boolean | URL | undefined | readonly (string | number | URL)[];

export interface StartOptions {
  /** A file `TABLE.ndjson` or `TABLE.csv`, or a folder of them: the tables at the start. */
  seed?: string | URL;
  /** The account of `connectionString`, which `seed` fills. Default: `devstoreaccount1`. */
  account?: string;
  /** The account that `account()` copies. Needed if `seed` fills several. */
  template?: string;
  /** The folder that keeps the data. Default: they are kept in memory. */
  location?: string | URL;
  /** HTTPS with a certificate of a local authority. */
  tls?: "auto";
  /** Default: a free port. */
  tablePort?: number;
  /** Any account name works, with the well-known key; account() needs it. Default: true. */
  anyAccount?: boolean;
  /** More words of the command line. */
  args?: readonly string[];
  /** All other options of the program, by their names without dashes: `rocktable --help` lists them. Except `silent`,
   * `readyFile` and `stopAtInputEnd`, which start() sets. Relative paths begin at the current folder. */
  [option: string]: OptionValue | readonly string[];
}

/** Starts a server: empty and in memory, on a free port. Variables ROCKTABLE_... have no effect on it, except
 * ROCKTABLE_BINARY: the program to start instead of the installed one.
 * @throws {Error} with the sentence of the program, if it cannot start. */
export function start(options?: StartOptions): Promise<StartedServer>;

/** Finds the server of a global set-up (rocktable/vitest, rocktable/jest), of `rocktable exec`, or of another process
 * that has set the variables in `environment`.
 * @param options.template The account that `account()` copies. Default: that of the global set-up.
 * @throws {Error} if there is none. */
export function connect(options?: { template?: string }): Server;
