/** Base class of the errors of all packages. Callers branch on `code`. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Error codes.
 * - `BAD_FILE`: a registry or deployment file violates its schema.
 * - `BAD_DIRECTORY`: a directory cannot be listed.
 * - `UNKNOWN_CHAIN`: a requested chain id has no chain file.
 */
export type ChainsErrorCode = 'BAD_FILE' | 'BAD_DIRECTORY' | 'UNKNOWN_CHAIN'

/** Error of this package. */
export class ChainsError extends CodedError<ChainsErrorCode> {
  override readonly name = 'ChainsError'
}
