#!/usr/bin/env node
// Runs the binary from the package for this system.
"use strict";

const { spawn } = require("node:child_process");
const platforms = require("../platforms.json");

const COULD_NOT_RUN = 3;

function binary() {
  const { platform, arch } = process;
  const fits = ([, { os, cpu }]) => os.includes(platform) && cpu.includes(arch);
  const found = Object.entries(platforms).find(fits);
  if (!found) {
    return fail(`unsupported platform: ${platform} on ${arch}`);
  }
  const name = `${require("../package.json").name}-${found[0]}`;
  try {
    return require.resolve(`${name}/bin/aidd${platform === "win32" ? ".exe" : ""}`);
  } catch {
    return fail(`the package ${name} is missing. Reinstall without --omit=optional, on the system that runs it`);
  }
}

function fail(why) {
  console.error(`aidd: ${why}`);
  process.exitCode = COULD_NOT_RUN;
  return null;
}

function run(program) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  // Forward signals instead of exiting: the binary exits first and determines the status. Install
  // the handlers before the binary starts, so that an early signal does not orphan it.
  const passOn = (signal) => child.kill(signal);
  for (const signal of signals) {
    process.on(signal, passOn);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => {
    for (const name of signals) {
      process.off(name, passOn);
    }
    if (signal) {
      process.kill(process.pid, signal);
    } else {
      process.exitCode = code;
    }
  });
}

const program = binary();
if (program) {
  run(program);
}
