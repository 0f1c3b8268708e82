export type EncodeErrorCode = 'UNKNOWN_FAMILY' | 'INVALID_ROUTE'

/** A route that has no calldata: a fault of whoever built it, not of the market. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError'
  readonly code: EncodeErrorCode

  constructor(code: EncodeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
