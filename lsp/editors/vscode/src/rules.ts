/** The rule that a person means when they ask for an explanation. */

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
