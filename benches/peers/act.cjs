// Runs axe-core in jsdom on the examples of the ACT rules, for act.py.
//
//     node act.cjs PEERS CASES
//
// CASES is a JSON array of { act, page }: the id of an ACT rule and the path of a page. Prints for each
// page whether a rule of axe that implements the ACT rule reports something; `null` without such a rule.
"use strict";

const { readFileSync } = require("node:fs");
const load = require("node:module").createRequire(`${process.argv[2]}/package.json`);
const { JSDOM, VirtualConsole } = load("jsdom");
const source = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const rules = load("axe-core").getRules();

async function run({ act, page }) {
  const values = rules.filter((rule) => (rule.actIds ?? []).includes(act)).map((rule) => rule.ruleId);
  if (values.length === 0) return null;
  const dom = new JSDOM(readFileSync(page, "utf8"), { runScripts: "outside-only", virtualConsole: new VirtualConsole() });
  dom.window.eval(source);
  const runOnly = { type: "rule", values };
  const results = await dom.window.axe.run(dom.window.document, { iframes: false, runOnly });
  return results.violations.length > 0;
}

async function main() {
  const found = [];
  for (const test of JSON.parse(readFileSync(process.argv[3], "utf8"))) {
    try {
      found.push(await run(test));
    } catch (error) {
      console.error(`${test.page}: ${error.message}`);
      found.push(false);
    }
  }
  console.log(JSON.stringify(found));
}

main();
