/** Errors of encoding a route. */
import { CodedError } from '@sluice/chains'

/** Error codes: a leg has an unsupported family, or the legs do not form a route. */
export type EncodeErrorCode = 'UNKNOWN_FAMILY' | 'INVALID_ROUTE'

/** A route that has no calldata: a fault of the code that built it, not of the market. */
export class EncodeError extends CodedError<EncodeErrorCode> {
  override readonly name = 'EncodeError'
}
