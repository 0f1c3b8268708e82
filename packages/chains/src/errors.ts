/** Base class of package errors; callers branch on `code`. */
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
 * - `UNKNOWN_CHAIN`: the requested chain id has no file.
 */
export type ChainsErrorCode = 'BAD_FILE' | 'BAD_DIRECTORY' | 'UNKNOWN_CHAIN'

/** Error for a registry or deployment file that is invalid or missing. */
export class ChainsError extends CodedError<ChainsErrorCode> {
  override readonly name = 'ChainsError'
}
