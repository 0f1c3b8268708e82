/** Errors of this package and their codes. */
import { CodedError } from '@sluice/chains'

/** Error codes of a quote. */
export type QuotingErrorCode =
  /** The deployment has no Executor (the contract that swaps), so nothing can be swapped. */
  | 'NO_EXECUTOR'
  /** The request names the native token, and the chain has no wrapped native token. */
  | 'NATIVE_UNSUPPORTED'
  /** The Guard (our entry contract) or the Executor does not have its recorded code at the block. */
  | 'GUARD_NOT_DEPLOYED'
  /** The chain has not reached the requested minimum block. */
  | 'BEHIND'
  /** The requested past block does not exist yet. */
  | 'BLOCK_AHEAD'
  /** The node does not have the requested past block, or its state. */
  | 'NO_STATE'
  /** The requested deadline is not after the timestamp of the quoted block. */
  | 'DEADLINE_PASSED'
  /** The deadline of a permit is too far away. */
  | 'DEADLINE_FAR'
  /** The permit in the request does not allow the Guard to pull the input. */
  | 'BAD_PERMIT'
  /** The input or output token charges its sender more than the amount sent. */
  | 'BAD_TOKEN'
  | 'UNKNOWN_TOKEN'
  | 'NO_ROUTE'
  /** The amount buys less than a base unit of the output; a larger amount has a route. */
  | 'AMOUNT_TOO_SMALL'
  | 'INSUFFICIENT_LIQUIDITY'
  /** Every route that was found fails in simulation. */
  | 'ROUTE_REVERTED'
  /** The price impact is above the caller's limit. */
  | 'PRICE_IMPACT'
  /** The output is worth less than the input, in USD, by more than the caller's limit. */
  | 'VALUE_LOSS'

/** Details of an error in JSON types. */
export type QuotingErrorDetails = Readonly<Record<string, unknown>>

/** The reason why a request gets no quote. */
export class QuotingError extends CodedError<QuotingErrorCode> {
  override readonly name = 'QuotingError'
  readonly details: QuotingErrorDetails

  constructor(code: QuotingErrorCode, message: string, details: QuotingErrorDetails = {}) {
    super(code, message)
    this.details = details
  }
}
