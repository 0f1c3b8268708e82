/** Codes of reasons and gaps in verdicts. Programs read the codes; people read the messages. */

/** Reasons for which a transaction has no swap that can be judged. */
export const REASON_CODES = [
  /** The node does not know the transaction. */
  'UNKNOWN_TRANSACTION',
  'NOT_MINED',
  'REVERTED',
  /** The native token was only wrapped or unwrapped, so there is no price to judge. */
  'WRAPPED',
  'SEVERAL_INPUTS',
  'SEVERAL_OUTPUTS',
  /** Accounts other than the sender received several tokens. */
  'SEVERAL_OUTPUTS_OF_OTHERS',
  /** The sender gave nothing, and no other account gave one token for another. */
  'NO_SINGLE_ORDER',
  /** A token was sent and nothing came back. */
  'SENT',
  /** The sender gave a token, and nobody received another token. */
  'NO_OUTPUT',
  /** The sender received the token that it gave, as after swaps in a circle, and nobody received another token. */
  'SAME_TOKEN',
  /** Only contracts gave tokens. They cannot be distinguished from pools. */
  'ONLY_CONTRACTS',
  /** No account gave a token. */
  'NO_INPUT',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

/** Facts that a verdict lacks because they could not be read. */
export const GAP_CODES = [
  /** Effects of contract creations earlier in the block, which the node does not simulate. */
  'CREATIONS_SKIPPED',
  /** Transfers of the native token. */
  'NATIVE_MOVES',
  /** Transfers of the native token between accounts other than the sender. */
  'NATIVE_MOVES_OF_OTHERS',
  /** Balances before and after the transaction; without them, amounts are taken from the logs. */
  'BALANCES',
  /** Code of accounts at the block; without it, the code at the newest block is used. */
  'CODE_AT_BLOCK',
  /** Other transactions of the block, without which a sandwich attack may be missed. */
  'NEIGHBORS',
  /** Comparisons of the trades beyond the maximum per transaction. */
  'MORE_TRADES',
  /** State at the transaction's position in the block. */
  'POSITION_STATE',
  /** Output of the same transaction at the end of the block before. */
  'OUTPUT_AT_PARENT',
  /** The best route, because the node lacks a state that the quote needs. */
  'NO_STATE',
  /** The best route, because the quote failed for another reason. */
  'NO_QUOTE',
] as const
export type GapCode = (typeof GAP_CODES)[number]

/** A fact that a verdict lacks. */
export type VerdictGap = {
  readonly code: GapCode
  /** The missing fact as a phrase that continues "not known:". */
  readonly message: string
}
