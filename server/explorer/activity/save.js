// Saves a text, or several as one, as a file by a download.
export function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text].flat(), { type }));
  const link = document.createElement("a");
  Object.assign(link, { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
