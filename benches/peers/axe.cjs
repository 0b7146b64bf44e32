// Runs axe-core in jsdom on its own integration tests, for axe.py.
//
//     node axe.cjs PEERS CASES
//
// CASES is a JSON array of { rule, page, violations, passes }, with the path of the page and the CSS
// selectors of the elements. Prints the array with an offset range and the result of axe per element.
"use strict";

const { readFileSync } = require("node:fs");
const load = require("node:module").createRequire(`${process.argv[2]}/package.json`);
const { JSDOM, VirtualConsole } = load("jsdom");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

const RESULTS = ["violations", "passes", "incomplete"];

async function run(test) {
  const text = readFileSync(test.page, "utf8");
  const options = { includeNodeLocations: true, runScripts: "outside-only", virtualConsole: new VirtualConsole() };
  const dom = new JSDOM(text, options);
  dom.window.eval(axe);
  const { document } = dom.window;
  const results = await dom.window.axe.run(document, {
    elementRef: true,
    iframes: false,
    runOnly: { type: "rule", values: [test.rule] },
  });
  const resultOf = (element) =>
    RESULTS.find((kind) => results[kind].some((rule) => rule.nodes.some((node) => node.element === element)));
  const elements = [];
  for (const kind of ["violations", "passes"]) {
    for (const selectors of test[kind]) {
      // An element in a frame or a shadow tree has several selectors.
      const element = selectors.length === 1 && typeof selectors[0] === "string" && document.querySelector(selectors[0]);
      const location = element && dom.nodeLocation(element);
      if (!location) continue;
      const { startOffset: start, endOffset: end } = location;
      elements.push({ selector: selectors[0], expected: kind, start, end, axe: resultOf(element) ?? "none" });
    }
  }
  return { rule: test.rule, page: test.page, elements };
}

async function main() {
  const found = [];
  for (const test of JSON.parse(readFileSync(process.argv[3], "utf8"))) {
    try {
      found.push(await run(test));
    } catch (error) {
      console.error(`${test.page}: ${error.message}`);
    }
  }
  console.log(JSON.stringify(found));
}

main();
