// The eight types of properties: their signs, annotated JSON, and the text of form fields.
//
// An entity is its annotated JSON (odata=fullmetadata), parsed: { PartitionKey, RowKey, Timestamp,
// "odata.etag", Age: 3, "Big@odata.type": "Edm.Int64", Big: "9007199254740993" }. Doubles that JSON has no
// numbers for are strings in it.

const kSigns = {
  "Edm.String": "abc", "Edm.Int32": "1", "Edm.Int64": "1L", "Edm.Double": "1.0", "Edm.Boolean": "✓",
  "Edm.DateTime": "◷", "Edm.Guid": "#", "Edm.Binary": "0x",
};
const kInferred = { string: "Edm.String", boolean: "Edm.Boolean", number: "Edm.Int32" };

export const kTypes = Object.keys(kSigns);
export const kKeys = ["PartitionKey", "RowKey"];
export const signOf = (type) => kSigns[type] ?? "?";
export const isProperty = (name) => !name.includes("odata.");

// All that a person may write: not the keys, not the Timestamp.
export const isOwn = (name) => isProperty(name) && !kKeys.includes(name) && name !== "Timestamp";
export const propertiesOf = (entity) => Object.keys(entity).filter(isOwn);

export function typeOf(entity, name) {
  const value = entity[name];
  const isDouble = typeof value === "number" && !Number.isInteger(value);
  return entity[`${name}@odata.type`] ?? (isDouble ? "Edm.Double" : kInferred[typeof value] ?? "Edm.String");
}

// The text of a value, in a cell and in a field.
export const textOf = (entity, name) => (Object.hasOwn(entity, name) ? String(entity[name] ?? "") : "");

// Sets a property, with the annotation of what JSON does not tell.
export function setProperty(entity, name, type, value) {
  if (Object.values(kInferred).includes(type)) delete entity[`${name}@odata.type`];
  else entity[`${name}@odata.type`] = type;
  // A property may be called __proto__.
  Object.defineProperty(entity, name, { value, enumerable: true, configurable: true, writable: true });
}

// A string, with the double that follows if it is a name; or what one need not know of each entity.
const kMembers = new RegExp(
  String.raw`"odata\.(?:metadata|type|id|editLink)":"[^"\\]*(?:\\.[^"\\]*)*",?` +
    String.raw`|"([^"\\]*(?:\\.[^"\\]*)*)"(?::(-?\d+(?=[.eE])[\d.eE+-]+))?`, "g");

// Parses what the service answers. It writes doubles as 3.0 without annotation, and JSON.parse would make 3
// of it.
export const parseAnnotated = (text) => JSON.parse(text.replace(kMembers, (all, name, double) => {
  if (name === undefined) return "";
  if (double === undefined) return all;
  return `"${name}@odata.type":"Edm.Double","${name}":${Object.is(Number(double), -0) ? '"-0.0"' : double}`;
}));

const kDate = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,7})?)?(?:Z|([+-]\d\d):?(\d\d))?$/i;
const kGuid = /^\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?$/i;
const kBase64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

function integer(text, bits) {
  const most = 2n ** BigInt(bits - 1);
  if (/^[+-]?\d+$/.test(text)) {
    const value = BigInt(text.replace("+", ""));
    if (value >= -most && value < most) return { value: bits === 32 ? Number(value) : String(value) };
  }
  return { problem: `An Int${bits} is a whole number from -${most} to ${most - 1n}.` };
}

function double(text) {
  if (/^[+-]?(NaN|Infinity)$/.test(text)) return { value: text.replace("+", "") };
  const value = Number(text);
  if (!/^[\d.e+-]+$/i.test(text) || !Number.isFinite(value))
    return { problem: "A Double is a number such as 3.5 or -1e10, or NaN, Infinity or -Infinity." };
  return { value: Object.is(value, -0) ? "-0.0" : value };
}

// Without a zone the text is UTC. The digits of a second are kept, of which Date has three alone.
function date(text) {
  const [, day, minute = "00:00", second = ":00", fraction = "", hours = "+00", minutes = "00"] =
    kDate.exec(text) ?? [];
  const time = `${day}T${minute}${second}`;
  // Date takes February 30 for March 2.
  const isReal = new Date(`${time}Z`).toJSON()?.startsWith(time);
  const utc = isReal ? new Date(`${time}${hours}:${minutes}`).toJSON() : "";
  if (!(utc >= "1601")) // neither is +010000 of a later year
    return { problem: "A DateTime is from 1601 to 9999, as 2026-11-20 or 2026-11-20T08:30:00.1234567Z." };
  return { value: `${utc.slice(0, 19)}${fraction}Z` };
}

const matched = (value, problem) => (value ? { value } : { problem });

const kReaders = {
  "Edm.Int32": (text) => integer(text, 32),
  "Edm.Int64": (text) => integer(text, 64),
  "Edm.Double": double,
  "Edm.Boolean": (text) =>
    /^(true|false)$/i.test(text) ? { value: /true/i.test(text) } : { problem: "A Boolean is true or false." },
  "Edm.DateTime": date,
  "Edm.Guid": (text) => matched(kGuid.exec(text)?.slice(1).join("-").toLowerCase(),
    "A Guid is 32 hexadecimal digits, such as c9da6455-213d-42c9-9a79-3e9149a57833."),
  "Edm.Binary": (text) => {
    const value = text.replace(/\s+/g, "");
    return kBase64.test(value) ? { value } : { problem: "A Binary is base64, such as AQID or AQ==." };
  },
};

// The value of a field's text, as annotated JSON has it: { value }, or { problem }: a sentence.
export const valueOf = (type, text) => kReaders[type]?.(text.trim()) ?? { value: text };
