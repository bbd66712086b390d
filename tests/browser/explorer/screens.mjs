// Every screen: its address, and what is done there before it is looked at; prepare(page, server). For the
// test of accessibility, and for script/screenshots.
import { kAccount, loaded } from "./harness.mjs";

const kFilter = "PartitionKey eq 'de-03' and Price gt 3";

async function openRow(page) {
  await loaded(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").waitFor();
}

async function button(page, name) {
  await loaded(page);
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("complementary").waitFor();
}

export const kScreens = {
  tables: { address: kAccount, prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
  "no-tables": {
    address: "#/acc/another",
    prepare: (page) => page.getByRole("heading", { name: "No tables yet" }).waitFor(),
  },
  list: {
    address: `${kAccount}/log20261103`,
    prepare: async (page) => {
      await loaded(page);
      const button = page.getByRole("button", { name: "List" });
      if (await button.isVisible()) await button.click();
      await page
        .getByRole("navigation", { name: "Tables" })
        .getByRole("link", { name: "log20261103" })
        .waitFor();
    },
  },
  connection: {
    address: kAccount,
    prepare: async (page) => {
      await page.locator("summary", { hasText: "Connection string" }).click();
      await page.getByRole("button", { name: /^Copy/ }).first().waitFor();
    },
  },
  entities: { address: `${kAccount}/orders?filter=${encodeURIComponent(kFilter)}`, prepare: loaded },
  scan: { address: `${kAccount}/orders?filter=${encodeURIComponent("Price gt 3")}&top=20`, prepare: loaded },
  refused: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Filter", { exact: true }).fill("PartitionKey eq 'de-03' and Price gt gt 3");
      await page.locator("mark").waitFor();
    },
  },
  "short-pages": {
    address: `${kAccount}/orders`,
    prepare: async (page, server) => {
      await loaded(page);
      const before = (await server.control("GET", "behaviour")).behaviour;
      await server.control("PUT", "behaviour", { ...before, boundaries: 6 });
      await page.getByRole("button", { name: "Run", exact: true }).click();
      for (let i = 2; i <= 5; i += 1) {
        await page.locator(".paging").getByRole("button", { name: "Next page" }).click();
        await page.locator(".page-line", { hasText: `page ${i}:` }).waitFor();
      }
      await page.locator(".pages summary").click();
      await server.control("PUT", "behaviour", before);
    },
  },
  selected: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Select row 3", { exact: true }).click();
      await page.getByLabel("Select row 7", { exact: true }).click({ modifiers: ["Shift"] });
      await page.getByText("5 selected").waitFor();
    },
  },
  completion: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Filter", { exact: true }).pressSequentially("PartitionKey eq 'de-03' and P");
      await page.getByRole("listbox").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.getByText("not finished").waitFor();
    },
  },
  recent: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Filter", { exact: true }).fill(kFilter);
      await page.keyboard.press("Enter");
      await page.waitForURL(/filter/);
      await page.getByRole("button", { name: "Recent" }).click();
      await page.getByRole("listbox").waitFor();
    },
  },
  cell: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.locator(".grid tbody:not(.space) tr").nth(2).locator("td").nth(4).dblclick();
      await page.locator(".editing input").fill("many");
      await page.keyboard.press("Enter");
      await page.locator(".editing .error").waitFor();
    },
  },
  columns: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.locator(".grid thead").getByRole("button", { name: "Price" }).click();
      await page.locator("summary", { hasText: "Columns" }).click();
      await page.getByLabel("Paid", { exact: true }).uncheck();
    },
  },
  deleted: {
    address: `${kAccount}/log20261114`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Select row 1", { exact: true }).click();
      await page.getByRole("button", { name: "Delete 1…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  confirm: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByLabel("Select row 3", { exact: true }).click();
      await page.getByRole("button", { name: "Delete 1…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  json: {
    address: `${kAccount}/documents`,
    prepare: async (page) => {
      await loaded(page);
      await page.getByRole("button", { name: "JSON of Order in lines" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  entity: { address: `${kAccount}/customers`, prepare: openRow },
  "new-entity": { address: `${kAccount}/orders`, prepare: (page) => button(page, "New entity") },
  transfer: { address: `${kAccount}/orders`, prepare: (page) => button(page, "Import, export") },
  snippets: {
    address: `${kAccount}/orders?filter=${encodeURIComponent(kFilter)}`,
    prepare: (page) => button(page, "Query as code"),
  },
  delete: {
    address: kAccount,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Delete orders" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  keys: {
    address: `${kAccount}/orders`,
    prepare: async (page) => {
      await loaded(page);
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  },
  requests: {
    address: "#/requests",
    prepare: (page) => page.getByRole("main").locator("*").first().waitFor(),
  },
  insight: { address: "#/insight", prepare: (page) => page.getByRole("main").locator("*").first().waitFor() },
  lab: { address: "#/lab", prepare: (page) => page.getByRole("main").locator("*").first().waitFor() },
  access: {
    address: "#/access",
    prepare: (page) => page.getByRole("region", { name: "Local identities" }).getByText("There are none.").waitFor(),
  },
};
