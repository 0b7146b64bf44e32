/** What the server is started with and told. */

/** The settings that the server knows, in the form in which it reads them. */
export interface ServerSettings {
  config?: string
  run: 'onType' | 'onSave'
  workspace: boolean
}

/** Reads one setting of the section `aidd`. */
export type Read = (name: string) => unknown

/** The settings for the server; what is not set, or is no value of that setting, is left to it. */
export function serverSettings(read: Read): ServerSettings {
  const config = read('config')
  return {
    ...(typeof config === 'string' && config.trim() !== '' ? { config: config.trim() } : {}),
    run: read('run') === 'onSave' ? 'onSave' : 'onType',
    workspace: read('workspace') !== false,
  }
}

/** The arguments of the program. */
export const serverArguments: readonly string[] = ['lsp']

/**
 * The documents that are checked: every text may hold a secret, so all languages, whether saved or
 * not. The cells of notebooks and the files that only another extension can read are left out.
 */
export const documents: { scheme: string }[] = [{ scheme: 'file' }, { scheme: 'untitled' }]

/** A change of one of these starts the server anew. */
export const startsAnew: readonly string[] = ['aidd.path']
