// Runs the reference parser (npm `mermaid`) on each diagram to see whether it renders.
//
//     node mermaid.mjs DIAGRAMS.json VERDICTS.json
//
// DIAGRAMS.json is a list of strings; VERDICTS.json receives a list of {ok, type, line, message}, and
// the CPU seconds used. Run it in a directory that has `mermaid` and `jsdom` installed.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(createRequire(`${process.cwd()}/`).resolve(name)));
const { JSDOM } = await load("jsdom");
const { window } = new JSDOM("<!DOCTYPE html><body></body>", { pretendToBeVisual: true });
for (const name of ["document", "DOMParser", "Element", "HTMLElement", "Node", "SVGElement", "Option"]) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
}
Object.defineProperty(globalThis, "window", { value: window, configurable: true });

const mermaid = (await import(pathToFileURL(`${process.cwd()}/node_modules/mermaid/dist/mermaid.core.mjs`))).default;
mermaid.initialize({ startOnLoad: false, suppressErrorRendering: true, logLevel: 5 });
for (const level of ["debug", "info", "log", "warn", "error"]) console[level] = () => {};

const [input, output] = process.argv.slice(2);
const verdicts = [];
const start = process.cpuUsage();
for (const text of JSON.parse(readFileSync(input, "utf8"))) {
  try {
    verdicts.push({ ok: true, type: (await mermaid.parse(text)).diagramType });
  } catch (error) {
    const message = String(error?.message ?? error).slice(0, 300);
    verdicts.push({ ok: false, line: error?.hash?.loc?.first_line, message });
  }
}
const { user, system } = process.cpuUsage(start);
writeFileSync(output, JSON.stringify({ verdicts, seconds: (user + system) / 1e6 }));
