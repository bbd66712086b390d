// The newest requests that the page knows, and those of them that pass the filter. Lines between which
// requests are missing are gaps. While a person reads, the shown lines are held: new ones are counted, and
// change nothing.

// Entries are { id, request } or { id, missed, words }: `missed` requests are not known; 0 if nobody knows
// how many.
export class RequestLog {
  #capacity;
  #lastId = 0;
  #firstId = 1;
  #all = []; // the oldest first, as in #passing
  #passing = [];
  #passes = () => true;
  #held = null;
  #newRequests = 0;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  add(request) {
    const entry = { id: ++this.#lastId, request };
    this.#all.push(entry);
    if (this.#passes(request)) {
      this.#passing.push(entry);
      if (this.#held) this.#newRequests += 1;
    }
    this.#forget();
  }

  // Requests before all others, the oldest first. As many are taken as there is room for.
  addOlder(requests) {
    const room = Math.max(0, this.#capacity - this.#all.length);
    if (room === 0) return;
    const entries = requests.slice(-room).map((request) => ({ id: 0, request }));
    entries.forEach((entry, i) => (entry.id = this.#firstId - entries.length + i));
    this.#firstId -= entries.length;
    this.#all.unshift(...entries);
    this.#passing.unshift(...entries.filter(({ request }) => this.#passes(request)));
    if (this.#held) this.#held.unshift(...entries.filter(({ request }) => this.#passes(request)));
  }

  // The number of the oldest request; 0 if there is none.
  get oldest() {
    return this.#all.find(({ request }) => request)?.request.number ?? 0;
  }

  // Those that pass, the newest first.
  get entries() {
    return (this.#held ?? this.#passing).toReversed();
  }

  // Gaps that follow each other are one.
  addGap(missed, words = "") {
    const gap = { id: ++this.#lastId, missed, words };
    appendGap(this.#all, gap);
    appendGap(this.#passing, gap);
    this.#forget();
  }

  // A tenth at a time, because it moves all others.
  #forget() {
    if (this.#all.length <= this.#capacity) return;
    this.#all = this.#all.slice(this.#capacity / 10);
    const [{ id }] = this.#all;
    this.#passing = this.#passing.filter((entry) => entry.id >= id);
  }

  filterBy(passes) {
    this.#passes = passes;
    this.#passing = [];
    for (const entry of this.#all) {
      if (!entry.request) appendGap(this.#passing, entry);
      else if (passes(entry.request)) this.#passing.push(entry);
    }
    if (this.#held) this.hold();
  }

  clear() {
    this.#all = [];
    this.#passing = [];
    this.release();
  }

  // The lines stay as they are until release().
  hold() {
    this.#held = [...this.#passing];
    this.#newRequests = 0;
  }

  release() {
    this.#held = null;
    this.#newRequests = 0;
  }

  get isHeld() {
    return this.#held !== null;
  }

  // How many requests passed the filter since hold().
  get newRequests() {
    return this.#newRequests;
  }

  get total() {
    return this.#all.length;
  }

  get length() {
    return (this.#held ?? this.#passing).length;
  }

  // The line at `index`, the newest first.
  at(index) {
    const lines = this.#held ?? this.#passing;
    return lines[lines.length - 1 - index];
  }

  // The place of an entry among the lines, or -1.
  indexOf(entry) {
    let low = 0;
    let high = this.length - 1;
    while (entry && low <= high) {
      const middle = (low + high) >> 1;
      const { id } = this.at(middle);
      if (id === entry.id) return middle;
      if (id > entry.id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  // One JSON document a line, the oldest first.
  toNdjson() {
    const lines = [];
    for (let i = this.length - 1; i >= 0; i -= 1) {
      const { request, missed, words } = this.at(i);
      lines.push(JSON.stringify(request ?? { gap: { missed, ...(words && { words }) } }));
    }
    return lines.map((line) => `${line}\n`).join("");
  }
}

function appendGap(lines, gap) {
  const last = lines.at(-1);
  if (!last || last.request) lines.push(gap);
  else lines[lines.length - 1] = { ...gap, missed: last.missed + gap.missed, words: gap.words || last.words };
}
