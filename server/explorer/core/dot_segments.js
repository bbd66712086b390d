// Whether a URL's reader would take segments of the path away, so that a request reaches another resource than it names:
// `..` and `.`, percent-encoded too. As browsers read URLs: they skip tabs and line breaks, and a backslash is a slash.
export function hasDotSegment(path) {
  const read = path.split(/[?#]/, 1)[0].replace(/[\t\r\n]/g, "").replaceAll("\\", "/");
  return read.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}
