// CommonJS, so that `import` and `require` load the same module, also in Node 18 and in Jest.
"use strict";
const { ControlError, Server, accountOf } = require("./server.js");
const { start } = require("./start.js");

// Finds the server by the variables that a global set-up or `rocktable exec` has set.
function connect({ template = process.env.ROCKTABLE_TEMPLATE } = {}) {
  const url = process.env.ROCKTABLE_URL;
  if (!url)
    throw new Error(
      "there is no server: ROCKTABLE_URL is not set; use the global set-up rocktable/vitest or rocktable/jest, " +
        "or run the tests by `rocktable exec --anyAccount -- COMMAND`",
    );
  const connectionString = process.env.AZURE_TABLES_CONNECTION_STRING ?? "";
  // It may name an account in the cloud.
  if (!connectionString.includes(`TableEndpoint=${url}/`))
    throw new Error(`AZURE_TABLES_CONNECTION_STRING names another service than ROCKTABLE_URL, ${url}`);
  return new Server({
    account: accountOf(connectionString),
    templates: (template ?? "").split(",").filter(Boolean),
    certificateAuthority: process.env.ROCKTABLE_CA_FILE,
    controlToken: process.env.ROCKTABLE_CONTROL_TOKEN,
  });
}

module.exports = { ControlError, connect, start };
