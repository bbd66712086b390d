// Everything has an address in the hash, so that links can be sent and Back works:
//
//   #/acc/ACCOUNT                             the tables of an account
//   #/acc/ACCOUNT/TABLE?filter=&select=&top=  entities
//   #/requests?…  #/insight  #/lab  #/access

export function linkTo(path, parameters = {}) {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  const query = new URLSearchParams(given).toString();
  return `#${path}${query && "?"}${query}`;
}

export function go(path, parameters, { replace = false } = {}) {
  const address = linkTo(path, parameters);
  if (address === location.hash) return;
  if (!replace) location.hash = address;
  else {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

export function readAddress(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}
