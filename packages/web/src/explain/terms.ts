/** Terms of a swap that the signer should check. The Guard allows them, but this service rarely sets them. */
import { type Explanation, type SwapContracts, unknownPools } from '@sluice/client'
import { groupThousands, usdOf } from '../format/amount.ts'
import { isZeroAddress } from '../format/hex.ts'
import { brief, hundredths, utc } from '../format/number.ts'
import type { PastedTx } from './input.ts'

/** Maximum percent by which a minimum may lie below the input's value: slippage, price impact, and fee together. */
const MAX_SHORTFALL_PERCENT = 5
/** Parts per million. */
const MAX_FEE_PPM = 10_000n
const MAX_VALID_SECONDS = 86_400n
/** Base units. A minimum this small protects nothing at any price of the token. */
const MAX_DUST = 1_000n
/** Unix seconds. Later times do not fit into a Date. */
const MAX_TIME = 8_640_000_000_000n
const SHOWN_POOLS = 3

export type Unusual = {
  /** Name of the fact with the unusual term. */
  readonly fact: 'Pays at least' | 'Fee' | 'Valid until' | 'Pools' | 'Pays whom' | 'Signature'
  readonly text: string
}

/** Price and decimals of a token; undefined if unknown. */
export type TokenValue = { readonly usd: number | undefined; readonly decimals: number | undefined }

export type TransactionTerms = {
  readonly unusual: readonly Unusual[]
  /** Descriptions of facts that the check needs but that are missing. */
  readonly missingTerms: readonly string[]
  /** USD value of the input and of the minimum output; undefined without a price. */
  readonly takesUsd: number | undefined
  readonly paysUsd: number | undefined
  /** Percent by which the minimum lies below the input's value; undefined without prices. */
  readonly shortfall: number | undefined
  /** Pools that nothing proves; undefined if the page knows no contracts of the chain. */
  readonly unknown: readonly string[] | undefined
}

export type TermsInput = {
  readonly tx: PastedTx
  readonly explanation: Explanation
  readonly contracts: SwapContracts | undefined
  /** Result of `unknownPoolsOf`. */
  readonly unknown: readonly string[] | undefined
  /** Account that signs, if the transaction or the wallet names it. */
  readonly signer: string | undefined
  /** True if the transaction is in a block, in which case its deadline no longer matters. */
  readonly isMined: boolean
  /** Unix seconds. */
  readonly now: number
  readonly input: TokenValue
  readonly output: TokenValue
}

/** Returns the pools that nothing proves; undefined if the page knows no contracts of the chain. Takes many hashes. */
export function unknownPoolsOf(
  explanation: Explanation,
  contracts: SwapContracts | undefined,
): readonly string[] | undefined {
  return contracts && unknownPools(explanation, contracts)
}

export function termsOf(trade: TermsInput): TransactionTerms {
  const { explanation, unknown, input, output } = trade
  const takesUsd = usdValue(explanation.amountIn, input)
  const paysUsd = usdValue(explanation.minOutput, output)
  const isPriced = takesUsd !== undefined && paysUsd !== undefined && takesUsd > 0
  const shortfall = isPriced ? 100 * (1 - paysUsd / takesUsd) : undefined
  const unusual = [
    minimum(explanation, takesUsd, paysUsd, shortfall),
    fee(explanation),
    deadline(trade),
    unknown && pools(unknown),
    recipient(trade),
    signature(explanation),
  ]
  return {
    ...{ takesUsd, paysUsd, shortfall, unknown },
    unusual: unusual.filter((term) => term !== undefined),
    missingTerms: missingTerms(trade),
  }
}

function minimum(
  { minOutput }: Explanation,
  takesUsd: number | undefined,
  paysUsd: number | undefined,
  shortfall: number | undefined,
): Unusual | undefined {
  const fact = 'Pays at least'
  if (shortfall !== undefined && shortfall > MAX_SHORTFALL_PERCENT) {
    const shortfallText = `the minimum is worth ${usdText(paysUsd!)}, ${percentText(shortfall)} less than the ${usdText(takesUsd!)} it takes`
    return { fact, text: `${shortfallText} (slippage, price impact, and fee together)` }
  }
  if (minOutput > MAX_DUST) return undefined
  const amount = minOutput === 1n ? '1 base unit' : `${minOutput} base units`
  return { fact, text: `the minimum is ${amount} of the token, which protects nothing` }
}

function fee({ fee }: Explanation): Unusual | undefined {
  if (!fee || fee.ppm <= MAX_FEE_PPM) return undefined
  return { fact: 'Fee', text: `a fee of ${Number(fee.ppm) / 10_000} % goes to ${brief(fee.recipient)}` }
}

function deadline({ explanation: { deadline }, isMined, now }: TermsInput): Unusual | undefined {
  if (isMined) return undefined
  const fact = 'Valid until'
  const time = deadline < MAX_TIME ? utc(deadline) : 'for ever'
  if (deadline < BigInt(now)) return { fact, text: `its deadline has passed (${time}): it would revert` }
  if (deadline - BigInt(now) <= MAX_VALID_SECONDS) return undefined
  return { fact, text: `it stays valid for more than a day (${time})` }
}

function pools(unknown: readonly string[]): Unusual | undefined {
  if (unknown.length === 0) return undefined
  const names = unknown.slice(0, SHOWN_POOLS).map(brief).join(', ')
  const moreText = unknown.length > SHOWN_POOLS ? `, and ${unknown.length - SHOWN_POOLS} more` : ''
  const subject = unknown.length === 1 ? '1 pool isn’t' : `${unknown.length} pools aren’t`
  return { fact: 'Pools', text: `${subject} from a known factory (${names}${moreText})` }
}

function recipient({ explanation: { recipient }, signer }: TermsInput): Unusual | undefined {
  // A call without a recipient pays its sender.
  if (signer === undefined || isZeroAddress(recipient) || recipient.toLowerCase() === signer.toLowerCase())
    return undefined
  return { fact: 'Pays whom', text: `it pays ${brief(recipient)}, not the signer` }
}

function signature({ permit }: Explanation): Unusual | undefined {
  if (permit?.amount !== null) return undefined
  return { fact: 'Signature', text: 'its signature lets the Guard draw any amount of the token' }
}

function missingTerms({ tx, explanation, contracts, input, output }: TermsInput): readonly string[] {
  const isNative = tx.data.toLowerCase().startsWith(SWAP_NATIVE)
  const names = input.decimals === undefined || output.decimals === undefined
  const prices = input.usd === undefined || output.usd === undefined
  return [
    ...(contracts === undefined ? ['the contracts of this chain'] : []),
    ...(tx.to === undefined ? ['the contract that it is sent to'] : []),
    ...(isNative && explanation.amountIn === 0n ? ['the value that it carries'] : []),
    ...(names ? ['names and decimals of the tokens'] : []),
    ...(prices ? ['prices of the tokens'] : []),
  ]
}

/** Selector of `swapNative(…)`. */
const SWAP_NATIVE = '0x3293da90'

/** Returns the USD value of an amount, as a float for comparison and display only. */
function usdValue(base: bigint, { usd, decimals }: TokenValue): number | undefined {
  return usd === undefined || decimals === undefined ? undefined : usdOf(base, decimals, usd)
}

const usdText = (usd: number): string => (usd > 0 && usd < 0.01 ? '< $0.01' : `$${groupThousands(usd.toFixed(2))}`)

/** Formats a percentage with two decimals, truncated: 99.999 must not read as 100. */
export const percentText = (percent: number): string => `${hundredths(percent)} %`
