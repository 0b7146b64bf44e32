/** Finds the `aidd` program: from the setting, in the extension, or in PATH. */

import { accessSync, constants, statSync } from 'node:fs'
import * as path from 'node:path'

/** Where to look; nothing else is read. */
export interface Places {
  /** The setting `aidd.path`; empty if it is not set. */
  setting: string
  /** The first workspace folder. */
  folder: string | undefined
  home: string
  /** The directory in which the extension is installed. */
  extension: string
  /** The variable `PATH`. */
  path: string
  platform: NodeJS.Platform
}

/** The program to run, or a message that states why there is none. */
export type Found = { program: string } | { problem: string }

/** Whether a file exists and is executable. */
export type IsProgram = (file: string) => boolean

/**
 * The program to run. If the setting does not point to a program, that is a problem: no other
 * program is run instead.
 */
export function findBinary(places: Places, isProgram: IsProgram = isExecutable): Found {
  const setting = places.setting.trim()
  if (setting !== '') {
    const program = expand(setting, places)
    if (program === undefined) {
      return { problem: `The setting aidd.path is ${setting}, but no folder is open.` }
    }
    return isProgram(program)
      ? { program }
      : { problem: `The setting aidd.path is ${setting}, but ${program} is not an executable file.` }
  }
  const candidates = [inExtension(places), ...inPath(places)]
  const program = candidates.find(isProgram)
  return program !== undefined
    ? { program }
    : { problem: 'aidd was not found: it is not included in this extension and not in PATH.' }
}

/** Expands `~` and `${workspaceFolder}` in a setting; relative paths refer to the workspace folder. */
function expand(setting: string, places: Places): string | undefined {
  const join = joining(places)
  if (setting.includes('${workspaceFolder}')) {
    return places.folder && setting.replaceAll('${workspaceFolder}', places.folder)
  }
  if (/^~[\\/]/.test(setting)) return join(places.home, setting.slice(2))
  if (paths(places).isAbsolute(setting)) return setting
  return places.folder === undefined ? undefined : join(places.folder, setting)
}

function inExtension(places: Places): string {
  return joining(places)(places.extension, 'bin', fileName(places))
}

/** Skips relative directories in PATH: they would refer to the workspace. */
function inPath(places: Places): string[] {
  const { delimiter, isAbsolute } = paths(places)
  const folders = places.path.split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => joining(places)(folder, fileName(places)))
}

function fileName({ platform }: Places): string {
  return platform === 'win32' ? 'aidd.exe' : 'aidd'
}

function paths({ platform }: Places): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix
}

function joining(places: Places): (...parts: string[]) => string {
  return paths(places).join
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
