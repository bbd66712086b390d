// Requests for the screen of requests: a stream that the test writes itself, for what no server does on demand;
// a server that is started again; and bytes that no client sends.
import { once } from "node:events";
import { connect, createServer } from "node:net";

// The page's connections to requests/stream become ones that push() writes to. Reloads the page at `address`.
export async function takeOverStream(page, address = "#/requests") {
  await page.addInitScript(() => {
    const real = window.fetch;
    window.connections = [];
    window.fetch = (url, options) => {
      if (!String(url).includes("requests/stream")) return real(url, options);
      const connection = { url: String(url), isOpen: true };
      const body = new ReadableStream({
        start: (controller) => (connection.controller = controller),
        cancel: () => (connection.isOpen = false),
      });
      options.signal?.addEventListener("abort", () => {
        connection.isOpen = false;
        connection.controller.error(new DOMException("aborted", "AbortError"));
      });
      window.connections.push(connection);
      return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    };
    window.pushEvents = (events) => {
      const { controller } = window.connections.at(-1);
      const text = events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
      controller.enqueue(new TextEncoder().encode(text));
    };
  });
  await page.goto(page.url().replace(/#.*$/, "") + address);
  await page.reload();
  await page.waitForFunction(() => window.connections.length > 0);
  return {
    push: (...events) => page.evaluate((list) => window.pushEvents(list), events),
    connections: () => page.evaluate(() => window.connections.map(({ url, isOpen }) => ({ url, isOpen }))),
  };
}

// A request as the server tells it.
export function request(number, changes = {}) {
  return {
    number, time: new Date(Date.UTC(2026, 10, 23, 10, 0, 0, number)).toISOString(),
    account: "devstoreaccount1", table: "orders", shapeTable: "orders", operation: "GetEntity", method: "GET",
    target: `/devstoreaccount1/orders(PartitionKey='de',RowKey='${number}')`,
    status: 200, code: null, plan: "point", entitiesScanned: 1, entitiesReturned: 1, bytesSent: 312,
    milliseconds: 0.12, client: "azsdk-js-data-tables/13.3.2",
    clientRequestId: "", requestId: `id-${number}`, fault: null, explanation: null, ...changes,
  };
}

// A port that leads to one server after another, as to one that was started again: to(server) breaks the
// connections.
export async function startDoor() {
  let target = null;
  const sockets = new Set();
  const door = createServer((socket) => {
    if (!target) return void socket.destroy();
    const inner = connect(Number(new URL(target.endpoint).port), "127.0.0.1");
    for (const one of [socket, inner]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => [socket, inner].forEach((both) => both.destroy()));
    }
    socket.pipe(inner).pipe(socket);
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  return {
    root: `http://127.0.0.1:${door.address().port}`,
    to: (server) => {
      target = server;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    stop: () => door.close(),
  };
}

// Sends bytes as they are, and returns the answer: what no client would send.
export async function sendRaw(server, text) {
  const socket = connect(Number(new URL(server.endpoint).port), "127.0.0.1");
  const received = [];
  socket.on("data", (data) => received.push(data));
  socket.end(Buffer.from(text, "latin1"));
  await once(socket, "close");
  return Buffer.concat(received).toString("latin1");
}
