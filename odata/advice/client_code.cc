#include "odata/advice/client_code.h"

#include <array>
#include <cstdint>

#include "base/text.h"

namespace rocktable {
namespace {

using Change = KeySketch::Change;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain_name(std::string_view name) {
  bool is_plain = !name.empty() && is_letter(name.front());
  for (const char c : name) is_plain = is_plain && (is_letter(c) || (c >= '0' && c <= '9') || c == '_');
  return is_plain;
}

// The digits that numbers of a type have in keys.
std::string_view digits_of(EdmType type) { return type == EdmType::Int64 ? "19" : "10"; }

bool is_whole_number(EdmType type) { return type == EdmType::Int32 || type == EdmType::Int64; }

// How a language writes the pieces of the code.
struct Syntax {
  std::string_view text_begin, text_end;                              // of a text with values
  std::string (*property)(const std::string&);                        // of `entity`
  std::string (*value)(const std::string& expression, EdmType type);  // within a text
};

std::string python_property(const std::string& name) { return "entity['" + name + "']"; }

std::string python_value(const std::string& expression, EdmType type) {
  if (type == EdmType::DateTime) return "{" + expression + ":%Y-%m-%dT%H:%M:%S.%fZ}";
  if (is_whole_number(type)) return "{" + expression + ":0" + std::string(digits_of(type)) + "}";
  return "{" + expression + "}";
}

std::string javascript_property(const std::string& name) {
  if (name == "PartitionKey") return "entity.partitionKey";
  if (name == "RowKey") return "entity.rowKey";
  return is_plain_name(name) ? "entity." + name : "entity[\"" + name + "\"]";
}

std::string javascript_value(const std::string& expression, EdmType type) {
  if (type == EdmType::DateTime) return "${" + expression + ".toISOString()}";
  if (is_whole_number(type))
    return "${String(" + expression + ").padStart(" + std::string(digits_of(type)) + ", \"0\")}";
  return "${" + expression + "}";
}

std::string csharp_property(const std::string& name) {
  if (name == "PartitionKey" || name == "RowKey") return "entity." + name;
  return "entity[\"" + name + "\"]";
}

std::string csharp_value(const std::string& expression, EdmType type) {
  if (type == EdmType::DateTime) return "{" + expression + ":yyyy-MM-ddTHH:mm:ss.fffffffZ}";
  if (is_whole_number(type)) return "{" + expression + ":D" + std::string(digits_of(type)) + "}";
  return "{" + expression + "}";
}

const Syntax& syntax_of(ClientLanguage language) {
  static constexpr Syntax kPython{"f\"", "\"", python_property, python_value};
  static constexpr Syntax kJavaScript{"`", "`", javascript_property, javascript_value};
  static constexpr Syntax kCSharp{"$\"", "\"", csharp_property, csharp_value};
  if (language == ClientLanguage::Python) return kPython;
  return language == ClientLanguage::JavaScript ? kJavaScript : kCSharp;
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// `orderNumber` for `OrderNumber`, in Python `order_number`: a value that the program asks for.
std::string variable_of(const std::string& property, ClientLanguage language) {
  if (!is_plain_name(property)) return "value";
  std::string out;
  for (const char c : property) {
    const bool is_start = out.empty() || (language == ClientLanguage::Python && is_capital(c));
    if (is_start && !out.empty() && !is_capital(out.back()) && out.back() != '_') out += '_';
    out += is_start ? to_lower_ascii(c) : c;
  }
  return out;
}

// A key as an expression: of the entity that is written, or of values that are asked for.
std::string expression_of(const KeyTemplate& key, ClientLanguage language, bool is_of_entity) {
  const Syntax& syntax = syntax_of(language);
  std::string inside;
  bool has_value = false;
  for (const KeyPart& part : key) {
    if (!part.property) {
      inside += part.text;
      continue;
    }
    has_value = true;
    const std::string& name = part.property->name;
    inside += syntax.value(is_of_entity ? syntax.property(name) : variable_of(name, language), part.property->type);
  }
  if (!has_value) return "\"" + inside + "\"";
  if (key.size() == 1 && key.front().property->type == EdmType::String) {
    const std::string& name = key.front().property->name;
    return is_of_entity ? syntax.property(name) : variable_of(name, language);
  }
  return std::string(syntax.text_begin) + inside + std::string(syntax.text_end);
}

KeyTemplate with_end(KeyTemplate key, std::string_view end) {
  key.push_back({std::string(end), std::nullopt});
  return key;
}

// The bounds of the RowKeys of a query, as expressions; empty: none.
struct Bounds {
  std::string low, high;
};

Bounds bounds_of(const KeySketch& sketch, ClientLanguage language) {
  const auto bound = [&](const char* name) {
    KeyTemplate key = sketch.prefix.empty() ? KeyTemplate() : with_end(sketch.prefix, ":");
    key.push_back({"", ComparedProperty{name, sketch.range->type}});
    return expression_of(key, language, false);
  };
  Bounds out;
  if (sketch.range && sketch.range->has_lower_bound) {
    out.low = bound("begin");
  } else if (!sketch.prefix.empty()) {
    out.low = expression_of(with_end(sketch.prefix, ":"), language, false);
  }
  if (sketch.range && sketch.range->has_upper_bound) {
    out.high = bound("end");
  } else if (!sketch.prefix.empty()) {
    out.high = expression_of(with_end(sketch.prefix, ";"), language, false);
  }
  return out;
}

// How a language writes the values of a query: their places in the filter, and the list of them.
struct QuerySyntax {
  std::string_view place_begin, place_end, name_begin, name_end;  // around the name
};

struct QueryText {
  std::string filter, values;
};

QueryText query_text(const std::string& key, const Bounds& bounds, const QuerySyntax& syntax) {
  QueryText out;
  const auto add = [&](std::string_view condition, std::string_view name, const std::string& value) {
    if (value.empty()) return;
    out.filter.append(condition).append(syntax.place_begin).append(name).append(syntax.place_end);
    out.values.append(out.values.empty() ? "" : ", ").append(syntax.name_begin).append(name).append(syntax.name_end);
    out.values.append(value);
  };
  add("PartitionKey eq ", "key", key);
  add(" and RowKey ge ", "low", bounds.low);
  add(" and RowKey lt ", "high", bounds.high);
  return out;
}

// --- Python -------------------------------------------------------------------------------------------------

std::string python_query(const std::string& key, const Bounds& bounds) {
  const auto [filter, values] = query_text(key, bounds, {"@", "", "\"", "\": "});
  return "found = table.query_entities(\"" + filter + "\", parameters={" + values + "})\n";
}

std::string python_code(const KeySketch& sketch) {
  const auto written = [](const KeyTemplate& key) { return expression_of(key, ClientLanguage::Python, true); };
  switch (sketch.change) {
    case Change::IndexInPartition:
      return "index = {**entity, \"RowKey\": " + written(sketch.row_key) +
             "}\n"
             "table.submit_transaction([(\"upsert\", entity), (\"upsert\", index)])\n\n" +
             python_query("partition_key", bounds_of(sketch, ClientLanguage::Python));
    case Change::IndexElsewhere:
      return "index = {**entity, \"PartitionKey\": " + written(sketch.partition_key) +
             ", \"RowKey\": " + written(sketch.row_key) +
             "}\n"
             "table.upsert_entity(index)\n"
             "table.upsert_entity(entity)\n\n" +
             python_query(expression_of(sketch.partition_key, ClientLanguage::Python, false),
                          bounds_of(sketch, ClientLanguage::Python));
    case Change::QueryOfEach:
      return "def rows_of(partition_key):\n"
             "    return list(table.query_entities(\"PartitionKey eq @key\", parameters={\"key\": partition_key}))\n\n"
             "with concurrent.futures.ThreadPoolExecutor() as pool:\n"
             "    found = [entity for rows in pool.map(rows_of, partition_keys) for entity in rows]\n";
    case Change::ReadOfEach:
      return "with concurrent.futures.ThreadPoolExecutor() as pool:\n"
             "    found = list(pool.map(lambda row_key: table.get_entity(partition_key, row_key), row_keys))\n";
    case Change::OneQuery:
      return "found = table.query_entities(\n"
             "    \"PartitionKey eq @key and RowKey ge @low and RowKey le @high\",\n"
             "    parameters={\"key\": partition_key, \"low\": min(row_keys), \"high\": max(row_keys)})\n";
    case Change::OneTransaction:
      return "for begin in range(0, len(entities), 100):\n"
             "    table.submit_transaction([(\"upsert\", entity) for entity in entities[begin:begin + 100]])\n";
  }
  return {};
}

// --- JavaScript ---------------------------------------------------------------------------------------------

std::string javascript_query(const std::string& key, const Bounds& bounds) {
  const auto [filter, values] = query_text(key, bounds, {"${", "}", "", " = "});
  return "const " + values + ";\nconst found = table.listEntities({ queryOptions: { filter: odata`" + filter +
         "` } });\n";
}

std::string javascript_code(const KeySketch& sketch) {
  const auto written = [](const KeyTemplate& key) { return expression_of(key, ClientLanguage::JavaScript, true); };
  switch (sketch.change) {
    case Change::IndexInPartition:
      return "const index = { ...entity, rowKey: " + written(sketch.row_key) +
             " };\n"
             "await table.submitTransaction([[\"upsert\", entity, \"Replace\"], [\"upsert\", index, "
             "\"Replace\"]]);\n\n" +
             javascript_query("partitionKey", bounds_of(sketch, ClientLanguage::JavaScript));
    case Change::IndexElsewhere:
      return "const index = { ...entity, partitionKey: " + written(sketch.partition_key) +
             ", rowKey: " + written(sketch.row_key) +
             " };\n"
             "await table.upsertEntity(index, \"Replace\");\n"
             "await table.upsertEntity(entity, \"Replace\");\n\n" +
             javascript_query(expression_of(sketch.partition_key, ClientLanguage::JavaScript, false),
                              bounds_of(sketch, ClientLanguage::JavaScript));
    case Change::QueryOfEach:
      return "const rowsOf = async (key) => {\n"
             "  const rows = [];\n"
             "  for await (const entity of table.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${key}` "
             "} }))\n"
             "    rows.push(entity);\n"
             "  return rows;\n"
             "};\n"
             "const found = (await Promise.all(partitionKeys.map(rowsOf))).flat();\n";
    case Change::ReadOfEach:
      return "const found = await Promise.all(rowKeys.map((rowKey) => table.getEntity(partitionKey, rowKey)));\n";
    case Change::OneQuery:
      return "const sorted = [...rowKeys].sort(), low = sorted[0], high = sorted.at(-1);\n"
             "const found = table.listEntities({ queryOptions: {\n"
             "  filter: odata`PartitionKey eq ${partitionKey} and RowKey ge ${low} and RowKey le ${high}` } });\n";
    case Change::OneTransaction:
      return "for (let begin = 0; begin < entities.length; begin += 100)\n"
             "  await table.submitTransaction(\n"
             "    entities.slice(begin, begin + 100).map((entity) => [\"upsert\", entity, \"Replace\"]));\n";
  }
  return {};
}

// --- C# -----------------------------------------------------------------------------------------------------

std::string csharp_query(const std::string& key, const Bounds& bounds) {
  const auto [filter, values] = query_text(key, bounds, {"{", "}", "", " = "});
  return "string " + values + ";\nvar found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($\"" +
         filter + "\"));\n";
}

std::string csharp_code(const KeySketch& sketch) {
  const auto written = [](const KeyTemplate& key) { return expression_of(key, ClientLanguage::CSharp, true); };
  switch (sketch.change) {
    case Change::IndexInPartition:
      return "var index = new TableEntity(entity) { RowKey = " + written(sketch.row_key) +
             " };\n"
             "await table.SubmitTransactionAsync(new[] { entity, index }.Select(one =>\n"
             "    new TableTransactionAction(TableTransactionActionType.UpsertReplace, one)));\n\n" +
             csharp_query("partitionKey", bounds_of(sketch, ClientLanguage::CSharp));
    case Change::IndexElsewhere:
      return "var index = new TableEntity(entity) { PartitionKey = " + written(sketch.partition_key) +
             ", RowKey = " + written(sketch.row_key) +
             " };\n"
             "await table.UpsertEntityAsync(index, TableUpdateMode.Replace);\n"
             "await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);\n\n" +
             csharp_query(expression_of(sketch.partition_key, ClientLanguage::CSharp, false),
                          bounds_of(sketch, ClientLanguage::CSharp));
    case Change::QueryOfEach:
      return "var found = new ConcurrentBag<TableEntity>();\n"
             "await Task.WhenAll(partitionKeys.Select(async key => {\n"
             "    await foreach (var entity in table.QueryAsync<TableEntity>(\n"
             "        TableClient.CreateQueryFilter($\"PartitionKey eq {key}\")))\n"
             "        found.Add(entity);\n"
             "}));\n";
    case Change::ReadOfEach:
      return "var found = await Task.WhenAll(rowKeys.Select(async rowKey =>\n"
             "    (await table.GetEntityAsync<TableEntity>(partitionKey, rowKey)).Value));\n";
    case Change::OneQuery:
      return "var (low, high) = (rowKeys.Min(StringComparer.Ordinal), rowKeys.Max(StringComparer.Ordinal));\n"
             "var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter(\n"
             "    $\"PartitionKey eq {partitionKey} and RowKey ge {low} and RowKey le {high}\"));\n";
    case Change::OneTransaction:
      return "foreach (var part in entities.Chunk(100))\n"
             "    await table.SubmitTransactionAsync(part.Select(entity =>\n"
             "        new TableTransactionAction(TableTransactionActionType.UpsertReplace, entity)));\n";
  }
  return {};
}

}  // namespace

ClientLanguage language_of_client(std::string_view client) {
  const std::string name = to_lower_ascii(client.substr(0, client.find('/')));
  if (name == "azsdk-js-data-tables") return ClientLanguage::JavaScript;
  if (name == "azsdk-python-data-tables") return ClientLanguage::Python;
  if (name == "azsdk-net-data.tables") return ClientLanguage::CSharp;
  return ClientLanguage::None;
}

std::string_view to_string(ClientLanguage language) {
  constexpr std::array<std::string_view, 4> kNames = {"", "javascript", "python", "csharp"};
  return kNames[static_cast<std::size_t>(language)];
}

std::string client_code(const KeySketch& sketch, ClientLanguage language) {
  switch (language) {
    case ClientLanguage::JavaScript:
      return javascript_code(sketch);
    case ClientLanguage::Python:
      return python_code(sketch);
    case ClientLanguage::CSharp:
      return csharp_code(sketch);
    case ClientLanguage::None:
      break;
  }
  return {};
}

}  // namespace rocktable
