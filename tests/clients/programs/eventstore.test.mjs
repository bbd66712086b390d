// eventstore with its implementation for tables, over the legacy SDK: events, those not dispatched yet, and snapshots.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import eventstore from "eventstore";
import { startServer } from "../../support/server.mjs";

const server = await startServer();
after(() => server.stop());

// Its methods return promises.
async function openStore({ publisher, tables = server.newTableName("es"), ...options } = {}) {
  const store = eventstore({
    type: "azuretable",
    storageAccount: server.account,
    storageAccessKey: server.key,
    storageTableHost: server.endpoint,
    eventsTableName: `${tables}events`,
    undispatchedEventsTableName: `${tables}undispatched`,
    snapshotsTableName: `${tables}snapshots`,
    ...options,
  });
  if (publisher) store.useEventPublisher(publisher);
  await promisify(store.init).call(store);
  const call = (name) => promisify(store[name]).bind(store);
  return {
    tables,
    original: store,
    getEventStream: call("getEventStream"),
    getFromSnapshot: promisify((query, revMax, callback) =>
      store.getFromSnapshot(query, revMax, (error, snapshot, stream) => callback(error, { snapshot, stream })),
    ),
    createSnapshot: call("createSnapshot"),
    getEvents: call("getEvents"),
    getEventsSince: call("getEventsSince"),
    getEventsByRevision: call("getEventsByRevision"),
    getLastEvent: call("getLastEvent"),
    getLastEventAsStream: call("getLastEventAsStream"),
    getUndispatchedEvents: call("getUndispatchedEvents"),
    setEventToDispatched: call("setEventToDispatched"),
    getNewId: call("getNewId"),
    clear: promisify(store.store.clear.bind(store.store)),
    // Adds events with these payloads to the end of the stream.
    async append(query, ...payloads) {
      const stream = await call("getEventStream")(query);
      stream.addEvents(payloads);
      await promisify(stream.commit).call(stream);
      await sleep(2); // the program orders commits by milliseconds
      return stream;
    },
  };
}

const payloads = (events) => events.map((event) => event.payload);
const revisions = (events) => events.map((event) => event.streamRevision);
const newQuery = (more = {}) => ({ aggregateId: randomUUID(), aggregate: "person", context: "hr", ...more });

describe("eventstore", () => {
  let es;
  before(async () => {
    es = await openStore();
  });

  it("opens tables that are there", async () => {
    const query = newQuery();
    await es.append(query, { first: true });
    const again = await openStore({ tables: es.tables });
    assert.deepEqual(payloads((await again.getEventStream(query)).events), [{ first: true }]);
  });

  it("a stream that nobody wrote is empty", async () => {
    const stream = await es.getEventStream(newQuery());
    assert.deepEqual(stream.events, []);
    assert.equal(stream.lastRevision, -1);
  });

  it("a stream keeps what is committed, in order", async () => {
    const query = newQuery();
    await es.append(query, { name: "Zoë's \"東京\"" }, { list: [1, { a: null }] });
    const stream = await es.append(query, { third: 3 });
    assert.equal(stream.lastRevision, 2);
    const read = await es.getEventStream(query);
    assert.deepEqual(payloads(read.events), [{ name: "Zoë's \"東京\"" }, { list: [1, { a: null }] }, { third: 3 }]);
    assert.deepEqual(revisions(read.events), [0, 1, 2]);
    assert.ok(read.events.every((event) => event.commitStamp instanceof Date && event.context === "hr"));
  });

  it("a stream is read by its id alone, whatever that is", async () => {
    const aggregateId = `it's ${randomUUID()} é&+%`;
    await es.append(aggregateId, { here: true });
    assert.deepEqual(payloads((await es.getEventStream(aggregateId)).events), [{ here: true }]);
  });

  it("a part of a stream is read by revision", async () => {
    const query = newQuery();
    await es.append(query, ...Array.from({ length: 9 }, (_, i) => ({ i })));
    assert.deepEqual(revisions((await es.getEventStream(query, 3, 7)).events), [3, 4, 5, 6]);
    assert.deepEqual(revisions((await es.getEventStream(query, 5, -1)).events), [5, 6, 7, 8]);
    assert.deepEqual(revisions(await es.getEventsByRevision(query, 0, 2)).sort(), [0, 1]);
  });

  it("aggregates and contexts divide streams of one id", async () => {
    const aggregateId = randomUUID();
    await es.append({ aggregateId, aggregate: "person", context: "hr" }, { a: 1 });
    await es.append({ aggregateId, aggregate: "person", context: "sales" }, { b: 2 });
    assert.deepEqual(payloads((await es.getEventStream({ aggregateId, context: "sales" })).events), [{ b: 2 }]);
    assert.equal((await es.getEventStream({ aggregateId, aggregate: "person" })).events.length, 2);
  });

  it("events are read page by page", async () => {
    const query = newQuery();
    // In one commit: the program takes pages in the order of keys, and those of two commits are in no order.
    await es.append(query, ...Array.from({ length: 5 }, (_, i) => ({ i })));
    const first = await es.getEvents(query, 0, 2);
    assert.deepEqual(payloads(first), [{ i: 0 }, { i: 1 }]);
    const second = await promisify(first.next)();
    assert.deepEqual(payloads(second), [{ i: 2 }, { i: 3 }]);
    assert.deepEqual(payloads(await es.getEvents(query, 4, -1)), [{ i: 4 }]);
  });

  it("events are read since a moment", async () => {
    const own = await openStore();
    const query = newQuery();
    await own.append(query, { early: true });
    const since = new Date();
    await own.append(query, { late: true });
    assert.deepEqual(payloads(await own.getEventsSince(since, 0, -1)), [{ late: true }]);
    assert.equal((await own.getEventsSince(new Date(2001, 0, 1), 0, -1)).length, 2);
    assert.equal((await own.getEvents({}, 0, -1)).length, 2);
  });

  it("the last event of a stream is found", async () => {
    const query = newQuery();
    await es.append(query, { i: 0 });
    await es.append(query, { i: 1 });
    assert.deepEqual((await es.getLastEvent(query)).payload, { i: 1 });
    const stream = await es.getLastEventAsStream(query);
    assert.deepEqual(payloads(stream.events), [{ i: 1 }]);
    assert.equal(stream.lastRevision, 1);
  });

  it("events stay undispatched until they are set to dispatched", async () => {
    const query = newQuery({ context: `context ${randomUUID()}` });
    const stream = await es.append(query, { i: 0 }, { i: 1 });
    assert.equal(stream.eventsToDispatch.length, 2);
    const waiting = await es.getUndispatchedEvents(query.aggregateId);
    assert.deepEqual(revisions(waiting).sort(), [0, 1]);
    await es.setEventToDispatched(waiting[0]);
    assert.equal((await es.getUndispatchedEvents({ context: query.context })).length, 1);
    await es.setEventToDispatched(waiting[1].id);
    assert.deepEqual(await es.getUndispatchedEvents(query.aggregateId), []);
    assert.equal((await es.getEventStream(query)).events.length, 2);
  });

  it("a publisher gets each event, and what it got is dispatched", async () => {
    const published = [];
    const own = await openStore({ publisher: (event, callback) => callback(published.push(event) && null) });
    const query = newQuery();
    await own.append(query, { i: 0 }, { i: 1 });
    const deadline = Date.now() + 10_000;
    while ((await own.getUndispatchedEvents()).length > 0 && Date.now() < deadline) await sleep(5);
    assert.deepEqual(published, [{ i: 0 }, { i: 1 }]);
    assert.deepEqual(await own.getUndispatchedEvents(), []);
  });

  it("a stream goes on from its last snapshot", async () => {
    const query = newQuery();
    await es.append(query, { i: 0 }, { i: 1 }, { i: 2 });
    await es.createSnapshot({ ...query, data: { sum: 3, text: "é" }, revision: 2, version: 1 });
    await es.append(query, { i: 3 });
    const { snapshot, stream } = await es.getFromSnapshot(query, -1);
    assert.deepEqual(snapshot.data, { sum: 3, text: "é" });
    assert.deepEqual([snapshot.revision, snapshot.version], [2, 1]);
    assert.deepEqual(payloads(stream.events), [{ i: 3 }]);
    assert.equal(stream.lastRevision, 3);
  });

  it("of snapshots the last one within a revision counts", async () => {
    const query = newQuery();
    for (const revision of [1, 3, 5]) {
      await es.append(query, { revision: revision - 1 }, { revision });
      await es.createSnapshot({ ...query, data: { revision }, revision });
      await sleep(2);
    }
    assert.equal((await es.getFromSnapshot(query, -1)).snapshot.revision, 5);
    const { snapshot, stream } = await es.getFromSnapshot(query, 5);
    assert.equal(snapshot.revision, 5);
    assert.deepEqual(stream.events, []);
    assert.equal((await es.getFromSnapshot(query, 4)).snapshot.revision, 3);
    assert.equal((await es.getFromSnapshot(newQuery(), -1)).snapshot, undefined);
  });

  it("ids are new each time", async () => {
    assert.notEqual(await es.getNewId(), await es.getNewId());
  });

  it("a store is cleared", async () => {
    const own = await openStore();
    const query = newQuery();
    await own.append(query, ...Array.from({ length: 5 }, (_, i) => ({ i })));
    await own.createSnapshot({ ...query, data: {}, revision: 4 });
    await own.clear();
    assert.equal((await own.getEvents({}, 0, -1)).length, 0);
    assert.deepEqual(await own.getUndispatchedEvents(), []);
    assert.equal((await own.getFromSnapshot(query, -1)).snapshot, undefined);
  });
});
