// The live stream of requests into a log. It begins with the last ones that the server has. It connects again by
// itself, and goes on where it was; what the server did not send is a gap in the log.
import { ApiError, kNoAnswer, stream } from "../core/api.js";

const kAgainMs = 500;

export class RequestStream {
  #log;
  #onChange;
  #next = 0; // the number of the next request; 0 asks for the last ones that the server knows
  #connection = null; // the AbortController of what runs
  isConnected = false;
  error = null;

  constructor(log, onChange) {
    this.#log = log;
    this.#onChange = onChange;
  }

  // Does nothing if it is open.
  async open() {
    if (this.#connection) return;
    const connection = (this.#connection = new AbortController());
    while (this.#connection === connection) {
      this.error = null;
      await stream("requests/stream", {
        query: { since: this.#next },
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
    this.isConnected = false;
  }

  #ended(error) {
    this.isConnected = false;
    // While the server does not answer, core/api.js asks for it, and the screen is entered again when it
    // is back. What was refused stays refused until a person does something.
    const isOver = error instanceof ApiError && (error.status > 0 || error.message === kNoAnswer);
    if (isOver) {
      this.#connection = null;
      this.error = error.status > 0 ? error : null;
    }
    this.#onChange();
  }

  #take(type, data) {
    const value = JSON.parse(data);
    if (type === "start") this.#begin(value.next);
    else if (type === "gap") this.#missed(value.missed);
    else if (type === "request") {
      if (value.number < this.#next) this.#startedAgain();
      this.#next = value.number + 1;
      this.#log.add(value);
    }
    this.#onChange();
  }

  // A server that counts from the beginning is another one. All that it has is asked for.
  #begin(next) {
    this.isConnected = true;
    if (next >= this.#next) return;
    this.#startedAgain();
    this.close();
    this.open();
  }

  #startedAgain() {
    this.#log.addGap(0, "The server was started again");
    this.#next = 0;
  }

  #missed(missed) {
    if (this.#next > 0) this.#log.addGap(missed); // what was before the first line is not missing
  }
}
