// Prints the test cases of eslint-plugin-jsx-a11y as JSON, for jsx_a11y.py.
//
//     node jsx_a11y.cjs PEERS CLONE
//
// Each case is { rule, code, isValid, settings }; cases with options other than those of the plugin's
// recommended configuration are left out. The tests are transpiled and run with a RuleTester that only
// collects them.
"use strict";

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const [peers, clone] = process.argv.slice(2);
const load = Module.createRequire(`${peers}/package.json`);
// The packages of the plugin, in the versions that it needs.
const loadOfPlugin = Module.createRequire(load.resolve("eslint-plugin-jsx-a11y/package.json"));
const typescript = load("typescript");

const recommended = load("eslint-plugin-jsx-a11y").flatConfigs.recommended.rules;
const cases = [];
let rule = "";

class RuleTester {
  run(name, _, tests) {
    if (name.includes(":strict")) return;
    const [, ...allowed] = [recommended[`jsx-a11y/${rule}`]].flat();
    for (const [isValid, list] of [[true, tests.valid], [false, tests.invalid]]) {
      for (const test of list) {
        const { code, options = [], settings = {} } = typeof test === "string" ? { code: test } : test;
        const isDefault = options.every((each) => Object.keys(each ?? {}).length === 0);
        if (isDefault || JSON.stringify(options) === JSON.stringify(allowed)) {
          cases.push({ rule, code, isValid, settings });
        }
      }
    }
  }
}

const asModule = (value) => ({ __esModule: true, default: value });
const parsers = new Proxy({}, { get: (_, name) => (name === "all" ? (...tests) => tests.flat(Infinity) : (value) => value) });
// Replaced, because they need packages for testing that the rules do not.
const STUBS = {
  "__util__/RuleTester": asModule(RuleTester),
  "__util__/helpers/parsers": asModule(parsers),
  "object.entries": asModule(Object.entries),
  tape: asModule(() => {}),
  semver: asModule({ satisfies: () => true, major: (version) => Number(version.split(".")[0]) }),
};

const original = Module._load;
Module._load = function (name, parent, ...rest) {
  const stub = Object.keys(STUBS).find((suffix) => name.endsWith(suffix));
  if (stub) return STUBS[stub];
  // The tests of the published package take it from here.
  if (name === "eslint" && parent?.filename.startsWith(clone)) return { RuleTester };
  const isOwn = name.startsWith(".") || path.isAbsolute(name) || Module.isBuiltin(name);
  return isOwn || !parent?.filename.startsWith(clone) ? original.call(this, name, parent, ...rest) : loadOfPlugin(name);
};

require.extensions[".js"] = (module, file) => {
  const text = fs.readFileSync(file, "utf8");
  if (!file.startsWith(clone)) return module._compile(text, file);
  const compilerOptions = { module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2020, esModuleInterop: true };
  // Casts of Flow, which TypeScript cannot transpile.
  const uncast = text.replace(/: ESLint\w+\)/g, ")");
  return module._compile(typescript.transpileModule(uncast, { compilerOptions, fileName: file.replace(/\.js$/, ".ts") }).outputText, file);
};

const directory = path.join(clone, "__tests__/src/rules");
for (const file of fs.readdirSync(directory).filter((file) => file.endsWith("-test.js"))) {
  rule = file.slice(0, -"-test.js".length);
  try {
    require(path.join(directory, file));
  } catch (error) {
    console.error(`${file}: ${error.message}`);
  }
}
console.log(JSON.stringify({ cases, recommended }));
