// The frame around each screen: the bar at the top, the list of tables at the left, the panel at the right.
import { go, linkTo } from "../core/address.js";
import { shown } from "../core/format.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change } from "../core/state.js";
import { connectionString } from "./connection.js";
import { showHelp } from "./help.js";
import { sidebar } from "./sidebar.js";

const kTabs = [
  ["Tables", ["tables", "entities"], (state) => linkTo(`/acc/${encodeURIComponent(state.account)}`)],
  ["Requests", ["requests"], () => linkTo("/requests")],
  ["Insight", ["insight"], () => linkTo("/insight")],
  ["Lab", ["lab"], () => linkTo("/lab")],
  ["Access", ["access"], () => linkTo("/access")],
];

export function frame(state, isShown, loadError) {
  const hasTables = state.screen === "tables" || state.screen === "entities";
  return [
    h("header", { class: "bar", key: "bar" },
      hasTables && button("List", () => change(() => (state.isDrawerOpen = !state.isDrawerOpen)), {
        class: "drawer-button", key: "drawer", "aria-expanded": String(Boolean(state.isDrawerOpen)),
        "aria-controls": "sidebar",
      }),
      h("a", { class: "brand", href: linkTo(`/acc/${encodeURIComponent(state.account)}`) }, "rocktable"),
      accountPicker(state),
      h("nav", { class: "tabs", "aria-label": "Screens" }, kTabs.map(([name, screens, href]) =>
        h("a", { href: href(state), "aria-current": screens.includes(state.screen) ? "page" : null }, name,
          name === "Lab" && state.labOn.length > 0 && labDot(state)))),
      button("Keys", () => void showHelp(), { class: "quiet help", title: "?" }),
      connectionString(state)),
    h("div", { key: "notices" },
      !state.isReachable &&
        h("p", { class: "notice", role: "status" }, "rocktable does not answer. The page goes on by itself when it is there again."),
      state.error && problem(state.error)),
    h("div", { class: `body${state.panel ? " with-panel" : ""}`, key: "body" },
      hasTables && sidebar(state),
      h("main", { key: "main", id: "main", tabindex: "-1" }, loadError ? missing() : isShown()),
      state.panel &&
        h("aside", { class: "panel", key: "panel", "aria-label": "Details" }, state.panel.view())),
  ];
}

const problem = ({ code, message }) =>
  h("p", { class: "notice bad", role: "alert" },
    h("span", { class: "grow" }, code && h("strong", null, `${code}: `), shown(message, 600)),
    button("Dismiss", () => change((state) => (state.error = null))));

function labDot({ labOn }) {
  const text = `On: ${labOn.join(", ")}`;
  return h("span", { class: "dot", role: "img", "aria-label": text, title: text });
}

// On the screens of tables it leads to those of the account; the others stay, and show what is of the account, or of
// all.
function accountPicker({ account, catalog, screen, address, hasAllAccounts }) {
  const names = catalog.accounts.map((one) => one.account);
  if (!names.includes(account)) names.unshift(account);
  const hasTables = screen === "tables" || screen === "entities";
  const choose = ({ target }) => (hasTables ? go(`/acc/${encodeURIComponent(target.value)}`) :
    go(`/${address.path.join("/")}`, { ...address.parameters, account: target.value }));
  return h("label", { class: "account" },
    h("span", { class: "offscreen" }, "Account"),
    h("select", { value: !hasTables && hasAllAccounts ? "*" : account, onchange: choose },
      !hasTables && h("option", { key: "*", value: "*" }, "all accounts"),
      names.map((name) => h("option", { key: name, value: name }, name))));
}

const missing = () =>
  h("div", { class: "empty" }, h("h1", null, "This screen cannot be loaded"),
    h("p", null, "rocktable does not answer. The screen appears when it is there again."));
