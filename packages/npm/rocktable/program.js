// Finds the program: each platform has a package with it, an optional dependency of this one.
"use strict";
const { accessSync, constants } = require("node:fs");
const { optionalDependencies } = require("./package.json");

const kPackages = Object.keys(optionalDependencies);
const kOnWindows = process.platform === "win32";

// Returns "a, b and c".
function listed(names) {
  return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function installedProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@rocktable/${platform}`;
  if (!kPackages.includes(name)) {
    const others = listed(kPackages.map((one) => one.replace("@rocktable/", "")));
    const instead = kOnWindows ? "the container image, or WSL 2" : "the container image";
    throw new Error(
      `there is no program for ${platform}, only for ${others}; use ${instead}; ` +
        "ROCKTABLE_BINARY can name one that you have built",
    );
  }
  try {
    return require.resolve(`${name}/bin/rocktable${kOnWindows ? ".exe" : ""}`);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(
      `the package ${name} is not installed; it is an optional dependency of rocktable: ` +
        "install its file as well if you install from files; else install on the platform where you run it, " +
        "without --omit=optional",
    );
  }
}

// Returns the path of the program: that in ROCKTABLE_BINARY, or the installed one. Throws an Error with a sentence for
// the user.
exports.programFile = function programFile() {
  const file = process.env.ROCKTABLE_BINARY || installedProgram();
  try {
    accessSync(file, constants.X_OK);
  } catch (error) {
    throw new Error(`cannot run ${file}: ${error.message}`);
  }
  return file;
};
