// A keyed renderer. A view describes the page with h(); mount() draws it, and redraw() changes only what
// differs from the description before.
//
// A property is written when the view's value of it changed, not when the page's did: what a person has typed
// stays until the view says otherwise. Text becomes text nodes alone, so hostile text cannot become markup.

const kAsProperty = new Set([
  "value", "checked", "disabled", "hidden", "open", "indeterminate", "selected", "scrollTop", "scrollLeft",
]);
const kSvg = "http://www.w3.org/2000/svg";

// Describes an element. Properties: `key`, `ref` (called once with the new element), `on…` listeners, `style`
// (an object; names with -- are custom properties), and attributes, which null and false remove.
export function h(tag, props, ...children) {
  return { tag, key: props?.key, props: props ?? {}, children: flat(children, []), node: null };
}

// Draws `view()` in `container`; returns the function that draws it again.
export function mount(container, view) {
  let drawn = [];
  const redraw = () => {
    const next = flat([view()], []);
    patchChildren(container, drawn, next);
    drawn = next;
  };
  redraw();
  return redraw;
}

// Children without nesting and without nothing. Adjacent texts stay apart, so that a text has the same place
// each time.
function flat(children, into) {
  for (const child of children) {
    if (Array.isArray(child)) flat(child, into);
    else if (child === null || child === undefined || child === false || child === true) continue;
    else if (typeof child === "object") into.push(child);
    else into.push({ tag: "", key: undefined, text: String(child), node: null });
  }
  return into;
}

function create(view, parent) {
  if (view.tag === "") return (view.node = document.createTextNode(view.text));
  const space = view.tag === "svg" ? kSvg : parent.namespaceURI;
  const element = document.createElementNS(space, view.tag);
  view.node = element;
  patchChildren(element, [], view.children);
  patchProps(element, {}, view.props); // after the children: a select's value needs its options
  view.props.ref?.(element);
  return element;
}

function patch(before, after) {
  if (before === after) return; // a view may keep what it described before
  const node = (after.node = before.node);
  if (after.tag === "") {
    if (before.text !== after.text) node.data = after.text;
    return;
  }
  patchChildren(node, before.children, after.children);
  patchProps(node, before.props, after.props);
}

const isAlike = (a, b) => a.tag === b.tag && a.key === b.key;

function patchChildren(parent, before, after) {
  const byKey = new Map();
  for (const view of before) if (view.key !== undefined) byKey.set(view.key, view);
  const unkeyed = before.filter((view) => view.key === undefined);
  const used = new Set();
  const pairs = [];
  let place = 0;
  for (const view of after) {
    const old = view.key !== undefined ? byKey.get(view.key) : unkeyed[place++];
    const fits = old && isAlike(old, view) && !used.has(old);
    if (fits) used.add(old);
    pairs.push(fits ? old : null);
  }
  for (const view of before) if (!used.has(view)) view.node.remove();
  let next = after.length === 0 ? null : parent.firstChild;
  after.forEach((view, i) => {
    if (pairs[i]) patch(pairs[i], view);
    else create(view, parent);
    if (view.node === next) next = next.nextSibling;
    else parent.insertBefore(view.node, next);
  });
}

function patchProps(element, before, after) {
  for (const name in before) if (!(name in after)) setProp(element, name, before[name], undefined);
  for (const name in after)
    if (before[name] !== after[name]) setProp(element, name, before[name], after[name]);
}

function setProp(element, name, before, value) {
  if (name === "key" || name === "ref") return;
  if (name.startsWith("on")) listen(element, name.slice(2), value);
  else if (name === "style") setStyle(element.style, before ?? {}, value ?? {});
  else if (kAsProperty.has(name) && !(element instanceof SVGElement)) {
    element[name] = value ?? (name === "value" ? "" : false);
  } else if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

function setStyle(style, before, after) {
  for (const name in before) if (!(name in after)) setOne(style, name, "");
  for (const name in after) if (before[name] !== after[name]) setOne(style, name, after[name]);
}

function setOne(style, name, value) {
  if (name.startsWith("--")) style.setProperty(name, value);
  else style[name] = value;
}

// One listener for each kind of event, whose function may change with each drawing.
const listeners = new WeakMap();

function listen(element, type, handler) {
  if (!listeners.has(element)) listeners.set(element, new Map());
  const own = listeners.get(element);
  if (!own.has(type)) element.addEventListener(type, (event) => own.get(type)?.call(element, event));
  own.set(type, handler || null);
}
