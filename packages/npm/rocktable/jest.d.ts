import type { StartOptions } from "./index";

/** A global set-up of Jest: starts one server for all tests of a run, empty and in memory. Test files find it by
 * `connect()`. The server ends with Jest. */
declare function setup(): Promise<void>;

declare namespace setup {
  /** The same with options. */
  function globalSetup(options?: StartOptions): typeof setup;
}

export = setup;
