// The server under test with clients of @azure/data-tables, without retries, so that every error shows at
// once.
import { TableClient, TableServiceClient } from "@azure/data-tables";
import { Server, startServer as startServerOf } from "../../support/server.mjs";

export { refused } from "../../support/server.mjs";

export const startServer = (options) => startServerOf(ServerWithClients, options);

class ServerWithClients extends Server {
  serviceClient(connectionString = this.connectionString) {
    return TableServiceClient.fromConnectionString(connectionString, clientOptions());
  }

  tableClient(name, connectionString = this.connectionString) {
    return TableClient.fromConnectionString(connectionString, name, clientOptions());
  }

  // Clients that may do what a shared access signature (a query string) allows, and no more.
  serviceClientWithSas(sas, endpoint = this.endpoint) {
    return new TableServiceClient(`${endpoint}?${sas}`, clientOptions());
  }

  tableClientWithSas(name, sas, endpoint = this.endpoint) {
    return new TableClient(`${endpoint}?${sas}`, name, clientOptions());
  }

  async newTable() {
    const client = this.tableClient(this.newTableName());
    await client.createTable();
    return client;
  }
}

// A new object each time: the SDK writes into it.
function clientOptions() {
  return { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
}

export async function collect(iterator) {
  const items = [];
  for await (const item of iterator) items.push(item);
  return items;
}
