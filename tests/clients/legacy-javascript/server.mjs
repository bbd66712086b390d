// The server under test with clients of azure-storage, the SDK before @azure/data-tables. It takes callbacks;
// here its methods return promises.
import { promisify } from "node:util";
import storage from "azure-storage";
import { Server, startServer as startServerOf } from "../../support/server.mjs";

export { refused } from "../../support/server.mjs";
export const { TableBatch, TableQuery, TableUtilities } = storage;
export const { entityGenerator: edm, PayloadFormat } = TableUtilities;

export const startServer = () => startServerOf(ServerWithClients);

class ServerWithClients extends Server {
  client({ key = this.key } = {}) {
    return new Client(new storage.TableService(this.account, key, this.#hosts()));
  }

  // A client that may do what the signature (a query string) allows, and no more.
  clientWithSas(sas) {
    return new Client(new storage.TableService(null, null, this.#hosts(), sas));
  }

  accountSas(policy) {
    return storage.generateAccountSharedAccessSignature(this.account, this.key, { AccessPolicy: policy });
  }

  async newTable(client = this.client()) {
    const name = this.newTableName();
    await client.createTable(name);
    return name;
  }

  #hosts() {
    return { primaryHost: this.endpoint, secondaryHost: this.secondaryEndpoint };
  }
}

// Its methods answer with what the SDK's callbacks get first after the error: the result, else the response.
class Client {
  constructor(service) {
    this.service = service;
  }

  static {
    const kMethods = [
      ...["createTable", "createTableIfNotExists", "doesTableExist", "deleteTable", "deleteTableIfExists"],
      ...["listTablesSegmented", "listTablesSegmentedWithPrefix", "getTableAcl", "setTableAcl"],
      ...["insertEntity", "retrieveEntity", "replaceEntity", "mergeEntity", "deleteEntity"],
      ...["insertOrReplaceEntity", "insertOrMergeEntity", "queryEntities", "executeBatch"],
      ...["getServiceProperties", "setServiceProperties", "getServiceStats"],
    ];
    for (const method of kMethods) {
      Client.prototype[method] = function (...given) {
        return promisify(this.service[method]).apply(this.service, given);
      };
    }
  }
}
