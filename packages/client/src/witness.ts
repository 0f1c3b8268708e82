/** Witness of what a swap should bring, said by somebody else than the service that quotes it. */
import { lessSlippage, PPM, toPpm } from './amounts.ts'
import { encodeCall, selectors } from './calls.ts'
import type { SluiceClient } from './client.ts'
import { ClientError } from './errors.ts'
import { NATIVE, type SwapParameters } from './types.ts'
import type { Wallet } from './wallet.ts'

/**
 * Amount that a swap should bring: base units of `dst`, before slippage. The request names the input, also for an exact output.
 *
 * @throws ClientError where it knows no answer: nothing is signed then
 */
export type Witness = (asked: SwapParameters, wallet: Wallet) => Promise<bigint>

/** Percent that a quote may lie below its witness beside the slippage: fees, price impact, blocks in between. */
const DEFAULT_TOLERANCE = 1
/** Digits of a price as the service writes it. */
const SIGNIFICANT_DIGITS = 15

/**
 * Another service's quote of the same swap.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: quotedBy(otherService, 1) })
 * ```
 */
export function quotedBy(client: SluiceClient, chainId: number): Witness {
  return async (asked) => BigInt((await client.getSwap(chainId, asked)).toAmount)
}

/**
 * Prices of both tokens by another service's `/prices`. Their decimals are read from the wallet's own node.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: pricedBy(otherService, 1), tolerance: 2 })
 * ```
 */
export function pricedBy(client: SluiceClient, chainId: number): Witness {
  return async (asked, wallet) => {
    const prices = await client.prices(chainId, [asked.src, asked.dst])
    const [given, taken] = [prices[asked.src], prices[asked.dst]]
    if (!given || !taken)
      throw new ClientError('UNSAFE', `the second source has no price of ${given ? asked.dst : asked.src}`)
    return converted(asked, wallet, rational(given), rational(taken))
  }
}

/**
 * A price from elsewhere: whole units of `dst` for one whole unit of `src`.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: atPrice(2450.5) })
 * ```
 */
export function atPrice(price: number | string): Witness {
  return (asked, wallet) => converted(asked, wallet, rational(Number(price)), { digits: 1n, exponent: 0 })
}

/** The least output to accept by what a witness says. */
export function floorOf(
  witnessed: bigint,
  { slippage }: Pick<SwapParameters, 'slippage'>,
  tolerance: number | string = DEFAULT_TOLERANCE,
): bigint {
  return lessSlippage((witnessed * (PPM - toPpm(tolerance))) / PPM, slippage)
}

type Rational = { readonly digits: bigint; readonly exponent: number }

/** A positive number as digits times a power of ten. */
function rational(value: number): Rational {
  if (!(value > 0 && Number.isFinite(value))) throw new ClientError('UNSAFE', `${value} is no price`)
  const [mantissa, exponent] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e') as [string, string]
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - (SIGNIFICANT_DIGITS - 1) }
}

async function converted(asked: SwapParameters, wallet: Wallet, given: Rational, taken: Rational): Promise<bigint> {
  const [from, to] = await Promise.all([decimalsOf(wallet, asked.src), decimalsOf(wallet, asked.dst)])
  const power = given.exponent - taken.exponent + to - from
  const value = BigInt(asked.amount) * given.digits
  return power >= 0 ? (value * 10n ** BigInt(power)) / taken.digits : value / (taken.digits * 10n ** BigInt(-power))
}

async function decimalsOf(wallet: Wallet, token: string): Promise<number> {
  if (token.toLowerCase() === NATIVE.toLowerCase()) return 18
  const decimals = Number(await wallet.call(token, encodeCall(selectors.decimals)))
  if (!(decimals >= 0 && decimals <= 255)) throw new ClientError('UNSAFE', `${token} does not tell its decimals`)
  return decimals
}
