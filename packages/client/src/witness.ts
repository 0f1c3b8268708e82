/** Witnesses: sources of a swap's expected output that are independent of the quoting service. */
import { deductSlippage, PPM, toPpm } from './amounts.ts'
import { encodeCall, selectors } from './calls.ts'
import type { SluiceClient } from './client.ts'
import { ClientError } from './errors.ts'
import { NATIVE, type SwapParameters } from './types.ts'
import type { Wallet } from './wallet.ts'

/**
 * Returns the expected output of a swap in base units of `dst`, before slippage. `request.amount` is always the input;
 * for a swap with an exact output, it is the input that the quoting service computed.
 *
 * @throws any error if the output is unknown; nothing is signed then
 */
export type Witness = (request: SwapParameters, wallet: Wallet) => Promise<bigint>

/**
 * Default percent by which a quote may be below its witness, in addition to the slippage. Fees, price impact, and
 * different blocks cause such differences.
 */
const DEFAULT_TOLERANCE_PERCENT = 1
/** Significant digits to which prices are rounded. A double represents any number of 15 decimal digits without loss. */
const SIGNIFICANT_DIGITS = 15

/**
 * Creates a witness from another service's quote of the same swap.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: quotedBy(otherService, 1) })
 * ```
 */
export function quotedBy(client: SluiceClient, chainId: number): Witness {
  return async (request) => BigInt((await client.getSwap(chainId, request)).toAmount)
}

/**
 * Creates a witness from the `/prices` of another service. The tokens' decimals are read from the wallet's node.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: pricedBy(otherService, 1), tolerance: 2 })
 * ```
 */
export function pricedBy(client: SluiceClient, chainId: number): Witness {
  return async (request, wallet) => {
    const prices = await client.prices(chainId, [request.src, request.dst])
    const [srcPrice, dstPrice] = [prices[request.src], prices[request.dst]]
    if (!srcPrice || !dstPrice)
      throw new ClientError('UNSAFE', `the second source has no price of ${srcPrice ? request.dst : request.src}`)
    return outputAtPrices(request, wallet, toDecimal(srcPrice), toDecimal(dstPrice))
  }
}

/**
 * Creates a witness from a price: whole units of `dst` per whole unit of `src`.
 *
 * @example
 * ```ts
 * await swap(sluice, wallet, 1, request, { witness: atPrice(2450.5) })
 * ```
 */
export function atPrice(price: number | string): Witness {
  return (request, wallet) => outputAtPrices(request, wallet, toDecimal(Number(price)), { digits: 1n, exponent: 0 })
}

/** Returns the minimum acceptable output: the witnessed output less tolerance and slippage. */
export function minOutputFrom(
  witnessedOutput: bigint,
  { slippage }: Pick<SwapParameters, 'slippage'>,
  tolerance: number | string = DEFAULT_TOLERANCE_PERCENT,
): bigint {
  return deductSlippage((witnessedOutput * (PPM - toPpm(tolerance))) / PPM, slippage)
}

/** The decimal number `digits` × 10^`exponent`. */
type Decimal = { readonly digits: bigint; readonly exponent: number }

/** Converts a positive number. @throws ClientError `UNSAFE` for any other number */
function toDecimal(value: number): Decimal {
  if (!(value > 0 && Number.isFinite(value))) throw new ClientError('UNSAFE', `${value} is no price`)
  const [mantissa, exponent] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e') as [string, string]
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - (SIGNIFICANT_DIGITS - 1) }
}

/** Converts the input of a request to base units of `dst`, by the prices of whole tokens. */
async function outputAtPrices(
  request: SwapParameters,
  wallet: Wallet,
  srcPrice: Decimal,
  dstPrice: Decimal,
): Promise<bigint> {
  const [srcDecimals, dstDecimals] = await Promise.all([
    decimalsOf(wallet, request.src),
    decimalsOf(wallet, request.dst),
  ])
  const exponent = srcPrice.exponent - dstPrice.exponent + dstDecimals - srcDecimals
  const value = BigInt(request.amount) * srcPrice.digits
  return exponent >= 0
    ? (value * 10n ** BigInt(exponent)) / dstPrice.digits
    : value / (dstPrice.digits * 10n ** BigInt(-exponent))
}

async function decimalsOf(wallet: Wallet, token: string): Promise<number> {
  if (token.toLowerCase() === NATIVE.toLowerCase()) return 18
  const decimals = Number(await wallet.call(token, encodeCall(selectors.decimals)))
  if (!(decimals >= 0 && decimals <= 255)) throw new ClientError('UNSAFE', `${token} does not tell its decimals`)
  return decimals
}
