/** An error of a package, with the code by which whoever catches it decides. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * `BAD_FILE`: a registry or deployment file breaks its schema. `BAD_DIRECTORY`: a directory cannot be listed. `UNKNOWN_CHAIN`: there
 * is no file of a chain that was asked for by id.
 */
export type ChainsErrorCode = 'BAD_FILE' | 'BAD_DIRECTORY' | 'UNKNOWN_CHAIN'

export class ChainsError extends CodedError<ChainsErrorCode> {
  override readonly name = 'ChainsError'
}
