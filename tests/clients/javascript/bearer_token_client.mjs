// Makes the table TABLE at ENDPOINT in version VERSION with a credential that hands out TOKENS, the last again and again; prints what it
// found, or the status of the refusal. For bearer_token.test.mjs.
import { TableClient } from "@azure/data-tables";

const { ENDPOINT, TABLE, VERSION } = process.env;
const tokens = process.env.TOKENS.split(" ");
let given = 0;
const credential = {
  async getToken() {
    const token = tokens[Math.min(given, tokens.length - 1)];
    given += 1;
    return { token, expiresOnTimestamp: Date.now() + 86_400_000 };
  },
};
const options = { retryOptions: { maxRetries: 0 }, version: VERSION };
const table = new TableClient(ENDPOINT, TABLE, credential, options);

async function use() {
  await table.createTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r" });
  const rows = Array.from({ length: 100 }, (_, i) => ["create", { partitionKey: "p", rowKey: `${i}` }]);
  await table.submitTransaction(rows);
  let count = 0;
  for await (const _ of table.listEntities()) count += 1;
  const policies = await table.getAccessPolicy().then(
    () => 200,
    (error) => error.statusCode,
  );
  await table.deleteTable();
  return `${count} entities, policies ${policies}, ${given > 1 ? "asked for another token" : "one token"}`;
}

console.log(await use().catch((error) => error.statusCode ?? error.message));
