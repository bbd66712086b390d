// A global set-up of Vitest: one server for all tests of a run. Test files find it by connect().
"use strict";
const { start } = require("./start.js");

function globalSetup(options) {
  return async () => {
    const server = await start(options);
    Object.assign(process.env, server.environment); // workers inherit it
    return () => server.stop();
  };
}

module.exports = globalSetup();
module.exports.globalSetup = globalSetup;
