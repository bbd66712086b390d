// Makes the table TABLE, fills it and reads it, with the account key of CONNECTION_STRING, or with the signature in URL
// where there is one; prints how many entities it found. For https.test.mjs.
import { TableClient } from "@azure/data-tables";

const { CONNECTION_STRING, TABLE, URL: url } = process.env;
const options = { retryOptions: { maxRetries: 0 } };
const table = url
  ? new TableClient(url, TABLE, options)
  : TableClient.fromConnectionString(CONNECTION_STRING, TABLE, options);

await table.createTable();
await table.createEntity({ partitionKey: "p", rowKey: "r", text: "ä".repeat(20_000) });
const rows = Array.from({ length: 100 }, (_, i) => ["create", { partitionKey: "p", rowKey: `${i}` }]);
await table.submitTransaction(rows);
let count = 0;
for await (const _ of table.listEntities()) count += 1;
await table.deleteTable();
console.log(`${count} entities`);
