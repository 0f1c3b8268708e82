import { CodedError } from '@sluice/chains'

export type QuotingErrorCode =
  /** The deployment names no Executor: nothing can be swapped. */
  | 'NO_EXECUTOR'
  /** NATIVE on a chain that has no wrapper for it. */
  | 'NATIVE_UNSUPPORTED'
  /** Guard or Executor do not have their recorded code at the block. */
  | 'GUARD_NOT_DEPLOYED'
  /** The chain has not reached the block that was asked for. */
  | 'BEHIND'
  /** The past block that was asked for does not exist yet. */
  | 'BLOCK_AHEAD'
  /** The node does not have the block of the past that was asked for, or its state. */
  | 'NO_STATE'
  /** The deadline asked for has passed at the block of the quote. */
  | 'DEADLINE_PASSED'
  /** A deadline of a permission that is too far away. */
  | 'DEADLINE_FAR'
  /** The permission that the caller sends does not let the Guard draw the input. */
  | 'BAD_PERMIT'
  /** An end of the trade charges its sender on top of what is sent. */
  | 'BAD_TOKEN'
  | 'UNKNOWN_TOKEN'
  | 'NO_ROUTE'
  /** The amount buys less than a base unit of the output, where more of it routes. */
  | 'AMOUNT_TOO_SMALL'
  | 'INSUFFICIENT_LIQUIDITY'
  /** Every route found fails in simulation. */
  | 'ROUTE_REVERTED'
  /** The price impact is above the caller's limit. */
  | 'PRICE_IMPACT'
  /** In USD the output is worth less than the input by more than the caller's limit. */
  | 'VALUE_LOSS'

/** Facts beside the message, as JSON can say them. */
export type QuotingErrorDetails = Readonly<Record<string, unknown>>

/** A quote that is refused, or cannot be made. */
export class QuotingError extends CodedError<QuotingErrorCode> {
  override readonly name = 'QuotingError'
  readonly details: QuotingErrorDetails

  constructor(code: QuotingErrorCode, message: string, details: QuotingErrorDetails = {}) {
    super(code, message)
    this.details = details
  }
}
