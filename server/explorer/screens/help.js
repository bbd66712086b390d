// The keys, as they are now.
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { allKeys } from "../core/keyboard.js";
import { showDialog } from "../core/dialog.js";

const kNames = { Escape: "Esc", ArrowDown: "↓", ArrowUp: "↑" };

export function showHelp() {
  return showDialog("Keys", (close) =>
    h("div", { class: "stack" },
      h("h2", null, "Keys"),
      h("dl", { class: "keys" }, allKeys().map(([keys, words]) => [
        h("dt", null, keys.split(" ").map((key) => h("kbd", null, kNames[key] ?? key))),
        h("dd", null, words),
      ])),
      h("div", { class: "row end" }, button("Close", () => close(), { autofocus: true }))));
}
