// The newest requests that the page knows, and those of them that pass the filter. Lines between which
// requests are missing are gaps. While a person reads, the shown lines are held: new ones are counted, and
// change nothing.

// A queue that forgets its oldest without moving the others each time.
class Queue {
  #items = [];
  #head = 0;

  get length() {
    return this.#items.length - this.#head;
  }

  at(index) {
    return this.#items[this.#head + index];
  }

  get last() {
    return this.length ? this.#items[this.#items.length - 1] : undefined;
  }

  set last(item) {
    this.#items[this.#items.length - 1] = item;
  }

  push(item) {
    this.#items.push(item);
  }

  shift() {
    this.#items[this.#head++] = undefined;
    if (this.#head < 1024 || this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  toArray() {
    return this.#items.slice(this.#head);
  }
}

// Entries are { id, request } or { id, missed, words }: `missed` requests are not known; 0 if nobody knows
// how many.
export class RequestLog {
  #capacity;
  #lastId = 0;
  #all = new Queue();
  #passing = new Queue();
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
    if (this.#all.length > this.#capacity) this.#forgetOldest();
  }

  // Gaps that follow each other are one.
  addGap(missed, words = "") {
    const gap = { id: ++this.#lastId, missed, words };
    appendGap(this.#all, gap);
    appendGap(this.#passing, gap);
    if (this.#all.length > this.#capacity) this.#forgetOldest();
  }

  #forgetOldest() {
    this.#all.shift();
    const oldest = this.#all.at(0).id;
    while (this.#passing.length > 0 && this.#passing.at(0).id < oldest) this.#passing.shift();
  }

  filterBy(passes) {
    this.#passes = passes;
    this.#passing = new Queue();
    for (let i = 0; i < this.#all.length; i += 1) {
      const entry = this.#all.at(i);
      if (!entry.request) appendGap(this.#passing, entry);
      else if (passes(entry.request)) this.#passing.push(entry);
    }
    if (this.#held) this.hold();
  }

  clear() {
    this.#all = new Queue();
    this.#passing = new Queue();
    this.release();
  }

  // The lines stay as they are until release().
  hold() {
    this.#held = this.#passing.toArray();
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
    return lines.at(lines.length - 1 - index);
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

function appendGap(queue, gap) {
  const { last } = queue;
  if (!last || last.request) queue.push(gap);
  else queue.last = { id: gap.id, missed: last.missed + gap.missed, words: gap.words || last.words };
}
