// Asks a table the dear way, or as it is advised: `program.mjs TABLE seed|ask|advised`, with JSON on standard input.
// tests/clients/python/design/program.py is the same in Python, and says more.
import { readFileSync } from "node:fs";
import { odata, TableClient } from "@azure/data-tables";

const AsyncFunction = (async () => {}).constructor;

function entityOf(number) {
  return {
    partitionKey: `p${number % 3}`, rowKey: String(number).padStart(3, "0"), Number: number,
    Status: number % 75 === 0 ? "open" : "done", Customer: `c${number % 6}`, Age: number,
    Created: new Date(Date.UTC(2026, 10, 1, number)), IsOpen: number % 7 === 0,
  };
}

async function all(found) {
  const out = [];
  for await (const entity of found) out.push(entity);
  return out;
}

async function advised(table, { code, values, writes }) {
  const entities = Array.from({ length: 150 }, (_, number) => entityOf(number));
  const parsed = Object.entries(values).map(([name, value]) => [name, value?.time ? new Date(value.time) : value]);
  const scope = { table, odata, entities: entities.filter((one) => one.partitionKey === "p0"), ...Object.fromEntries(parsed) };
  const run = (text, more) => {
    const names = { ...scope, ...more };
    return new AsyncFunction(...Object.keys(names), text)(...Object.values(names));
  };
  const end = writes ? code.lastIndexOf("\n\n") : 0;
  if (writes) for (const entity of entities) await run(code.slice(0, end), { entity });
  const found = code.includes("const found") ? await all(await run(`${code.slice(end)}\nreturn found;`)) : await run(code) ?? [];
  console.log(JSON.stringify(found.map((entity) => entity.Number).sort((a, b) => a - b)));
}

const [name, step] = process.argv.slice(2);
const table = TableClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING, name, { allowInsecureConnection: true });
const given = JSON.parse(readFileSync(0, "utf8"));
if (step === "seed") {
  await table.createTable();
  for (const partition of [0, 1, 2])
    for (let number = partition; number < 150; number += 3) await table.upsertEntity(entityOf(number), "Replace");
} else if (step === "ask" && given.rows) {
  for (const row of given.rows) await table.getEntity("p0", row);
} else if (step === "ask") {
  await all(table.listEntities({ queryOptions: { filter: given.filter } }));
} else {
  await advised(table, given);
}
