// The time that the server uses.
import { control } from "../core/api.js";
import { button } from "../core/parts.js";
import { h } from "../core/render.js";
import { change, state } from "../core/state.js";
import { act, errorOf } from "./lab_part.js";

const own = () => state.lab.clock;

export const loadClock = () =>
  act("clock", async () => Object.assign(own(), await control("GET", "clock")), { isChange: false });

const turn = (body) =>
  act("clock", async () => Object.assign(own(), await control("PUT", "clock", { body })));

// "2026-11-22T21:00:00.0000000Z" as people read it
const instant = (iso) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

export function clockPart() {
  const { now, offset, frozen, step = "+2h", at = "" } = own();
  const isReal = !frozen && /^[+-]?0s?$/.test(offset ?? "0s");
  const submit = (body) => (event) => {
    event.preventDefault();
    turn(body);
  };
  return h("section", { class: "lab-part", "aria-labelledby": "lab-clock" },
    h("h2", { id: "lab-clock" }, "Clock"),
    h("p", { class: "dim" },
      "Signatures, timestamps, throttling and delays use this time. ",
      "While it differs by more than 15 minutes, signatures by account keys are refused."),
    errorOf("clock"),
    now && h("p", { role: "status" }, h("b", { class: "mono" }, instant(now)), " when asked, ",
      isReal ? "the real time" : h("b", { class: "warn" },
        frozen ? "stopped" : `${offset.startsWith("-") ? "" : "+"}${offset} from the real time`)),
    h("div", { class: "row turns" },
      h("form", { class: "row", onsubmit: submit({ step }) },
        h("label", { class: "field" }, h("span", null, "Turn by"), h("input", {
          type: "text", value: step, size: 8, required: true, spellcheck: "false",
          oninput: ({ target }) => change(() => (own().step = target.value)),
        })),
        h("button", { type: "submit" }, "Turn"),
        button("Set offset", () => turn({ offset: step }), { title: "The real time, and this" })),
      h("form", { class: "row", onsubmit: submit({ frozen: at || true }) },
        h("label", { class: "field" }, h("span", null, "Stop at"), h("input", {
          type: "text", value: at, size: 20, placeholder: "now", spellcheck: "false",
          title: "Such as 2026-01-31T12:00:00Z",
          oninput: ({ target }) => change(() => (own().at = target.value.trim())),
        })),
        h("button", { type: "submit" }, "Stop")),
      button("Real time", () => turn({}), { disabled: isReal }),
      button("Reload", loadClock, { class: "quiet" })));
}
