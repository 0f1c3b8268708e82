/** Errors of encoding and decoding programs, which are lists of steps of the Executor contract. */

/** `INVALID_STEP`: a step has invalid values. `INVALID_PROGRAM`: bytes are not a program. */
export type ProgramErrorCode = 'INVALID_STEP' | 'INVALID_PROGRAM'

/** Error for a step that cannot be encoded, or bytes that are not a program. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  readonly code: ProgramErrorCode

  constructor(code: ProgramErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
