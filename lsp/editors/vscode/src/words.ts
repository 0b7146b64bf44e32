/** Converts data of the editor and the server to texts for the user. */

/** The required part of an editor diagnostic. */
export interface Shown {
  source?: string | undefined
  code?: string | number | { value: string | number } | undefined
}

/** The distinct rule ids of diagnostics, in order. */
export function rulesOf(diagnostics: readonly Shown[]): string[] {
  const ours = diagnostics.filter(({ source }) => source === 'aidd')
  const codes = ours.map(({ code }) => (typeof code === 'object' ? code.value : code))
  return [...new Set(codes.filter((code) => typeof code === 'string'))]
}

/** The message for a command result that consists of counts. */
export function messageOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { files, findings, recorded } = answer as Record<string, unknown>
  if (typeof files === 'number' && typeof findings === 'number') {
    return `${count(findings, 'finding')} in ${count(files, 'file')}`
  }
  return typeof recorded === 'number' ? `${count(recorded, 'finding')} recorded` : undefined
}

/** The severities of the editor's diagnostics: error, warning, information, hint. */
export type Severity = 0 | 1 | 2 | 3

/** The text and the tooltip of the status item. */
export interface Status {
  text: string
  tooltip: string
}

/**
 * The status item: the findings of the open file and the memories that name it. Hints are baselined
 * findings, which are not counted.
 */
export function statusOf(file: readonly Severity[] | undefined, workspace: readonly Severity[], memories: number): Status {
  const open = (severities: readonly Severity[]) => severities.filter((severity) => severity < 3).length
  const all = open(workspace)
  const own = file === undefined ? all : open(file)
  const memory = memories > 0 ? ` $(notebook) ${memories}` : ''
  const lines = [
    ...(file === undefined ? [] : [`${count(own, 'finding')} in this file`]),
    `${count(all, 'finding')} in the workspace`,
    ...(memories > 0 ? [`${count(memories, 'memory')} about this file`] : []),
  ]
  return { text: `$(shield) ${own}${memory}`, tooltip: `aidd: ${lines.join(', ')}. Select to show the problems.` }
}

/** The data of an action that allows a finding, with the reason that the user entered. */
export function withReason(data: unknown, reason: string): unknown {
  return { ...(data as object), reason }
}

/** Whether the data of an action belongs to the action that allows a finding with a comment. */
export function isAllow(data: unknown): boolean {
  return typeof data === 'object' && data !== null && (data as { do?: unknown }).do === 'allow'
}

function count(number: number, what: string): string {
  const plural = what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`
  return `${number} ${number === 1 ? what : plural}`
}
