// The live stream of requests into a log. It connects again by itself, and goes on where it was; what was
// missed then is a gap in the log.
import { ApiError, stream } from "../core/api.js";

const kAgainMs = 500;
const kForgetMs = 55_000; // the server records for a minute after somebody asked

export class RequestStream {
  #log;
  #onChange;
  #next = 0; // the number of the next request; 0 asks for all that the server knows
  #connection = null; // the AbortController of what runs
  #closedAt = 0;
  #wasAway = false; // so long that the server has recorded nothing
  isConnected = false;
  error = null;

  constructor(log, onChange) {
    this.#log = log;
    this.#onChange = onChange;
  }

  // Does nothing if it is open.
  async open({ isDetail }) {
    if (this.#connection) return;
    this.#wasAway = this.#closedAt > 0 && Date.now() - this.#closedAt > kForgetMs;
    const connection = (this.#connection = new AbortController());
    while (this.#connection === connection) {
      this.error = null;
      await stream("requests/stream", {
        query: { since: this.#next, ...(isDetail && { detail: "true" }) },
        signal: connection.signal,
        onEvent: (type, data) => {
          if (this.#connection === connection) this.#take(type, data);
        },
        onEnd: (error) => {
          if (this.#connection === connection) this.#ended(error);
        },
      });
      if (this.#connection === connection) await new Promise((resolve) => setTimeout(resolve, kAgainMs));
    }
  }

  close() {
    if (!this.#connection) return;
    this.#connection.abort();
    this.#connection = null;
    this.#closedAt = Date.now();
    this.isConnected = false;
  }

  #ended(error) {
    this.isConnected = false;
    // While the server does not answer, core/api.js asks for it, and the screen is entered again when it
    // is back. What was refused stays refused until a person does something.
    const isOver = error instanceof ApiError && (error.status > 0 || error.message.includes("reached"));
    if (isOver) {
      this.#connection = null;
      this.error = error.status > 0 ? error : null;
    }
    this.#onChange();
  }

  #take(type, data) {
    const value = JSON.parse(data);
    if (type === "start") this.isConnected = true;
    else if (type === "gap") this.#missed(value.missed);
    else if (type === "request") {
      // A server that counts from the beginning is another one.
      if (value.number < this.#next) this.#log.addGap(0, "The server was started again");
      this.#next = value.number + 1;
      this.#log.add(value);
    }
    this.#onChange();
  }

  #missed(missed) {
    if (this.#wasAway) this.#log.addGap(0, "Not recorded while this screen was closed");
    else if (this.#next > 0) this.#log.addGap(missed); // what was before the first line is not missing
    this.#wasAway = false;
  }
}
