// All that is known of one request, in the panel at the right: what it asked, what was read for it, why it
// was refused, and the same request once more.
import { control, service } from "../core/api.js";
import { copy } from "../core/clipboard.js";
import { bytes, count, milliseconds, percent, shown } from "../core/format.js";
import { button, entitiesOf, plural } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, notify, state } from "../core/state.js";
import { asCurl, copyOf, isWrite, pathOf } from "./request_copy.js";
import { findingChip } from "./request_list.js";
import { decoded, faultInWords, filterTextOf, keysInWords, keysOf, kindOf } from "./request_words.js";

const kMostOfBody = 4096;

let panel = null; // what this module has put there

export function closeDetail() {
  if (!panel || state.panel !== panel) return;
  change(() => (state.panel = null));
  panel = null;
}

export function openDetail(request, { findings, onClose }) {
  const own = {
    request, findings, plan: null, copied: "", asks: false, isSending: false, answer: null, problem: "",
    notKept: "",
  };
  own.close = () => {
    change(() => (state.panel = null));
    onClose();
  };
  panel = { view: () => detail(own), close: onClose };
  change(() => (state.panel = panel));
  loadPlan(own);
  if (!request.requestHeaders) loadDetails(own);
}

// Headers and bodies, which the list does not have. The server counts from the beginning when it is started again: it
// must be the same request.
async function loadDetails(own) {
  const { number, requestId } = own.request;
  try {
    const { requests } = await control("GET", "requests", { query: { since: number, limit: 1, detail: "true" } });
    const isSame = requests[0]?.number === number && requests[0].requestId === requestId;
    if (isSame) own.request = requests[0];
    else own.notKept = "The server no longer has its headers and bodies.";
  } catch (error) {
    own.notKept = error.message;
  }
  notify();
}

async function loadPlan(own) {
  const { account, table, operation, target } = own.request;
  if (operation !== "QueryEntities" || !account || !table) return;
  const filter = filterTextOf({ target });
  try {
    // An empty parameter is refused as a typing error, and no filter is what is meant.
    own.plan = await control("GET", "plan", { query: { account, table, filter } });
  } catch (error) {
    own.plan = { error };
  }
  notify();
}

// Parts have keys, so that one that comes later does not take the elements, and the focus, of another.
function detail(own) {
  const { request } = own;
  return h("div", { class: "request-detail", key: request.number },
    h("header", { class: "row" },
      h("h2", { class: "grow" }, `${shown(request.method, 16)} ${shown(request.operation, 60)}`),
      button("Close", own.close, { class: "quiet" })),
    statusLine(request.status, request.code),
    request.explanation && h("section", { key: "why" },
      h("h3", null, "Why it was refused"), h("p", null, shown(request.explanation, 4096))),
    request.fault && h("p", { class: "warn", key: "fault" },
      faultInWords(request) === "throttled" ? "The lab throttled it: " : "A fault of the lab hit it: ",
      h("b", null, shown(request.fault, 100))),
    findingsOf(own),
    h("pre", { class: "target" }, shown(decoded(request.target), kMostOfBody)),
    facts(request),
    own.plan && planPart(own),
    request.operations?.length > 0 && operationsPart(request),
    recorded(own),
    again(own));
}

const statusLine = (status, code, ...more) => h("p", { class: `status of-${kindOf({ status, code })}` },
  h("b", null, status ? String(status) : "No answer"), code ? ` ${shown(code, 100)}` : "", more);

function findingsOf({ request, findings }) {
  const ids = findings.of(request);
  return ids.length > 0 && h("p", { key: "findings" }, "Insight has a finding about requests like this: ",
    ids.map((id) => [findingChip(id), " "]));
}

// A batch is its operations, not its text.
function operationsPart({ operations, operationCount }) {
  const more = (operationCount ?? operations.length) - operations.length;
  return h("section", { key: "operations" },
    h("h3", null, operationCount === undefined ? "Operations, as far as they are kept" :
      `${count(operationCount)} ${plural(operationCount, "operation")}`),
    h("ol", { class: "operations" }, operations.map((one) => {
      const { method, target, status } = one;
      const keys = keysOf(one);
      return h("li", { class: status ? `of-${Math.floor(status / 100)}` : null },
        h("b", null, shown(method, 16)), " ",
        shown(keys ? keysInWords(keys) : decoded(target), 300),
        h("span", { class: "c-status" }, ` ${status ? status : "not done"}`));
    })),
    more > 0 && h("p", { class: "dim" }, `and ${count(more)} more`));
}

// "5,000 (2 here)" where rocktable scanned less than the service would.
const scannedOf = ({ entitiesScanned, entitiesScannedHere }) =>
  count(entitiesScanned) + (entitiesScanned === entitiesScannedHere ? "" : ` (${count(entitiesScannedHere)} here)`);

function facts(request) {
  const { plan } = request;
  const keys = keysOf(request);
  const rows = [
    ["Time", request.time],
    ["Account", request.account],
    ["Table", request.table],
    ["PartitionKey", keys?.partition],
    ["RowKey", keys?.row],
    ["Plan", plan],
    ["Scanned, returned", plan && `${scannedOf(request)}, ${count(request.entitiesReturned)}`],
    ["Answer", bytes(request.bytesSent)],
    ["Time in the server", milliseconds(request.milliseconds)],
    ["Client", request.client],
    ["Client request id", request.clientRequestId],
    ["Request id", request.requestId],
  ];
  return h("dl", { class: "facts" }, rows.filter(([, value]) => value)
    .map(([name, value]) => [h("dt", null, name), h("dd", null, shown(value, 300))]));
}

function planPart({ plan, request }) {
  const { error } = plan;
  if (error) {
    return h("section", { key: "plan" }, h("h3", null, "Plan"),
      h("p", { class: "dim" }, error.code ? `${error.code}: ` : "", shown(error.message, 1000)));
  }
  const entities = entitiesOf(plan.entities);
  return h("section", { key: "plan" }, h("h3", null, "Plan of this query now"),
    h("p", null, h("span", { class: `plan-class is-${plan.plan}` }, plan.plan),
      ` reads ${percent(plan.share)} of the table, about ${entities}`),
    plan.rangeTexts?.length > 0 && h("ul", { class: "ranges" },
      plan.rangeTexts.slice(0, 20).map((text) => h("li", null, h("code", null, shown(text, 300)))),
      plan.ranges > 20 && h("li", { class: "dim" }, `and ${count(plan.ranges - 20)} more`)),
    plan.better && h("p", null, h("b", null, "Better: "), shown(plan.better, 1000)));
}

function recorded({ request, notKept }) {
  if (!request.requestHeaders)
    return h("p", { class: "dim", key: "recorded" }, notKept || "Loading its headers and bodies…");
  const none = (size) => (size > 0 ? `Its body of ${bytes(size)} is not kept.` : "No body.");
  const part = (title, headers, body, size) => h("details", { open: true }, h("summary", null, title),
    h("pre", null, (headers ?? []).map(([name, value]) => `${shown(name, 200)}: ${shown(value, 2048)}\n`)),
    body ? h("pre", { class: "payload" }, shownBody(body)) : h("p", { class: "dim" }, none(size)));
  return h("section", { key: "recorded" },
    part("Request", request.requestHeaders, request.requestBody, request.bytesReceived),
    part("Answer", request.responseHeaders, request.responseBody, request.bytesSent));
}

// Line breaks and tabs stay what they are.
export function shownBody(text) {
  const cut = text.length > kMostOfBody ? `${text.slice(0, kMostOfBody)}…` : text;
  return cut.split(/(\r?\n|\t)/)
    .map((part, i) => (i % 2 === 1 ? part.replace("\r", "") : shown(part)))
    .join("");
}

function again(own) {
  const { request, asks, isSending, answer, copied } = own;
  const { problem } = copyOf(request);
  const copyCurl = async () => {
    const worked = await copy(asCurl(request, location.origin));
    change(() => (own.copied = worked ? "Copied." : "The browser did not allow it."));
  };
  const begin = () => (isWrite(request) ? change(() => (own.asks = true)) : send(own));
  return h("section", { key: "again" },
    h("h3", null, "Again, as the owner of the account"),
    h("pre", { class: "curl" }, shown(asCurl(request, location.origin), kMostOfBody)),
    h("div", { class: "row" },
      button("Copy as curl", copyCurl),
      !asks && button(isSending ? "Sending…" : "Send again", begin, {
        disabled: Boolean(problem) || isSending, key: "send",
      }),
      h("span", { role: "status" }, copied)),
    asks && h("div", { class: "row ask", key: "ask" },
      h("span", null, "It changes data."),
      button(`Send ${shown(request.method, 16)}`, () => send(own), { class: "danger" }),
      button("Cancel", () => change(() => (own.asks = false)))),
    problem && h("p", { class: "dim", key: "cannot" }, problem),
    own.problem && h("p", { class: "error", role: "alert", key: "problem" }, own.problem),
    answer && answerPart(answer));
}

async function send(own) {
  change(() => Object.assign(own, { isSending: true, asks: false, problem: "", answer: null }));
  const { method, headers, body } = copyOf(own.request);
  try {
    own.answer = await service(own.request.account, method, pathOf(own.request), { headers, body });
  } catch (error) {
    own.problem = error.message;
  }
  change(() => (own.isSending = false));
}

function answerPart({ status, error, headers, text, milliseconds: ms }) {
  const number = (name) => count(Number(headers.get(`x-rocktable-${name}`)));
  const cost = headers.has("x-rocktable-scanned") ?
    `, scanned ${number("scanned")}, returned ${number("returned")}` : "";
  return h("div", { class: "answer", role: "status" },
    statusLine(status, error?.code, h("span", { class: "dim" }, ` in ${milliseconds(ms)}${cost}`)),
    text && h("pre", { class: "payload" }, shownBody(text)));
}
