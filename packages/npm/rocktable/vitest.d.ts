import type { StartOptions } from "./index";

/** A global set-up of Vitest: starts one server for all tests of a run, empty and in memory. Test files find it by
 * `connect()`. */
declare function setup(): Promise<() => Promise<void>>;

declare namespace setup {
  /** The same with options. */
  function globalSetup(options?: StartOptions): typeof setup;
}

export = setup;
