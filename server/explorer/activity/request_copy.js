// A request of the list once more: as the owner of its account, through the control API, so that it needs no
// signature. As a command for a shell, and as what is needed to send it.

import { hasDotSegment } from "../core/dot_segments.js";

const kSignature = new Set([
  "sv", "ss", "srt", "sp", "st", "se", "spr", "sip", "sr", "si", "tn", "spk", "srk", "epk", "erk", "sig",
]);
const kMostOfTarget = 2048; // characters that the server records
// Headers that change what a request means.
const kHeaders = new Set([
  "accept", "content-type", "if-match", "prefer", "dataserviceversion", "maxdataserviceversion",
  "x-http-method", "x-ms-version",
]);
const kWithBody = new Set(["POST", "PUT", "MERGE", "PATCH"]);

export const isWrite = ({ method }) => !["GET", "HEAD", "OPTIONS"].includes(method);

// What follows the account in its target, without a signature: "/orders()?$filter=…".
export function pathOf({ account, target }) {
  const [path, query = ""] = (target ?? "").replace(/^https?:\/\/[^/]*/, "").split(/\?(.*)/s);
  const [, first, rest] = path.match(/^\/([^/]*)(.*)$/s) ?? [null, "", path];
  const isNamed = account && (first === account || first === `${account}-secondary`);
  const options = query.split("&").filter((one) => one && !kSignature.has(one.split("=")[0].toLowerCase()));
  const own = isNamed ? rest || "/" : path;
  return options.length > 0 ? `${own}?${options.join("&")}` : own;
}

// { method, path, headers, body, problem }: `problem` says why it cannot be sent as it was.
export function copyOf(request) {
  const { method, requestHeaders, requestBody } = request;
  const headers = {};
  for (const [name, value] of requestHeaders ?? [])
    if (kHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  if (!requestHeaders) {
    headers.accept = "application/json;odata=fullmetadata";
    if (kWithBody.has(method)) headers["content-type"] = "application/json";
    if (method === "DELETE") headers["if-match"] = "*";
  }
  const body = kWithBody.has(method) && requestBody ? requestBody : undefined;
  return { method, path: pathOf(request), headers, body, problem: problemOf(request) };
}

function problemOf({ account, method, target, requestHeaders, requestBody, bytesReceived }) {
  if (!account) return "It named no account.";
  if (hasDotSegment(`${account}${pathOf({ account, target })}`))
    return "Its path has a dot segment, which browsers resolve: it would reach another resource.";
  if (target.length >= kMostOfTarget) return "Only the beginning of its target was recorded.";
  if (!kWithBody.has(method)) return "";
  if (!requestHeaders) return "Its body is not known.";
  const length = Number(requestHeaders.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? 0);
  const isChunked = requestHeaders.some(([name]) => name.toLowerCase() === "transfer-encoding");
  const recorded = new TextEncoder().encode(requestBody ?? "").length;
  const isCut = bytesReceived === undefined ? length > recorded || isChunked : bytesReceived > recorded;
  return isCut ? "Its body is not kept, or only its beginning." : "";
}

export function asCurl(request, origin) {
  const { method, path, headers, body } = copyOf(request);
  const url = `${origin}/_rocktable/entities/${encodeURIComponent(request.account || "ACCOUNT")}${path}`;
  const asMethod = { GET: [], HEAD: ["--head"] }[method] ?? ["-X", quoted(method)];
  const asPath = hasDotSegment(url.slice(origin.length)) ? ["--path-as-is"] : []; // the server refuses it
  const asUrl = /[{}[\]]/.test(url) ? ["--globoff"] : [];
  const parts = ["curl", ...asMethod, ...asPath, ...asUrl, quoted(url)];
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push("--data-raw", quoted(body)); // an @ is no file there
  return parts.join(" ");
}

// For POSIX shells; control characters as bash and zsh write them, so that a terminal does not obey them.
export function quoted(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const code = (one) => `\\u${one.codePointAt(0).toString(16).padStart(4, "0")}`;
  const escaped = text.replace(/[\\']/g, "\\$&").replace(/[\u0000-\u001f\u007f-\u009f]/g, code);
  return `$'${escaped}'`;
}
