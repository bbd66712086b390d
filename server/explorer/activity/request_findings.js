// The findings of insight, so that a line can say which of them its request caused.
import { control } from "../core/api.js";
import { isOfFinding } from "./request_filter.js";

const kAgainMs = 5000;

export class RequestFindings {
  #byTable = new Map();
  #isLoading = false;
  #loadedAt = -Infinity;
  version = 0; // changes with each answer that differs

  // Asks the server, unless it was asked a moment ago. Returns whether something changed. Without an answer the lines
  // have no findings: others say that the server does not answer.
  async load() {
    if (this.#isLoading || performance.now() - this.#loadedAt < kAgainMs) return false;
    this.#isLoading = true;
    try {
      const { findings } = await control("GET", "queries");
      const text = JSON.stringify(findings);
      if (text === this.text) return false;
      this.text = text;
      this.#byTable = Map.groupBy(findings, ({ table }) => table);
      this.version += 1;
      return true;
    } catch {
      return false;
    } finally {
      this.#isLoading = false;
      this.#loadedAt = performance.now();
    }
  }

  // The names of those that the request is one of.
  of(request) {
    const { account } = request;
    const own = [...(this.#byTable.get(request.shapeTable) ?? []), ...(this.#byTable.get("*") ?? [])];
    const ids = own.filter((one) => one.account === account && isOfFinding(one, request)).map(({ id }) => id);
    return [...new Set(ids)];
  }
}
