// The accounts, and the tables of the current one: what the list at the left and the screen of tables show.
//
//   state.catalog = { accounts, account, tables, error }
//
// `tables` are those of `account`, and null until they are known.
import { control } from "../core/api.js";
import { change, state } from "../core/state.js";

state.catalog = { accounts: [], tables: null, error: null, account: null };

let latest = 0;

// Loads both. Tables of another account are forgotten at once.
export async function loadCatalog() {
  if (state.catalog.account !== state.account)
    change(() => Object.assign(state.catalog, { tables: null, account: state.account, error: null }));
  await Promise.all([loadAccounts(), refreshTables()]);
}

async function loadAccounts() {
  try {
    const { accounts } = await control("GET", "accounts");
    change(() => (state.catalog.accounts = accounts));
  } catch {
    // the picker keeps the account of the address
  }
}

export async function refreshTables() {
  const own = ++latest;
  const account = state.account;
  try {
    const { tables } = await control("GET", "tables", { query: { account } });
    if (own === latest) change(() => Object.assign(state.catalog, { tables, account, error: null }));
  } catch (error) {
    if (own === latest) change(() => Object.assign(state.catalog, { tables: [], account, error }));
  }
}

// Asks for the count of one table alone, after a change of its entities.
export async function refreshTable(table, account = state.account) {
  const { tables } = await control("GET", "tables", { query: { account, table } });
  change(() => {
    const list = state.catalog.tables ?? [];
    const place = list.findIndex((one) => one.name === table);
    if (state.catalog.account === account && place >= 0 && tables[0])
      state.catalog.tables = [...list.slice(0, place), tables[0], ...list.slice(place + 1)];
  });
}

export function tableOf(name) {
  return state.catalog.tables?.find((one) => one.name.toLowerCase() === name?.toLowerCase());
}
