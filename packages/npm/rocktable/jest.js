// A global set-up of Jest: one server for all tests of a run. Test files find it by connect(). Jest has no common state
// of set-up and tear-down, so the server ends with Jest's process.
"use strict";
const { start } = require("./start.js");

let server; // in watch mode, of the run before

function globalSetup(options) {
  return async () => {
    await server?.stop();
    server = await start(options);
    Object.assign(process.env, server.environment); // workers inherit it
  };
}

module.exports = globalSetup();
module.exports.globalSetup = globalSetup;
