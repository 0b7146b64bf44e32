/** Options and settings for the server. */

/** The server settings, in the format that the server reads. */
export interface ServerSettings {
  config?: string
  run: 'onType' | 'onSave'
  workspace: boolean
  /** False: VS Code shows the message of a finding next to its hover. */
  hoverMessages: false
}

/** Reads one setting of the section `aidd`. */
export type Read = (name: string) => unknown

/** The settings for the server. Unset and invalid values are omitted, so that the server uses its defaults. */
export function serverSettings(read: Read): ServerSettings {
  const config = read('config')
  return {
    ...(typeof config === 'string' && config.trim() !== '' ? { config: config.trim() } : {}),
    run: read('run') === 'onSave' ? 'onSave' : 'onType',
    workspace: read('workspace') !== false,
    hoverMessages: false,
  }
}

/** The command-line arguments. */
export const serverArguments: readonly string[] = ['lsp']

/**
 * The documents that are checked: all languages, saved or not, because every text can contain a
 * secret. Notebook cells and files that only another extension can read are excluded.
 */
export const documents: { scheme: string }[] = [{ scheme: 'file' }, { scheme: 'untitled' }]

/** Settings whose change restarts the server. */
export const restartSettings: readonly string[] = ['aidd.path']
