// What bearer tokens may do: the identities that are known, and their roles.
//
//   state.access.roles = { enforced, identities, assignments }, as GET roles answers
import { control } from "../core/api.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";

state.access = { roles: null, error: null };

export async function loadRoles() {
  try {
    const roles = await control("GET", "roles");
    change(() => Object.assign(state.access, { roles, error: null }));
  } catch (error) {
    change(() => (state.access.error = error));
  }
}

// The name of an identity, or its object id.
export const shownIdentity = ({ identities = [] }, id) => identities.find((one) => one.oid === id)?.name || id;

export function rolePart() {
  const { roles, error } = state.access;
  return h("section", { class: "lab-part", "aria-labelledby": "access-roles" },
    h("h2", { id: "access-roles" }, "Roles"),
    error && h("p", { class: "error", role: "alert" }, error.message),
    roles && (roles.enforced ? assignmentTable(roles) : h("p", { class: "dim" },
      "There are none: a bearer token permits everything. ", h("code", null, "--roles FILE"), " or ",
      h("code", null, "--identity NAME=ROLE"), " at the start makes rocktable check them.")));
}

function assignmentTable(roles) {
  const head = (title) => h("th", { scope: "col" }, title);
  const { assignments = [] } = roles;
  if (assignments.length === 0) return h("p", { class: "dim" }, "No identity has a role: tokens permit nothing.");
  return h("div", { class: "sideways" }, h("table", { class: "data" },
    h("thead", null, h("tr", null, head("Identity"), head("Role"), head("Where"))),
    h("tbody", null, assignments.map(({ identity, role, scope }, i) => h("tr", { key: i },
      h("th", { scope: "row" }, shownIdentity(roles, identity)),
      h("td", null, role),
      h("td", null, scope || "everywhere"))))));
}
