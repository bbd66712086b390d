// Starts the page: the frame, the screen of the current address, keys, and what to do when a token is needed
// or the server was away.
import { go, readAddress } from "./core/address.js";
import { askTokenWith, lost, onBack } from "./core/api.js";
import { isField, listenToKeys, onKey } from "./core/keyboard.js";
import { mount } from "./core/render.js";
import { change, drawWith, notify, state } from "./core/state.js";
import { loadCatalog, refreshTables } from "./screens/catalog.js";
import { frame } from "./screens/frame.js";
import { showHelp } from "./screens/help.js";
import { refreshLab } from "./screens/lab_dot.js";
import { askForToken } from "./screens/token.js";

// Each screen exports view(state), enter(address) and leave(). enter() is called for each address of the
// screen, leave() when another screen follows, and back(), if there is one, instead of enter() when the
// server was away. They are loaded when they are first opened.
const kScreens = {
  tables: () => import("./screens/tables.js"),
  entities: () => import("./screens/entities.js"),
  requests: () => import("./activity/requests.js"),
  insight: () => import("./activity/insight.js"),
  lab: () => import("./activity/lab.js"),
  access: () => import("./access/access.js"),
};

const kReloadMs = 10_000; // a page is not loaded again before it is so old

let current = null; // the module of the screen that is shown
let loadError = null;
let arrivals = 0;

function screenOf({ path }) {
  if (path[0] === "acc" && path[1]) return path[2] ? "entities" : "tables";
  return kScreens[path[0]] && path[0] !== "entities" ? path[0] : null;
}

async function arrive() {
  const address = readAddress();
  const screen = screenOf(address);
  if (!screen || (screen === "tables" && !address.path[1])) {
    go(`/acc/${encodeURIComponent(state.account)}`, {}, { replace: true });
    return;
  }
  const arrival = ++arrivals;
  let module = null;
  try {
    module = await kScreens[screen]();
    loadError = null;
  } catch (error) {
    loadError = error;
    lost(); // the screens are part of the server: it does not answer
  }
  if (arrival !== arrivals) return; // another address meanwhile
  if (current && current !== module) current.leave();
  change(() => {
    const isOther = state.screen !== screen || address.path.join("/") !== state.address.path.join("/");
    state.address = address;
    state.screen = screen;
    state.table = screen === "entities" ? address.path[2] : null;
    if (address.path[0] === "acc") state.account = address.path[1];
    else takeAccount(address.parameters.account);
    if (isOther) {
      state.panel?.close?.();
      state.panel = null;
    }
    state.isDrawerOpen = false;
  });
  current = module;
  document.title = `${screen} · rocktable`; // a screen that has more to say says it in enter()
  if (state.account !== state.catalog.account) loadCatalog();
  else if (screen === "tables") refreshTables();
  refreshLab();
  await module?.enter(address);
  notify();
}

// Addresses of the other screens may name an account, or all of them by "*".
function takeAccount(account) {
  if (account) state.hasAllAccounts = account === "*";
  if (account && account !== "*") state.account = account;
}

function isShown() {
  return current ? current.view(state) : null;
}

function start() {
  askTokenWith(askForToken);
  drawWith(mount(document.getElementById("app"), () => frame(state, isShown, loadError)));
  onKey("?", "this help", () => void showHelp());
  onKey("g t", "tables", () => go(`/acc/${encodeURIComponent(state.account)}`));
  onKey("g r", "requests", () => go("/requests"));
  onKey("g i", "insight", () => go("/insight"));
  onKey("g l", "lab", () => go("/lab"));
  onKey("g a", "access", () => go("/access"));
  onKey("Escape", "back: closes the panel, leaves a field", leaveOne);
  listenToKeys();
  addEventListener("hashchange", arrive);
  addEventListener("focus", refreshLab);
  addEventListener("click", ({ target }) => closeMenus(target));
  onBack(async () => {
    if (loadError) {
      await arrive();
      // Some browsers keep that they could not load a file.
      if (loadError) return void (performance.now() > kReloadMs && location.reload());
    }
    loadCatalog();
    refreshLab();
    if (current?.back) current.back();
    else current?.enter(state.address);
  });
  // What no screen has dealt with is said in the frame, not lost in the console.
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof TypeError && /module/.test(reason.message)) return void lost(); // a part of the page
    if (reason?.name !== "AbortError") change(() => (state.error = reason));
  });
  arrive();
}

// Closes the menus of the frame that `target` is not in. Returns whether there was one.
function closeMenus(target) {
  const open = [...document.querySelectorAll("details.menu[open]")].filter((menu) => !menu.contains(target));
  for (const menu of open) menu.open = false;
  return open.length > 0;
}

function leaveOne() {
  const active = document.activeElement;
  if (isField(active)) return active.blur();
  if (closeMenus(null)) return true;
  if (state.isDrawerOpen) return change(() => (state.isDrawerOpen = false));
  if (!state.panel) return false;
  const panel = state.panel;
  panel.close?.();
  change(() => {
    if (state.panel === panel) state.panel = null;
  });
}

start();
