/** Finds terms of a swap that the signer should check. The Guard allows them, but this service rarely sets them. */
import { type Explanation, type SwapContracts, unknownPools } from '@sluice/client'
import { groupThousands, usdOf } from '../format/amount.ts'
import { isZeroAddress } from '../format/hex.ts'
import { hundredthsText, shorten, utcTextOrUndefined } from '../format/number.ts'
import type { PastedTx } from './input.ts'

/** Percent of the input's value that a usual minimum output may lack, for slippage, price impact, and fee together. */
const MAX_SHORTFALL_PERCENT = 5
/** Maximum fee that counts as usual: 1 %. */
const MAX_FEE_PPM = 10_000n
/** Maximum time until the deadline that counts as usual: a day. */
const MAX_VALID_SECONDS = 86_400n
/** Minimum outputs up to this number of base units are worth almost nothing, so they do not protect the signer. */
const MAX_DUST_UNITS = 1_000n
/** Maximum number of unknown pools that a text names. */
const MAX_SHOWN_POOLS = 3

export type UnusualTerm = {
  /** Name of the fact with the unusual term. */
  readonly fact: 'Pays at least' | 'Fee' | 'Valid until' | 'Pools' | 'Pays whom' | 'Signature'
  readonly text: string
}

/** Price and decimals of a token; undefined if unknown. */
export type TokenValue = { readonly usd: number | undefined; readonly decimals: number | undefined }

export type TransactionTerms = {
  readonly unusualTerms: readonly UnusualTerm[]
  /** Descriptions of facts that the check needs but that are missing. */
  readonly missingFacts: readonly string[]
  /** USD value of the input; undefined without a price. */
  readonly takesUsd: number | undefined
  /** USD value of the minimum output; undefined without a price. */
  readonly paysUsd: number | undefined
  /** Percent by which the minimum lies below the input's value; undefined without prices. */
  readonly shortfallPercent: number | undefined
  /**
   * Pools that are neither from a known factory nor named by the deployment; undefined if the chain's contracts are
   * unknown.
   */
  readonly unknownPools: readonly string[] | undefined
}

export type TermsInput = {
  readonly tx: PastedTx
  readonly explanation: Explanation
  readonly contracts: SwapContracts | undefined
  /** Result of `unknownPoolsOf`. */
  readonly unknownPools: readonly string[] | undefined
  /** Account that signs; undefined if neither the transaction nor the wallet names it. */
  readonly signer: string | undefined
  /** True if the transaction is in a block, in which case its deadline no longer matters. */
  readonly isMined: boolean
  /** Unix seconds. */
  readonly now: number
  /** Price and decimals of the input token. */
  readonly input: TokenValue
  /** Price and decimals of the output token. */
  readonly output: TokenValue
}

/** Returns the value of `TransactionTerms.unknownPools`. Slow, because it hashes the address of each pool. */
export function unknownPoolsOf(
  explanation: Explanation,
  contracts: SwapContracts | undefined,
): readonly string[] | undefined {
  return contracts && unknownPools(explanation, contracts)
}

export function termsOf(termsInput: TermsInput): TransactionTerms {
  const { explanation, unknownPools, input, output } = termsInput
  const takesUsd = usdValue(explanation.amountIn, input)
  const paysUsd = usdValue(explanation.minOutput, output)
  const isPriced = takesUsd !== undefined && paysUsd !== undefined && takesUsd > 0
  const shortfallPercent = isPriced ? 100 * (1 - paysUsd / takesUsd) : undefined
  const termsOrUndefined = [
    unusualMinimum(explanation, takesUsd, paysUsd, shortfallPercent),
    unusualFee(explanation),
    unusualDeadline(termsInput),
    unknownPools && unusualPools(unknownPools),
    unusualRecipient(termsInput),
    unusualSignature(explanation),
  ]
  return {
    ...{ takesUsd, paysUsd, shortfallPercent, unknownPools },
    unusualTerms: termsOrUndefined.filter((term) => term !== undefined),
    missingFacts: missingFactsOf(termsInput),
  }
}

function unusualMinimum(
  { minOutput }: Explanation,
  takesUsd: number | undefined,
  paysUsd: number | undefined,
  shortfallPercent: number | undefined,
): UnusualTerm | undefined {
  const fact = 'Pays at least'
  if (shortfallPercent !== undefined && shortfallPercent > MAX_SHORTFALL_PERCENT) {
    const shortfallText = `the minimum is worth ${usdText(paysUsd!)}, ${percentText(shortfallPercent)} less than the ${usdText(takesUsd!)} it takes`
    return { fact, text: `${shortfallText} (slippage, price impact, and fee together)` }
  }
  if (minOutput > MAX_DUST_UNITS) return undefined
  const amount = minOutput === 1n ? '1 base unit' : `${minOutput} base units`
  return { fact, text: `the minimum is ${amount} of the token, which protects nothing` }
}

function unusualFee({ fee }: Explanation): UnusualTerm | undefined {
  if (!fee || fee.ppm <= MAX_FEE_PPM) return undefined
  return { fact: 'Fee', text: `a fee of ${Number(fee.ppm) / 10_000} % goes to ${shorten(fee.recipient)}` }
}

function unusualDeadline({ explanation: { deadline }, isMined, now }: TermsInput): UnusualTerm | undefined {
  if (isMined) return undefined
  const fact = 'Valid until'
  const time = utcTextOrUndefined(deadline) ?? 'for ever'
  if (deadline < BigInt(now)) return { fact, text: `its deadline has passed (${time}): it would revert` }
  if (deadline - BigInt(now) <= MAX_VALID_SECONDS) return undefined
  return { fact, text: `it stays valid for more than a day (${time})` }
}

function unusualPools(unknownPools: readonly string[]): UnusualTerm | undefined {
  if (unknownPools.length === 0) return undefined
  const names = unknownPools.slice(0, MAX_SHOWN_POOLS).map(shorten).join(', ')
  const moreText = unknownPools.length > MAX_SHOWN_POOLS ? `, and ${unknownPools.length - MAX_SHOWN_POOLS} more` : ''
  const subject = unknownPools.length === 1 ? '1 pool isn’t' : `${unknownPools.length} pools aren’t`
  return { fact: 'Pools', text: `${subject} from a known factory (${names}${moreText})` }
}

function unusualRecipient({ explanation: { recipient }, signer }: TermsInput): UnusualTerm | undefined {
  // A zero recipient means that the calldata names none, so that the Guard pays the sender.
  if (signer === undefined || isZeroAddress(recipient) || recipient.toLowerCase() === signer.toLowerCase())
    return undefined
  return { fact: 'Pays whom', text: `it pays ${shorten(recipient)}, not the signer` }
}

function unusualSignature({ permit }: Explanation): UnusualTerm | undefined {
  if (permit?.amount !== null) return undefined
  return { fact: 'Signature', text: 'its signature lets the Guard draw any amount of the token' }
}

function missingFactsOf({ tx, explanation, contracts, input, output }: TermsInput): readonly string[] {
  const isNative = tx.data.toLowerCase().startsWith(SWAP_NATIVE)
  const lacksNames = input.decimals === undefined || output.decimals === undefined
  const lacksPrices = input.usd === undefined || output.usd === undefined
  return [
    ...(contracts === undefined ? ['the contracts of this chain'] : []),
    ...(tx.to === undefined ? ['the contract that it is sent to'] : []),
    ...(isNative && explanation.amountIn === 0n ? ['the value that it carries'] : []),
    ...(lacksNames ? ['names and decimals of the tokens'] : []),
    ...(lacksPrices ? ['prices of the tokens'] : []),
  ]
}

/** Selector of `swapNative(…)`. */
const SWAP_NATIVE = '0x3293da90'

/** Returns the USD value of an amount, as a float for comparison and display only. */
function usdValue(amount: bigint, { usd, decimals }: TokenValue): number | undefined {
  return usd === undefined || decimals === undefined ? undefined : usdOf(amount, decimals, usd)
}

const usdText = (usd: number): string => (usd > 0 && usd < 0.01 ? '< $0.01' : `$${groupThousands(usd.toFixed(2))}`)

/** Formats a percentage with two decimals, truncated: 99.999 must not read as 100. */
export const percentText = (percent: number): string => `${hundredthsText(percent)} %`
