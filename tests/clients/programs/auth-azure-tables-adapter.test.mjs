// @auth/azure-tables-adapter: users, accounts, sessions and tokens of Auth.js in one table.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { TableStorageAdapter } from "@auth/azure-tables-adapter";
import { TableClient } from "@azure/data-tables";
import { refused, startServer } from "../../support/server.mjs";

const server = await startServer();
after(() => server.stop());

const kHour = 3_600_000;
const inHours = (hours) => new Date(Date.now() + hours * kHour);

describe("@auth/azure-tables-adapter", () => {
  let adapter;
  before(async () => {
    const table = TableClient.fromConnectionString(server.connectionString, server.newTableName("auth"), {
      allowInsecureConnection: true,
    });
    await table.createTable();
    adapter = TableStorageAdapter(table);
  });

  const newUser = (name = "Zoë O'Neil") =>
    adapter.createUser({
      name,
      email: `${randomUUID()}+test@example.org`,
      emailVerified: new Date(1_600_000_000_123),
      image: "https://example.org/zoë.png",
    });
  const newAccount = async (user, provider = "github") => {
    const account = { userId: user.id, type: "oauth", provider, providerAccountId: randomUUID(), access_token: "secret" };
    return adapter.linkAccount(account);
  };
  const newSession = (user, expires = inHours(1)) =>
    adapter.createSession({ sessionToken: randomUUID(), userId: user.id, expires });

  it("a user is found by id and by email, as it was created", async () => {
    const user = await newUser();
    assert.deepEqual({ ...(await adapter.getUser(user.id)) }, user);
    assert.deepEqual({ ...(await adapter.getUserByEmail(user.email)) }, user);
  });

  it("a user whose email is not verified has no date", async () => {
    const user = await adapter.createUser({ email: `${randomUUID()}@example.org`, emailVerified: null });
    assert.equal((await adapter.getUser(user.id)).emailVerified ?? null, null);
  });

  it("who is not there is null", async () => {
    assert.equal(await adapter.getUser(randomUUID()), null);
    assert.equal(await adapter.getUserByEmail("nobody@example.org"), null);
    assert.equal(await adapter.getUserByAccount({ provider: "github", providerAccountId: "0" }), null);
    assert.equal(await adapter.getSessionAndUser(randomUUID()), null);
    assert.equal(await adapter.deleteSession(randomUUID()), null);
    assert.equal(await adapter.deleteUser(randomUUID()), null);
  });

  it("an email belongs to one user", async () => {
    const { email } = await newUser();
    await refused(adapter.createUser({ email, name: "other" }), 409, "EntityAlreadyExists");
  });

  it("a user is updated, and keeps what is not named", async () => {
    const user = await newUser();
    const updated = await adapter.updateUser({ id: user.id, name: "Владимир" });
    assert.equal(updated.name, "Владимир");
    const read = await adapter.getUser(user.id);
    assert.equal(read.name, "Владимир");
    assert.equal(read.email, user.email);
    assert.deepEqual(read.emailVerified, user.emailVerified);
  });

  it("a user who is not there cannot be updated", async () => {
    await refused(adapter.updateUser({ id: randomUUID(), name: "x" }), 404, "ResourceNotFound");
  });

  it("a user is found by a linked account, until it is unlinked", async () => {
    const user = await newUser();
    const account = await newAccount(user);
    assert.equal((await adapter.getUserByAccount(account)).id, user.id);
    await adapter.unlinkAccount(account);
    assert.equal(await adapter.getUserByAccount(account), null);
  });

  it("an account is linked once", async () => {
    const user = await newUser();
    const account = await newAccount(user);
    assert.equal(await adapter.linkAccount(account), null);
  });

  it("a session brings its user", async () => {
    const user = await newUser();
    const session = await newSession(user);
    const found = await adapter.getSessionAndUser(session.sessionToken);
    assert.deepEqual({ ...found.session }, session);
    assert.deepEqual({ ...found.user }, user);
  });

  it("a session is prolonged", async () => {
    const user = await newUser();
    const { sessionToken } = await newSession(user);
    const expires = inHours(48);
    assert.deepEqual((await adapter.updateSession({ sessionToken, expires })).expires, expires);
    const { session } = await adapter.getSessionAndUser(sessionToken);
    assert.deepEqual(session.expires, expires);
    assert.equal(session.userId, user.id);
  });

  it("a session that is over is removed by who asks for it", async () => {
    const user = await newUser();
    const { sessionToken } = await newSession(user, inHours(-1));
    await adapter.getSessionAndUser(sessionToken);
    assert.equal(await adapter.getSessionAndUser(sessionToken), null);
  });

  it("a session is deleted", async () => {
    const user = await newUser();
    const session = await newSession(user);
    assert.equal((await adapter.deleteSession(session.sessionToken)).userId, user.id);
    assert.equal(await adapter.getSessionAndUser(session.sessionToken), null);
  });

  it("a user is deleted with accounts and session", async () => {
    const user = await newUser();
    const accounts = [await newAccount(user, "github"), await newAccount(user, "google")];
    const session = await newSession(user);
    assert.equal((await adapter.deleteUser(user.id)).id, user.id);
    assert.equal(await adapter.getUser(user.id), null);
    assert.equal(await adapter.getUserByEmail(user.email), null);
    assert.equal(await adapter.getSessionAndUser(session.sessionToken), null);
    for (const account of accounts) assert.equal(await adapter.getUserByAccount(account), null);
  });

  it("a verification token is used once, by whom it is for", async () => {
    const token = { identifier: "zoë@example.org", token: randomUUID(), expires: inHours(1) };
    assert.deepEqual(await adapter.createVerificationToken({ ...token }), token);
    assert.equal(await adapter.useVerificationToken({ identifier: "other@example.org", token: token.token }), null);
    assert.deepEqual({ ...(await adapter.useVerificationToken(token)) }, token);
    assert.equal(await adapter.useVerificationToken(token), null);
  });
});
