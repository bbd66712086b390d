// The eight types of properties: their signs, annotated JSON (that of odata=fullmetadata), and the text of form fields.
//
// An entity is its annotated JSON, parsed: { PartitionKey, RowKey, Timestamp, "odata.etag", Age: 3, "Big@odata.type":
// "Edm.Int64", Big: "9007199254740993" }. An Int64, a date, a Guid and a Binary are strings in it, and so are the
// doubles NaN, Infinity, -Infinity and -0, which JSON has no numbers for.

const kSigns = {
  "Edm.String": "abc", "Edm.Int32": "1", "Edm.Int64": "1L", "Edm.Double": "1.0", "Edm.Boolean": "✓", "Edm.DateTime": "◷",
  "Edm.Guid": "#", "Edm.Binary": "0x",
};

export const kTypes = Object.keys(kSigns);
export const kKeys = ["PartitionKey", "RowKey"];
export const signOf = (type) => kSigns[type] ?? "?";
export const isProperty = (name) => !name.includes("odata.");

// The names of all that a person may write: not the keys, not the Timestamp.
export const propertiesOf = (entity) =>
  Object.keys(entity).filter((name) => isProperty(name) && !kKeys.includes(name) && name !== "Timestamp");

export function typeOf(entity, name) {
  const value = entity[name];
  return entity[`${name}@odata.type`] ?? (typeof value === "boolean" ? "Edm.Boolean" : typeof value !== "number" ? "Edm.String" :
    Number.isInteger(value) ? "Edm.Int32" : "Edm.Double");
}

// The text of a value, in a cell and in a field.
export const textOf = (entity, name) => (Object.hasOwn(entity, name) ? String(entity[name] ?? "") : "");

// Sets a property with its annotation, which the service needs for all that JSON does not tell.
export function setProperty(entity, name, type, value) {
  entity[`${name}@odata.type`] = type;
  // A property may be called __proto__.
  Object.defineProperty(entity, name, { value, enumerable: true, configurable: true, writable: true });
  if (["Edm.String", "Edm.Int32", "Edm.Boolean"].includes(type)) delete entity[`${name}@odata.type`];
}

// A name, and its value if that is a double, or what one need not know of each entity.
const kMembers = new RegExp(
  String.raw`"odata\.(?:metadata|type|id|editLink)":"[^"\\]*(?:\\.[^"\\]*)*",?` +
    String.raw`|"([^"\\]*(?:\\.[^"\\]*)*)"(?::(-?\d+(?=[.eE])[\d.eE+-]+))?`, "g");

// Parses what the service answers. It writes a double without annotation as 3.0, which JSON.parse makes the same as 3,
// so the annotation is added before.
export function parseAnnotated(text) {
  return JSON.parse(text.replace(kMembers, (all, name, double) => {
    if (name === undefined) return "";
    if (double === undefined) return all;
    return `"${name}@odata.type":"Edm.Double","${name}":${Object.is(Number(double), -0) ? '"-0.0"' : double}`;
  }));
}

const kDate = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,7}))?)?)?\s*(?:Z|([+-])(\d\d):?(\d\d))?$/i;
const kGuid = /^\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?$/i;
const kBase64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/;
const kFirstDate = Date.UTC(1601, 0, 1);
const kLastDate = Date.UTC(9999, 11, 31, 23, 59, 59);

const bad = (problem) => ({ problem });

function integer(text, bits) {
  if (!/^[+-]?\d+$/.test(text)) return bad(`An Int${bits} is a whole number, such as -12, without point or spaces.`);
  const most = 2n ** BigInt(bits - 1);
  const value = BigInt(text.replace("+", ""));
  if (value < -most || value >= most) return bad(`An Int${bits} is from ${-most} to ${most - 1n}.`);
  return { value: bits === 32 ? Number(value) : String(value) };
}

function double(text) {
  if (/^[+-]?(NaN|Infinity)$/.test(text)) return { value: text.replace("+", "") };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    return bad("A Double is a number such as 3.5 or -1e10, or NaN, Infinity or -Infinity.");
  const value = Number(text);
  if (!Number.isFinite(value)) return bad("A Double is at most 1.7976931348623157e308.");
  return { value: Object.is(value, -0) ? "-0.0" : value };
}

// Without a zone the text is UTC. A date keeps its seven digits of a second, more than Date has.
function date(text) {
  const form = kDate.exec(text);
  if (!form) return bad("A DateTime is such as 2026-11-20, or 2026-11-20T08:30:00.1234567Z; without Z or +01:00 it is UTC.");
  const [year, month, day, hour, minute, second] = form.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = form[7] ? `.${form[7]}` : "";
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second);
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59)
    return bad("There is no such day or time.");
  const offset = form[8] ? (form[8] === "+" ? -1 : 1) * (form[9] * 60 + Number(form[10])) : 0;
  const time = at.getTime() + offset * 60_000;
  if (time < kFirstDate || time > kLastDate) return bad("A DateTime is from 1601-01-01 to 9999-12-31.");
  return { value: new Date(time).toISOString().replace(/\.\d+Z$/, `${fraction}Z`) };
}

const kReaders = {
  "Edm.String": (text) => ({ value: text }),
  "Edm.Int32": (text) => integer(text.trim(), 32),
  "Edm.Int64": (text) => integer(text.trim(), 64),
  "Edm.Double": (text) => double(text.trim()),
  "Edm.Boolean": (text) => (/^\s*(true|false)\s*$/i.test(text) ? { value: /true/i.test(text) } : bad("A Boolean is true or false.")),
  "Edm.DateTime": (text) => date(text.trim()),
  "Edm.Guid": (text) => {
    const parts = kGuid.exec(text.trim());
    return parts ? { value: parts.slice(1).join("-").toLowerCase() } :
      bad("A Guid is 32 hexadecimal digits, such as c9da6455-213d-42c9-9a79-3e9149a57833.");
  },
  "Edm.Binary": (text) => {
    const value = text.replace(/\s+/g, "");
    return kBase64.test(value) && !value.includes("_") ? { value } :
      bad("A Binary is written in base64, such as AQID, padded with = to a multiple of 4 characters.");
  },
};

// The value of a field's text, as annotated JSON has it: { value }, or { problem }: a sentence.
export const valueOf = (type, text) => kReaders[type](text);
