// A small shop on @azure/data-tables, in two designs. `planted` has three anti-patterns; `mended` does the same work as the
// findings advise.
import { TableClient } from "@azure/data-tables";

const kConnection = process.env.AZURE_STORAGE_CONNECTION_STRING;
const row = (number) => String(number).padStart(4, "0");

async function all(entities) {
  const found = [];
  for await (const entity of entities) found.push(entity);
  return found;
}

async function tableOf(name) {
  const table = TableClient.fromConnectionString(kConnection, name, { allowInsecureConnection: true });
  await table.createTable();
  return table;
}

export const planted = {
  open: tableOf,

  // Writes one by one.
  async addOrder(table, order, customer, lines) {
    await table.createEntity({ partitionKey: order, rowKey: "order", customer });
    for (let line = 0; line < lines; line += 1)
      await table.createEntity({ partitionKey: order, rowKey: row(line), amount: line });
  },

  // Reads one by one.
  async linesOf(table, order, lines) {
    const found = [];
    for (let line = 0; line < lines; line += 1) found.push(await table.getEntity(order, row(line)));
    return found;
  },

  // The customer is not in the keys.
  async ordersOf(table, customer) {
    const found = await all(table.listEntities({ queryOptions: { filter: `customer eq '${customer}'` } }));
    return found.map((entity) => entity.partitionKey);
  },
};

export const mended = {
  open: tableOf,

  // One transaction for the order and its lines, and a second entity under the customer.
  async addOrder(table, order, customer, lines) {
    const entities = [{ partitionKey: order, rowKey: "order", customer }];
    for (let line = 0; line < lines; line += 1)
      entities.push({ partitionKey: order, rowKey: row(line), amount: line });
    await table.submitTransaction(entities.map((entity) => ["create", entity]));
    await table.createEntity({ partitionKey: `customer-${customer}`, rowKey: order });
  },

  // A range of rows.
  async linesOf(table, order) {
    const filter = `PartitionKey eq '${order}' and RowKey ge '0' and RowKey lt 'a'`;
    return all(table.listEntities({ queryOptions: { filter } }));
  },

  async ordersOf(table, customer) {
    const filter = `PartitionKey eq 'customer-${customer}'`;
    const found = await all(table.listEntities({ queryOptions: { filter } }));
    return found.map((entity) => entity.rowKey);
  },
};
