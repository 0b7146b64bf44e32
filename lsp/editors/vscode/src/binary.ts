/** Finding the program that serves: the setting, the one beside the extension, or one in PATH. */

import { accessSync, constants, statSync } from 'node:fs'
import * as path from 'node:path'

/** Where to look; what is not given is read by nobody else. */
export interface Places {
  /** The setting `aidd.path`; empty when it is not set. */
  setting: string
  /** The first folder of the workspace. */
  folder: string | undefined
  home: string
  /** The folder that the extension is installed in. */
  extension: string
  /** The variable `PATH`. */
  path: string
  platform: NodeJS.Platform
}

/** A program to run, or why there is none, for a person to read. */
export type Found = { program: string } | { problem: string }

/** Whether a file is there and may be run. */
export type IsProgram = (file: string) => boolean

/**
 * The program to run. A setting that names none is a problem: another program than the one asked
 * for is never run in its place.
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
      : { problem: `The setting aidd.path is ${setting}, but there is no program at ${program}.` }
  }
  const candidates = [inExtension(places), ...inPath(places)]
  const program = candidates.find(isProgram)
  return program !== undefined
    ? { program }
    : { problem: 'The program aidd was not found: it did not come with this extension and is not in PATH.' }
}

/** A setting with `~` and `${workspaceFolder}` filled in; a bare name is looked for in PATH. */
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

/** Relative folders in PATH are passed over: they would mean the folder of the workspace. */
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
