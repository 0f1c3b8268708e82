import { CodedError } from '@sluice/chains'

export type EncodeErrorCode = 'UNKNOWN_FAMILY' | 'INVALID_ROUTE'

/** A route that has no calldata: a fault of whoever built it, not of the market. */
export class EncodeError extends CodedError<EncodeErrorCode> {
  override readonly name = 'EncodeError'
}
