// The renderer, in Chromium: what is drawn again keeps its elements, and what a person did to them.
import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { browser, openExplorer, server, useServerAndBrowser } from "./harness.mjs";

let explorer, page;

after(() => explorer?.close()); // before the browser

useServerAndBrowser({
  prepare: async () => {
    explorer = await openExplorer(browser, server);
    page = explorer.page;
  },
});

// Each test draws in an empty element of its own: `draw(view)` in the page.
beforeEach(() =>
  page.evaluate(async () => {
    const { h, mount } = await import("/_rocktable/explorer/core/render.js");
    const place = document.createElement("section");
    document.body.replaceChildren(place);
    let view = () => null;
    const redraw = mount(place, () => view());
    Object.assign(window, {
      h,
      place,
      draw: (next) => {
        view = next;
        redraw();
        return place.innerHTML;
      },
    });
  }),
);

const list = (keys) =>
  page.evaluate((names) => {
    draw(() =>
      h(
        "ul",
        null,
        names.map((name) => h("li", { key: name }, name)),
      ),
    );
    return [...place.querySelectorAll("li")].map((one) => one.textContent + (one.mark ?? ""));
  }, keys);

describe("The renderer", () => {
  test("draws text as text", async () => {
    const html = await page.evaluate(() =>
      draw(() => h("p", { title: '"' }, "<script>alert(1)</script>", 3, null, false, [["x"]])),
    );
    assert.equal(html, '<p title="&quot;">&lt;script&gt;alert(1)&lt;/script&gt;3x</p>');
  });

  test("keeps the element of a key wherever it moves", async () => {
    await list(["a", "b", "c", "d"]);
    await page.evaluate(() => place.querySelectorAll("li").forEach((one) => (one.mark = "!")));
    assert.deepEqual(await list(["d", "b", "e", "a"]), ["d!", "b!", "e", "a!"]);
    assert.deepEqual(await list([]), []);
    assert.deepEqual(await list(["a", "b"]), ["a", "b"], "elements that were removed do not come back");
  });

  test("gives each order that a random list takes", async () => {
    let seed = 7;
    const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
    for (let round = 0; round < 200; round += 1) {
      const keys = [...new Set(Array.from({ length: random(12) }, () => `k${random(16)}`))];
      assert.deepEqual(await list(keys), keys);
    }
  });

  test("leaves what was typed until the view's value changes", async () => {
    const typed = await page.evaluate(() => {
      const view = (value, title) => () => h("input", { value, title });
      draw(view("a", "1"));
      place.firstChild.value = "typed";
      draw(view("a", "2"));
      const kept = place.firstChild.value;
      draw(view("b", "2"));
      return [kept, place.firstChild.value];
    });
    assert.deepEqual(typed, ["typed", "b"]);
  });

  test("selects the value of a list whose options come with it", async () => {
    const value = await page.evaluate(() => {
      draw(() =>
        h(
          "select",
          { value: "two" },
          ["one", "two"].map((one) => h("option", { value: one }, one)),
        ),
      );
      return place.firstChild.value;
    });
    assert.equal(value, "two");
  });

  test("calls the listener of the last drawing, and none that is gone", async () => {
    const calls = await page.evaluate(() => {
      const log = [];
      for (const name of ["first", "second"]) draw(() => h("button", { onclick: () => log.push(name) }));
      place.firstChild.click();
      draw(() => h("button", null));
      place.firstChild.click();
      return log;
    });
    assert.deepEqual(calls, ["second"]);
  });

  test("removes attributes, properties and styles that the view no longer has", async () => {
    const html = await page.evaluate(() => {
      draw(() =>
        h("button", { class: "x", disabled: true, "aria-label": "y", style: { width: "3px", "--a": "1" } }),
      );
      return draw(() => h("button", { class: null, style: { width: "4px" } }));
    });
    assert.equal(html, '<button style="width: 4px;"></button>');
  });

  test("keeps the focus where keyed neighbours come and go", async () => {
    const focused = await page.evaluate(() => {
      const view = (keys) => () => keys.map((key) => h("input", { key, id: key }));
      draw(view(["a", "b", "c"]));
      document.getElementById("b").focus();
      draw(view(["b", "c", "d"]));
      draw(view(["x", "b", "d"]));
      return document.activeElement.id;
    });
    assert.equal(focused, "b");
  });

  test("does not compare what is the same description again", async () => {
    const count = await page.evaluate(() => {
      const same = h("p", null, "same");
      draw(() => [same, "a"]);
      place.firstChild.textContent = "changed by hand";
      draw(() => [same, "b"]);
      return place.textContent;
    });
    assert.equal(count, "changed by handb");
  });

  test("draws SVG in its own namespace", async () => {
    const space = await page.evaluate(() => {
      draw(() => h("svg", { viewBox: "0 0 1 1" }, h("rect", { width: 1 })));
      return place.querySelector("rect").namespaceURI;
    });
    assert.equal(space, "http://www.w3.org/2000/svg");
  });
});
