/** Errors of encoding a route. */
import { CodedError } from '@sluice/chains'

/** Error codes: a leg has an unsupported family, or the legs do not form a route. */
export type EncodeErrorCode = 'UNKNOWN_FAMILY' | 'INVALID_ROUTE'

/** Error for a route that cannot be encoded. The code that built the route is wrong; retrying does not help. */
export class EncodeError extends CodedError<EncodeErrorCode> {
  override readonly name = 'EncodeError'
}
