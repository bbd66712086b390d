// Keys without Ctrl, Alt or Meta, outside of fields: one key ("n"), or two in a row ("g t"). Escape also
// works in fields.

const kSecondKeyMs = 1200;
const actions = new Map(); // "g t" -> { action, words }
let first = "";
let firstAt = 0;

// `words` appear in the help. Returns the function that removes it. The last that was added for a key wins.
export function onKey(keys, words, action) {
  const list = actions.get(keys) ?? [];
  const own = { action, words };
  actions.set(keys, [...list, own]);
  return () =>
    actions.set(
      keys,
      actions.get(keys).filter((one) => one !== own),
    );
}

export function allKeys() {
  return [...actions].filter(([, list]) => list.length > 0).map(([keys, list]) => [keys, list.at(-1).words]);
}

export function isField(element) {
  if (element?.isContentEditable) return true;
  const isText =
    element?.tagName === "INPUT" && !/^(checkbox|radio|button|submit|file|range)$/.test(element.type);
  return isText || /^(TEXTAREA|SELECT)$/.test(element?.tagName ?? "");
}

export function listenToKeys(target = document) {
  target.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return; // it has its own keys
    if (isField(event.target) && event.key !== "Escape") return;
    // Enter and space belong to what has the focus.
    if (/^(Enter| )$/.test(event.key) && event.target.closest?.("button, a, summary, input, label")) return;
    const both = performance.now() - firstAt < kSecondKeyMs ? `${first} ${event.key}` : "";
    const list = actions.get(both)?.length ? actions.get(both) : actions.get(event.key);
    first = event.key;
    firstAt = performance.now();
    // An action that returns false does not apply here; then the key is not used up.
    if (!list?.length || list.at(-1).action(event) === false) return;
    event.preventDefault();
    first = "";
  });
}
