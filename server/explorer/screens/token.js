// Asks for the control token.
import { h } from "../core/render.js";
import { showDialog } from "../core/dialog.js";

export async function askForToken(wasRefused) {
  let typed = "";
  const token = await showDialog("Control token", (close) =>
    h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); close(typed); } },
      h("h2", null, "This server needs its control token"),
      h("p", null, "It is what was given to --controlToken. The page keeps it until it is reloaded or closed."),
      wasRefused && h("p", { class: "error", role: "alert" }, "The server refused that token."),
      h("label", null, "Token",
        h("input", {
          type: "password", autocomplete: "off", autofocus: true, required: true,
          oninput: (event) => (typed = event.target.value),
        })),
      h("div", { class: "row end" },
        h("button", { type: "button", onclick: () => close("") }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, "Continue"))));
  return token ?? "";
}
