// A program for the cloud: inserts an order for each line of standard input. Its argument is the class of its credential.
import { createInterface } from "node:readline";
import { TableClient } from "@azure/data-tables";
import * as identity from "@azure/identity";

const credential = new identity[process.argv[2]]();
const orders = new TableClient(process.env.TABLES_ENDPOINT, "orders", credential);
await orders.createTable();
for await (const id of createInterface({ input: process.stdin })) {
  const outcome = await orders.createEntity({ partitionKey: "p", rowKey: id }).then(
    () => "inserted",
    (error) => `${error.statusCode} ${error.code}`,
  );
  console.log(outcome);
}
