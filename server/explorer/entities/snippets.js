// A query or a connection as code. Texts are quoted for each language; what no source file may hold (controls) is escaped.
import { quoted } from "../activity/request_copy.js";

const kKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// JSON is a string literal in JavaScript, and in .NET and Python if all beyond ASCII is \uXXXX: Python takes surrogates
// for two characters, so it gets \UXXXXXXXX.
const hex = (n, digits) => n.toString(16).padStart(digits, "0");
const literal = (text, wide) => JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (one) => {
  const code = one.codePointAt(0);
  if (code < 0x10000) return `\\u${hex(code, 4)}`;
  return wide ? `\\U${hex(code, 8)}` : [...one.split("")].map((half) => `\\u${hex(half.charCodeAt(0), 4)}`).join("");
});
const script = (text) => literal(text, false);
const wide = (text) => literal(text, true);

const isDefault = (endpoint, account) =>
  account === "devstoreaccount1" && /^http:\/\/(127\.0\.0\.1|localhost):10002\//.test(endpoint);

function connectionOf({ account, keyIsPublic, endpoint }) {
  if (isDefault(endpoint, account)) return "UseDevelopmentStorage=true";
  const protocol = endpoint.split(":")[0];
  return `DefaultEndpointsProtocol=${protocol};AccountName=${account};` +
    `AccountKey=${keyIsPublic ? kKey : "KEY"};TableEndpoint=${endpoint};`;
}

// [{ language, text }] of an account: { account, keyIsPublic, endpoint }.
export function connectionStrings(of) {
  const text = connectionOf(of);
  const option = of.endpoint.startsWith("http:") ? ", { allowInsecureConnection: true }" : "";
  return [
    { language: "Connection string", text },
    { language: "JavaScript", text: `TableServiceClient.fromConnectionString(${script(text)}${option});` },
    { language: ".NET", text: `new TableServiceClient(${script(text)});` },
    { language: "Python", text: `TableServiceClient.from_connection_string(${wide(text)})` },
    { language: "Environment", text: `export AZURE_STORAGE_CONNECTION_STRING=${quoted(text)}` },
  ];
}

// [{ language, text }] of a query: { account, keyIsPublic, endpoint, origin, table, filter, select, top }.
export function snippets(of) {
  const { account, origin, table, filter = "", select = "", top = "" } = of;
  const connection = connectionOf(of);
  const columns = select.split(",").map((one) => one.trim()).filter(Boolean);
  const given = Object.entries({ $filter: filter, $select: columns.join(","), $top: top }).filter(([, value]) => value);
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const url = `${origin}/_rocktable/entities/${encodeURIComponent(account)}/${encodeURIComponent(table)}()`;
  const options = of.endpoint.startsWith("http:") ? ", { allowInsecureConnection: true }" : "";
  const inside = (...parts) => parts.filter(Boolean).join(", ");
  const queryOptions = inside(filter && `filter: ${script(filter)}`, columns.length && `select: ${JSON.stringify(columns)}`);
  return [
    { language: "curl", text:
      `curl -H 'Accept: application/json;odata=fullmetadata' ${quoted(query ? `${url}?${query}` : url)}` },
    { language: "JavaScript", text: [
      `import { TableClient } from "@azure/data-tables";`,
      `const table = TableClient.fromConnectionString(${script(connection)}, ${script(table)}${options});`,
      `for await (const entity of table.listEntities(${queryOptions ? `{ queryOptions: { ${queryOptions} } }` : ""}))`,
      "  console.log(entity);",
    ].join("\n") },
    { language: "Python", text: [
      "from azure.data.tables import TableClient",
      `table = TableClient.from_connection_string(${wide(connection)}, ${wide(table)})`,
      `for entity in table.query_entities(${inside(wide(filter), columns.length && `select=[${columns.map(wide).join(", ")}]`,
        top && `results_per_page=${top}`)}):`,
      "    print(entity)",
    ].join("\n") },
    { language: ".NET", text: [
      "using Azure.Data.Tables;",
      `var table = new TableClient(${script(connection)}, ${script(table)});`,
      `foreach (var entity in table.Query<TableEntity>(${inside(filter && `filter: ${script(filter)}`,
        top && `maxPerPage: ${top}`, columns.length && `select: new[] { ${columns.map(script).join(", ")} }`)}))`,
      "    Console.WriteLine(entity.RowKey);",
    ].join("\n") },
  ];
}
