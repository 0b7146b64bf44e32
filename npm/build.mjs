// Builds the npm packages of a release from its archives:
//   node npm/build.mjs ARCHIVES OUT
// ARCHIVES contains the aidd-TARGET.tar.gz of npm/aidd/platforms.json. OUT receives a directory for
// each system and the directory `aidd`, which depends on all of them and runs the installed one.
// The Linux binaries are static, so the packages need no `libc` field.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const NAME = "@aidd-dev/aidd";
const root = path.join(import.meta.dirname, "..");
const platforms = JSON.parse(fs.readFileSync(path.join(root, "npm/aidd/platforms.json"), "utf8"));

function version() {
  const manifest = fs.readFileSync(path.join(root, "Cargo.toml"), "utf8");
  const [, found] = manifest.match(/\[workspace\.package\]\s+version = "([^"]+)"/);
  return found;
}

function manifest(name, description, more) {
  return {
    name,
    version: version(),
    description,
    license: "MIT OR Apache-2.0",
    repository: { type: "git", url: "git+https://github.com/aidd-dev/aidd.git" },
    ...more,
  };
}

function write(folder, text) {
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(text, null, 2)}\n`);
  for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
    fs.copyFileSync(path.join(root, licence), path.join(folder, licence));
  }
}

/** The package of one system: the binary from its archive, selected by npm by `os` and `cpu`. */
function platform(archives, out, [system, { target, os, cpu }]) {
  const folder = path.join(out, `aidd-${system}`);
  const unpacked = path.join(out, "unpacked");
  const exe = os.includes("win32") ? "aidd.exe" : "aidd";
  fs.rmSync(unpacked, { recursive: true, force: true });
  fs.mkdirSync(unpacked, { recursive: true });
  fs.mkdirSync(path.join(folder, "bin"), { recursive: true });
  const archive = fs.readFileSync(path.join(archives, `aidd-${target}.tar.gz`));
  execFileSync("tar", ["-xzf", "-"], { cwd: unpacked, input: archive });
  const places = [exe, path.join(`aidd-${target}`, exe)].map((place) => path.join(unpacked, place));
  const found = places.find((place) => fs.existsSync(place));
  if (!found) {
    throw new Error(`aidd-${target}.tar.gz has no ${exe}`);
  }
  fs.copyFileSync(found, path.join(folder, "bin", exe));
  fs.chmodSync(path.join(folder, "bin", exe), 0o755);
  fs.rmSync(unpacked, { recursive: true });
  write(folder, manifest(`${NAME}-${system}`, `The aidd binary for ${system}`, { os, cpu, preferUnplugged: true }));
}

/** The package that users install. */
function main(out) {
  const folder = path.join(out, "aidd");
  fs.cpSync(path.join(root, "npm/aidd"), folder, { recursive: true });
  const names = Object.keys(platforms).map((system) => `${NAME}-${system}`);
  write(
    folder,
    manifest(NAME, "One engine for a team's rules: in the editor, in the pull request and in the AI agent", {
      bin: { aidd: "bin/aidd.js" },
      files: ["bin", "platforms.json"],
      engines: { node: ">=18" },
      optionalDependencies: Object.fromEntries(names.map((name) => [name, version()])),
    }),
  );
}

const [archives, out] = process.argv.slice(2);
if (!archives || !out) {
  throw new Error("node npm/build.mjs ARCHIVES OUT");
}
for (const system of Object.entries(platforms)) {
  platform(archives, out, system);
}
main(out);
