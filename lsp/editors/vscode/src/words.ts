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

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
