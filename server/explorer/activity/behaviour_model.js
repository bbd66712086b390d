// The behaviours of the service that can be switched on; their values between JSON and the fields of a form.

const value = (label, unit, start, { step = 1, isOptional = false, least = 0 } = {}) =>
  ({ label, unit, start, step, isOptional, least });

export const kBehaviours = [
  {
    name: "throttle",
    title: "Throttling",
    sentence: "Answers 503 ServerBusy when a partition or the account gets more entities in a second.",
    values: [
      value("Partition", "entities/s", 2000, { least: 1 }),
      value("Account", "entities/s", 20000, { least: 1 }),
    ],
  },
  {
    name: "retryAfter",
    title: "Retry-After",
    sentence: "Throttled answers say after how many seconds to try again.",
    values: [value("After", "s", 1)],
  },
  {
    name: "boundaries",
    title: "Short pages",
    sentence: "Pages end at partition keys, and every second one is empty.",
    values: [value("At up to", "keys", 4, { least: 1 })],
  },
  {
    name: "pageDeadline",
    title: "Page deadline",
    sentence: "A page ends after this time, whatever it has found.",
    values: [value("After", "ms", 100, { least: 1 })],
  },
  {
    name: "latency",
    title: "Latency",
    sentence: "Each answer comes later; with a spread, by a random delay around this median.",
    values: [
      value("Delay", "ms", 20, { step: "any" }),
      value("Spread", "sigma", 0, { step: "any", isOptional: true }),
    ],
  },
  {
    name: "deleteDelay",
    title: "Slow table deletion",
    sentence: "The name of a deleted table gets 409 TableBeingDeleted for a while.",
    values: [value("For", "s", 40)],
  },
  {
    name: "policyDelay",
    title: "Late access policies",
    sentence: "After a change, the access policies before it apply for a while.",
    values: [value("For", "s", 30)],
  },
  {
    name: "seed",
    title: "Seed",
    sentence: "Chooses the borders of short pages and the delays; the same seed, the same ones.",
    values: [value("Number", "", 1)],
  },
];

// The values of a behaviour as numbers; those that it starts with where the JSON has none.
export function valuesOf({ values }, json) {
  const list = json === undefined || json === true ? [] : [json].flat();
  return values.map(({ start }, i) => list[i] ?? start);
}

// What PUT behaviour takes. Optional values of 0 are left out.
export function jsonOf({ values }, numbers) {
  const list = numbers.slice(0, values.length);
  while (list.length > 1 && values[list.length - 1].isOptional && !list.at(-1)) list.pop();
  return list.length === 1 ? list[0] : list;
}

// The document after a change of one behaviour; `json` undefined switches it off.
export function withBehaviour(document_, name, json) {
  const { [name]: before, ...others } = document_;
  return json === undefined ? others : { ...others, [name]: json };
}
