// The server's two faces: its control resources, and the table service as an account's owner. A control token
// is kept in this module alone, so it is gone with the tab.
import { hasDotSegment } from "./dot_segments.js";
import { change, state } from "./state.js";

const kRoot = "/_rocktable/";
const kAskAgainMs = 1000;
export const kNoAnswer = "rocktable does not answer.";

export class ApiError extends Error {
  // `code` is the service's, or empty; `status` 0 means that no answer came.
  constructor(status, code, message, body = null) {
    super(message);
    Object.assign(this, { status, code, body });
  }
}

let token = "";
let asked = null; // while the person is asked for a token: the promise of it
let declinedAt = -1; // requests that began before are not worth another question
let askForToken = async () => "";

// `ask(wasRefused)` shows a dialog, and returns the token that was typed or "".
export function askTokenWith(ask) {
  askForToken = ask;
}

function queryOf(query = {}) {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

// One request; on 401 the person is asked for a token as often as it is wrong.
async function send(path, options) {
  const begin = performance.now();
  for (;;) {
    const used = token;
    const headers = { ...options.headers, ...(used && { "x-rocktable-token": used }) };
    let answer;
    try {
      answer = await fetch(kRoot + path, { cache: "no-store", ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      lost();
      throw new ApiError(0, "", kNoAnswer);
    }
    if (answer.status !== 401) return answer;
    if (token !== used) continue; // another request got one meanwhile
    if (begin < declinedAt) return answer;
    asked ??= askForToken(used !== "").finally(() => (asked = null));
    const typed = await asked;
    if (!typed) {
      declinedAt = performance.now();
      return answer;
    }
    token = typed;
  }
}

// Asks every second until the server answers; then all that is shown is asked for again.
let isLost = false;
const whenBack = new Set();

export function onBack(listener) {
  whenBack.add(listener);
}

export async function lost() {
  if (isLost) return;
  isLost = true;
  change(() => (state.isReachable = false));
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, kAskAgainMs));
    const answer = await fetch(`${kRoot}ready`, { cache: "no-store" }).catch(() => null);
    if (answer?.ok) break;
  }
  isLost = false;
  change(() => (state.isReachable = true));
  for (const listener of whenBack) listener();
}

// The JSON of a control resource. `body` is a value, or a string that is sent as it is.
export async function control(method, path, { query, body, signal } = {}) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headers = text === undefined ? {} : { "content-type": "application/json" };
  const answer = await send(path + queryOf(query), { method, headers, body: text, signal });
  const received = await answer.text();
  if (!answer.ok) throw controlError(answer, received);
  return parsedOf(received);
}

// null for what is not JSON: what a proxy answers, for example.
function parsedOf(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function controlError({ status }, text) {
  const parsed = parsedOf(text);
  const error = parsed?.error;
  const sentence = (typeof error === "string" ? error : error?.message) || `The server answered ${status}.`;
  return new ApiError(status, error?.code ?? "", sentence, parsed ?? text);
}

// A request to the table service, as the owner of `account`. Never throws for an answer, whatever its status. Throws
// for a path that leaves the account: it may be that of a stranger's request, and the token of the owner goes with it.
export async function service(account, method, path, { headers, body, signal } = {}) {
  if (hasDotSegment(`${account}${path}`)) throw new ApiError(0, "", "Its path has a dot segment.");
  const begin = performance.now();
  const answer = await send(`entities/${encodeURIComponent(account)}${path}`, {
    method,
    headers: { accept: "application/json;odata=fullmetadata", ...headers },
    body,
    signal,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text),
    error: answer.ok ? null : serviceError(answer, text),
    milliseconds: performance.now() - begin,
  };
}

// The service's error: its code, and its sentence without the lines of request id and time.
export function serviceError(answer, text) {
  let error = null;
  try {
    const parsed = JSON.parse(text);
    error =
      parsed["odata.error"] ??
      (typeof parsed.error === "string" ? { message: { value: parsed.error } } : null);
  } catch {
    // a body in another format
  }
  const sentence = (error?.message?.value ?? "").split("\nRequestId:")[0];
  return new ApiError(
    answer.status,
    error?.code ?? "",
    sentence || `The server answered ${answer.status}.`,
    text,
  );
}

// Server-Sent Events by fetch, because EventSource cannot send the header of the token. `onEvent` gets the
// type and the text of data of each; `onEnd` gets the error, or null if the server ended the stream.
export async function stream(path, { query, onEvent, onEnd = () => {}, signal } = {}) {
  try {
    const answer = await send(path + queryOf(query), { headers: { accept: "text/event-stream" }, signal });
    if (!answer.ok) throw controlError(answer, await answer.text());
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) readEvent(block, onEvent);
    }
    onEnd(null);
  } catch (error) {
    onEnd(error instanceof TypeError ? new ApiError(0, "", "The connection ended.") : error);
  }
}

function readEvent(block, onEvent) {
  let type = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) type = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  }
  if (data.length > 0) onEvent(type, data.join("\n"));
}
