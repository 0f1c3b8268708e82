/**
 * `BAD_FILE`: a registry or deployment file breaks its schema. `BAD_DIRECTORY`: a directory cannot be listed. `UNKNOWN_CHAIN`: there
 * is no file of a chain that was asked for by id.
 */
export type ChainsErrorCode = 'BAD_FILE' | 'BAD_DIRECTORY' | 'UNKNOWN_CHAIN'

export class ChainsError extends Error {
  override readonly name = 'ChainsError'
  readonly code: ChainsErrorCode

  constructor(code: ChainsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
