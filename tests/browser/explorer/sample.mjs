// Sample data that shows something on each screen: a shop with orders, logs by day, queries of all classes,
// faults.
const kDay = 20261101;

const entity = (partition, row, more) => ({ PartitionKey: partition, RowKey: row, ...more });

// A property with its annotation.
export const typed = (name, type, value) => ({ [`${name}@odata.type`]: `Edm.${type}`, [name]: value });

const kItems = ["Bread", "Butter", "Cheese", "Coffee", "Honey", "Milk", "Olives", "Rice", "Tea", "Wine"];
const kCities = ["Berlin", "Hamburg", "Köln", "Leipzig", "München"];

function orders() {
  return Array.from({ length: 420 }, (_, i) =>
    entity(`de-${String(i % 12).padStart(2, "0")}`, String(i).padStart(5, "0"), {
      Item: kItems[i % 10],
      Price: i % 10 === 3 ? 12.5 : (((i * 37) % 900) + 99) / 100,
      Count: (i * 7) % 24,
      Paid: i % 3 !== 0,
      ...typed(
        "At",
        "DateTime",
        `2026-11-${String((i % 28) + 1).padStart(2, "0")}T${String(i % 24).padStart(2, "0")}:30:00Z`,
      ),
      ...(i % 4 === 0 && typed("Invoice", "Int64", String(9_007_199_254_740_993n + BigInt(i)))),
      ...(i % 5 === 0 && { Note: i % 10 === 0 ? "left at the door" : i }),
    }),
  );
}

function customers() {
  return Array.from({ length: 64 }, (_, i) =>
    entity("customer", String(i + 1000), {
      Name: ["Ada Lovelace", "Grace Hopper", "Emmy Noether", "Konrad Zuse"][i % 4],
      City: kCities[i % 5],
      ...typed("Id", "Guid", `c9da6455-213d-42c9-9a79-${String(i).padStart(12, "0")}`),
      ...typed("Photo", "Binary", Buffer.from(`photo of customer ${i}`).toString("base64")),
      ...(i === 2 && { Letter: "Dear Sir or Madam, ".repeat(1700) }),
    }),
  );
}

const documents = () =>
  Array.from({ length: 6 }, (_, i) =>
    entity("document", String(i), {
      Order: JSON.stringify({ number: i, items: kItems.slice(0, i).map((name) => ({ name, count: i })) }),
    }),
  );

const logs = (day) =>
  Array.from({ length: 4 + (day % 5) }, (_, i) =>
    entity("web", String(i).padStart(4, "0"), { Status: 200 + i }),
  );

export async function fillSample(server) {
  await fill(server, "customers", customers());
  await fill(server, "documents", documents());
  await fill(server, "orders", orders());
  await fill(server, "sessions", []);
  for (let day = kDay; day < kDay + 14; day += 1) await fill(server, `log${day}`, logs(day));
  await server.control("POST", "snapshots/seeded?replace=true");
  await ask(server);
}

async function fill(server, table, entities) {
  await server.createTable(table);
  for (const one of entities) await send(server, "POST", table, JSON.stringify(one));
}

async function send(server, method, resource, body) {
  const answer = await server.fetch(method, resource, {
    body,
    headers: { accept: "application/json;odata=nometadata" },
  });
  await answer.arrayBuffer();
}

// Requests for the screens of requests and of insight.
export async function ask(server) {
  const get = (resource) => send(server, "GET", resource);
  for (let i = 0; i < 12; i += 1) {
    await get(`orders()?$filter=${encodeURIComponent(`Price gt ${i}.5`)}`);
    await get(
      `orders()?$filter=${encodeURIComponent(`PartitionKey eq 'de-0${i % 10}' and RowKey ge '00100' and RowKey lt '00200'`)}`,
    );
    await get(`orders(PartitionKey='de-0${i % 10}',RowKey='${String(i).padStart(5, "0")}')`);
    await get(
      `customers()?$filter=${encodeURIComponent(`PartitionKey eq 'customer' and City eq '${kCities[i % 5]}'`)}`,
    );
  }
  await get("customers(PartitionKey='customer',RowKey='absent')");
  await get(`orders()?$filter=${encodeURIComponent("Price gt gt 3")}`);
}

// What the lab shows as switched on.
export async function switchOn(server) {
  await server.control("PUT", "behaviour", { throttle: [2000, 20_000], latency: [20, 0.8] });
  await server.control("POST", "faults", [
    {
      name: "busy",
      match: { operation: "InsertEntity", table: "orders" },
      when: { count: 2 },
      then: { status: 503 },
    },
    {
      name: "lost-answers",
      match: { operation: "Batch" },
      when: { probability: 0.1 },
      then: { at: "afterCommit", close: true },
    },
  ]);
}
