// A query, an entity or a connection as code. Texts are quoted for each language.
import { asCurl, quoted } from "../activity/request_copy.js";
import { bodyOf, keyPath } from "./entity_client.js";
import { propertiesOf, textOf, typeOf } from "./values.js";

const kKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// JSON is a string literal in JavaScript, and in .NET and Python if all beyond ASCII is \uXXXX. Python takes
// surrogates for two characters, so it gets \UXXXXXXXX, which .NET knows, too.
const escaped = (one) => {
  const code = one.codePointAt(0).toString(16);
  return code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
};
const ascii = (json) => json.replace(/[^\x20-\x7e]/g, escaped);
const script = (text) => ascii(JSON.stringify(text));
const wide = (text) => JSON.stringify(text).replace(/[^\x20-\x7e]/gu, escaped);

const optionsOf = ({ endpoint }) => (/^http:/.test(endpoint) ? ", { allowInsecureConnection: true }" : "");

function connectionOf({ account, keyIsPublic, endpoint }) {
  if (/^http:\/\/(127\.0\.0\.1|localhost):10002\/devstoreaccount1$/.test(endpoint))
    return "UseDevelopmentStorage=true";
  const protocol = endpoint.split(":")[0];
  return `DefaultEndpointsProtocol=${protocol};AccountName=${account};` +
    `AccountKey=${keyIsPublic ? kKey : "KEY"};TableEndpoint=${endpoint};`;
}

// [{ language, text }] of an account: { account, keyIsPublic, endpoint }.
export function connectionStrings(of) {
  const text = connectionOf(of);
  const client = `TableServiceClient.fromConnectionString(${script(text)}${optionsOf(of)});`;
  return [
    { language: "Connection string", text },
    { language: "JavaScript", text: client },
    { language: ".NET", text: `new TableServiceClient(${script(text)});` },
    { language: "Python", text: `TableServiceClient.from_connection_string(${script(text)})` },
    { language: "Environment", text: `export AZURE_STORAGE_CONNECTION_STRING=${quoted(text)}` },
  ];
}

// [{ language, text }] of a query, or of what stores an entity:
// { account, keyIsPublic, endpoint, origin, table, and filter, select, top or entity }.
export function snippets(of) {
  const { origin, table, entity } = of;
  const names = `${script(connectionOf(of))}, ${script(table)}`;
  const [request, js, python, net] = entity ? storing(of) : querying(of);
  return [
    { language: "curl", text: asCurl({ ...of, ...request }, origin) },
    { language: "JavaScript", text: `import { TableClient } from "@azure/data-tables";
const table = TableClient.fromConnectionString(${names}${optionsOf(of)});
${js}` },
    { language: "Python", text: `${entity ? "import base64\n" : ""}from azure.data.tables import ${
      entity ? "EdmType, TableClient, UpdateMode" : "TableClient"}
table = TableClient.from_connection_string(${names})
${python}` },
    { language: ".NET", text: `using Azure.Data.Tables;
var table = new TableClient(${names});
${net}` },
  ];
}

function querying({ table, filter = "", select = "", top = "" }) {
  const names = select.split(",").map((one) => one.trim()).filter(Boolean);
  const given = Object.entries({ $filter: filter, $select: names.join(","), $top: top })
    .filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const inside = (...parts) => parts.filter(Boolean).join(", ");
  const list = (literal, begin, end) => names.length > 0 && begin + names.map(literal).join(", ") + end;
  const options = inside(filter && `filter: ${script(filter)}`, list(script, "select: [", "]"));
  const arguments_ = inside(wide(filter), list(wide, "select=[", "]"), top && `results_per_page=${top}`);
  const named = inside(filter && `filter: ${script(filter)}`, top && `maxPerPage: ${top}`,
    list(wide, "select: new[] { ", " }"));
  return [
    { method: "GET", target: `/${encodeURIComponent(table)}()?${given.join("&")}` },
    `for await (const entity of table.listEntities(${options && `{ queryOptions: { ${options} } }`}))
  console.log(entity);`,
    `for entity in table.query_entities(${arguments_}):
    print(entity)`,
    `foreach (var entity in table.Query<TableEntity>(${named}))
    Console.WriteLine(entity.RowKey);`,
  ];
}

const kNet = {
  String: script,
  Int64: (text) => `${text}L`,
  Double: (text) => (/\d/.test(text) ? `${text}d` :
    `double.${text.replace(/^I/, "PositiveI").replace("-", "Negative")}`),
  DateTime: (text) => `DateTimeOffset.Parse("${text}")`,
  Guid: (text) => `Guid.Parse("${text}")`,
  Binary: (text) => `Convert.FromBase64String("${text}")`,
};

const kScript = { String: script, Int32: String, Boolean: String };
const kPython = {
  String: wide,
  Int32: String,
  Boolean: (text) => (text === "true" ? "True" : "False"),
  Binary: (text) => `base64.b64decode("${text}")`,
};

function storing({ entity, table }) {
  const { PartitionKey, RowKey } = entity;
  const lines = (line) => propertiesOf(entity).map((name) => {
    const type = typeOf(entity, name).slice("Edm.".length);
    return `\n    ${line(name, textOf(entity, name), type)},`;
  }).join("");
  const js = (name, text, type) =>
    `[${script(name)}]: ${kScript[type]?.(text) ?? `{ type: "${type}", value: "${text}" }`}`;
  const python = (name, text, type) =>
    `${wide(name)}: ${kPython[type]?.(text) ?? `("${text}", EdmType.${type.toUpperCase()})`}`;
  const net = (name, text, type) =>
    `[${script(name)}] = ${kNet[type]?.(text) ?? text}`;
  return [
    { method: "PUT", target: keyPath(table, entity), requestBody: ascii(bodyOf(entity)) },
    `await table.upsertEntity({
    partitionKey: ${script(PartitionKey)}, rowKey: ${script(RowKey)},${lines(js)}
}, "Replace");`,
    `table.upsert_entity({
    "PartitionKey": ${wide(PartitionKey)}, "RowKey": ${wide(RowKey)},${lines(python)}
}, mode=UpdateMode.REPLACE)`,
    `table.UpsertEntity(new TableEntity(${script(PartitionKey)}, ${script(RowKey)}) {${lines(net)}
}, TableUpdateMode.Replace);`,
  ];
}
