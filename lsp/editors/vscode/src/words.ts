/** Between what the editor and the server know and what a person is told. */

/** What is needed of a diagnostic of the editor. */
export interface Shown {
  source?: string | undefined
  code?: string | number | { value: string | number } | undefined
}

/** The ids of the rules among diagnostics, each once, in their order. */
export function rulesOf(diagnostics: readonly Shown[]): string[] {
  const ours = diagnostics.filter(({ source }) => source === 'aidd')
  const codes = ours.map(({ code }) => (typeof code === 'object' ? code.value : code))
  return [...new Set(codes.filter((code) => typeof code === 'string'))]
}

/** What to tell a person of a command's answer, if it is made of numbers. */
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
