// The types of properties as the service annotates them: reading them from a body, their signs, their text.
//
// Entities are the parsed JSON of odata=fullmetadata: values, and `NAME@odata.type` for the types that JSON does not have.
// The service writes a whole double as 3.0 without an annotation, which JSON.parse() makes the integer 3; so it gets one.

const kSigns = {
  "Edm.String": "abc",
  "Edm.Int32": "1",
  "Edm.Int64": "1L",
  "Edm.Double": "1.0",
  "Edm.Boolean": "✓",
  "Edm.DateTime": "◷",
  "Edm.Guid": "#",
  "Edm.Binary": "0x",
};

export function typeOf(entity, name) {
  const annotated = entity[`${name}@odata.type`];
  if (annotated) return annotated;
  const value = entity[name];
  if (typeof value === "boolean") return "Edm.Boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "Edm.Int32" : "Edm.Double";
  return "Edm.String";
}

export const signOf = (type) => kSigns[type] ?? "?";

// The value of a property, as one reads and compares it.
export function textOf(entity, name) {
  const value = entity[name];
  if (typeof value !== "number" || !Number.isInteger(value) || typeOf(entity, name) !== "Edm.Double") return String(value);
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes("e") ? text : `${text}.0`;
}

// A name (or any other string) with the number that follows it, if one does.
const kMember = /"([^"\\]*(?:\\.[^"\\]*)*)"(?:\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?))?/g;
const kNotKept = ["odata.id", "odata.editLink", "odata.type"]; // they repeat the keys, for each of 100,000 rows

// The entities in the body of a page, or the one of a single read.
export function parseEntities(text) {
  const annotated = text.replace(kMember, (all, name, number) =>
    number === undefined || !/[.eE]/.test(number) || !Number.isInteger(Number(number)) ? all :
      `${all},"${name}@odata.type":"Edm.Double"`);
  const body = JSON.parse(annotated);
  const entities = Array.isArray(body.value) ? body.value : [body];
  for (const entity of entities) for (const name of kNotKept) delete entity[name];
  return entities;
}
