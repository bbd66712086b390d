// A reporter for the test runner of node: one line of JSON for each test, {"name": "suite: test", "outcome": "passed"};
// other outcomes are "failed" and "skipped". Omits suites and files; older versions of the runner report files as tests.
export default async function* outcomes(events) {
  const path = []; // names of the suites around what is reported, by nesting
  for await (const { type, data } of events) {
    if (type === "test:start") path[data.nesting] = data.name;
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite" || isFile(data.name)) continue;
    const suites = path.slice(0, data.nesting).filter((name) => !isFile(name));
    const skipped = data.skip !== undefined || data.todo !== undefined;
    const outcome = skipped ? "skipped" : type === "test:pass" ? "passed" : "failed";
    yield `${JSON.stringify({ name: [...suites, data.name].join(": "), outcome })}\n`;
  }
}

function isFile(name) {
  return name.endsWith(".test.mjs");
}
