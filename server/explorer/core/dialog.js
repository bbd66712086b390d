// Dialogs: only for what destroys, the token, and help. Each resolves when it closes, and gives the focus
// back.
import { ApiError } from "./api.js";
import { h, mount } from "./render.js";

// Shows `view(close)` as a modal dialog; resolves with what close() was given, or undefined after Escape.
export function showDialog(label, view, { className = "" } = {}) {
  return new Promise((resolve) => {
    const focused = document.activeElement;
    const dialog = document.createElement("dialog");
    dialog.className = className;
    dialog.setAttribute("aria-label", label);
    document.body.append(dialog);
    let result;
    const close = (value) => {
      result = value;
      dialog.close();
    };
    dialog.addEventListener("close", () => {
      dialog.remove();
      focused?.focus?.();
      resolve(result);
    });
    const redraw = mount(dialog, () => view(close, () => redraw()));
    dialog.showModal();
  });
}

// Asks before `action` runs: to type `word`, if there is one. An error is shown, and the dialog stays. Returns whether
// it was done.
export async function confirmAction({ title, text, word = "", button = "Delete", action }) {
  let typed = "";
  let error = "";
  let isRunning = false;
  const done = await showDialog(title, (close, redraw) => {
    const run = async (event) => {
      event.preventDefault();
      if (typed !== word || isRunning) return;
      isRunning = true;
      redraw();
      try {
        await action();
        close(true);
      } catch (problem) {
        if (!(problem instanceof ApiError)) console.warn(problem);
        error = problem.code ? `${problem.code}: ${problem.message}` : problem.message;
        isRunning = false;
        redraw();
      }
    };
    return h("form", { class: "stack", onsubmit: run },
      h("h2", null, title),
      h("p", null, text),
      word && h("label", null, "Type ", h("code", null, word), " to confirm",
        h("input", {
          type: "text", autocomplete: "off", autofocus: true, spellcheck: "false",
          oninput: (event) => { typed = event.target.value; redraw(); },
        })),
      error && h("p", { class: "error", role: "alert" }, error),
      h("div", { class: "row end" },
        h("button", { type: "button", onclick: () => close(false) }, "Cancel"),
        h("button", {
          type: "submit", class: "danger", disabled: typed !== word || isRunning, autofocus: !word,
        }, button)));
  });
  return done === true;
}
