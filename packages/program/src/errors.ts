export type ProgramErrorCode = 'INVALID_STEP' | 'INVALID_PROGRAM'

/** A step that has no bytes, or bytes that are no program. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
  readonly code: ProgramErrorCode

  constructor(code: ProgramErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
