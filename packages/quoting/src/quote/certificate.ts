/**
 * Builds certificates. A certificate proves an upper bound on the output of all routes of a trade. It contains the data
 * with which a verifier reads the same pools and states. The earnings of a pool are the maximum value that trades with
 * the pool gain at the certificate's prices. Format: docs/certificates.md.
 */
import { createHash } from 'node:crypto'
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot, toText } from '@sluice/liquidity'
import { type BoundProof, type ProvedPool, type RouteTerms, type Taxes, taxIn } from '@sluice/routing'

/**
 * Kinds of pools. `@sluice/certificate` recomputes the earnings of pools of all kinds except `assumed`, whose stated
 * earnings it trusts.
 */
export const CERTIFIED_KINDS = ['constant-product', 'concentrated', 'stable', 'wrapper', 'assumed'] as const

/** A certificate in its JSON form; amounts are decimal strings in base units. */
export type Certificate = {
  readonly version: 1
  readonly chainId: number
  readonly block: { readonly number: number; readonly hash: string }
  /** The zero address stands for the native token. */
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string
  /** Upper bound on the output of every route in the scope, in base units of `tokenOut`. */
  readonly bound: string
  /** Decimals of prices and earnings, which are integers: base units of `tokenOut` times 10 to the power of `scale`. */
  readonly scale: number
  /**
   * Maximum pools in series. In `prices`, a token has one price for each number of pools that a path to it has passed.
   */
  readonly maxHops: number
  readonly prices: readonly { readonly token: string; readonly byHop: readonly string[] }[]
  readonly pools: readonly CertifiedPool[]
  /** Pools that the bound includes, but the certificate does not list: their number, and the sum of their earnings. */
  readonly beyond: { readonly pools: number; readonly earned: string }
  /** Amount that the bound contains for rounding, in the unit of `earned`. */
  readonly allowance: string
  /** SHA-256 of a text with one line for each pool: all fields of the pool but `family` and `earned`. */
  readonly digest: string
  /** Sentence that says which routes the bound covers. */
  readonly scope: string
}

type CertifiedPool = {
  readonly id: string
  readonly address: string
  readonly kind: (typeof CERTIFIED_KINDS)[number]
  readonly family: string
  readonly tokens: readonly string[]
  /** Indexes in `tokens` of the sold and the bought token. */
  readonly pairs: readonly (readonly [number, number])[]
  /** Fee of a swap in ppm; 0 for pools of the kind `assumed`. */
  readonly feePpm: number
  readonly taxes: readonly PoolTax[]
  /** SHA-256 of the pool's state. */
  readonly state: string
  /** Earnings of the pool. */
  readonly earned: string
}
/** Taxes in ppm on a token that is sold to or bought from a pool; `token` is an index in the pool's `tokens`. */
type PoolTax = { readonly token: number; readonly soldPpm: number; readonly boughtPpm: number }

/** Builds the certificate of a proof. */
export function certificateOf(
  { decimals, prices, pools, beyond, allowance, bound, maxHops }: BoundProof,
  request: RouteTerms & { readonly amountIn?: bigint },
  { chainId, block: { number, hash } }: Snapshot,
): Certificate {
  const { tokenIn, tokenOut, wrappedNative, taxes } = request
  const certifiedPools = pools.map((provedPool) => toCertifiedPool(provedPool, taxes))
  const pricesByToken = new Map<Address, readonly bigint[]>(prices)
  const nativePrices = wrappedNative === null ? undefined : pricesByToken.get(wrappedNative)
  // If the native token is the input or output, the search treats it and its wrapper as one token.
  if (nativePrices !== undefined && !pricesByToken.has(ZERO_ADDRESS)) pricesByToken.set(ZERO_ADDRESS, nativePrices)
  const toCertificateToken = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)
  return {
    ...{ version: 1, chainId, block: { number, hash } },
    ...{
      tokenIn: toCertificateToken(tokenIn),
      tokenOut: toCertificateToken(tokenOut),
      amountIn: `${request.amountIn ?? 0n}`,
    },
    bound: `${bound}`,
    scale: decimals,
    maxHops,
    prices: Array.from(pricesByToken, ([token, byHop]) => ({ token, byHop: byHop.map(String) })),
    pools: certifiedPools,
    beyond: { pools: beyond.pools, earned: `${beyond.earned}` },
    allowance: `${allowance}`,
    digest: sha256(certifiedPools.map(lineOf).join('\n')),
    scope: scopeOf(pools.length, beyond.pools, maxHops),
  }
}

function toCertifiedPool({ pool, pairs, earned, isCut }: ProvedPool, taxes: Taxes | undefined): CertifiedPool {
  const { id, address, family, tokens } = pool
  const pairIndexes = pairs.map(([sold, bought]) => [tokens.indexOf(sold), tokens.indexOf(bought)] as const)
  const readableState = familyOf(family)?.readableState?.(pool) ?? null
  // If the search truncated the price curve, the curve earns less than the full state that a verifier reads. The
  // earnings then cannot be recomputed, so the kind of the pool is `assumed`.
  const isReadable = readableState !== null && !isCut
  const kind = familyOf(family)?.wrapsNative ? 'wrapper' : isReadable ? readableState.kind : 'assumed'
  return {
    ...{ id, address, kind, family, tokens, pairs: pairIndexes },
    feePpm: (isReadable && readableState.feePpm) || 0,
    taxes: taxesOf(pool, taxes),
    state: isReadable ? sha256(readableState.text) : digestOf(pool),
    earned: `${earned}`,
  }
}

function taxesOf({ id, tokens }: Pool, taxes: Taxes | undefined): readonly PoolTax[] {
  return tokens.flatMap((token, index) => {
    const { sellPpm = 0, buyPpm = 0 } = taxIn(taxes, token, id) ?? {}
    return sellPpm > 0 || buyPpm > 0 ? [{ token: index, soldPpm: sellPpm, boughtPpm: buyPpm }] : []
  })
}

const lineOf = ({ id, address, kind, tokens, pairs, feePpm, taxes, state }: CertifiedPool): string => {
  const taxKeys = taxes.map(({ token, soldPpm, boughtPpm }) => [token, soldPpm, boughtPpm].join(':'))
  return [id, address, kind, tokens, pairs.map((pair) => pair.join('>')), feePpm, taxKeys, state].map(String).join(' ')
}

function scopeOf(listedCount: number, unlistedCount: number, maxHops: number): string {
  const omittedNote =
    unlistedCount === 0 ? '' : `; ${unlistedCount} further pools are counted in the bound, but not listed`
  return `Before gas and convenience fee: routes of paths of at most ${maxHops} pools that swap at most once in each of the ${listedCount} listed pools, along its pairs, at the state of the block${omittedNote}.`
}

const digests = new WeakMap<object, string>()

/** Returns the SHA-256 of a pool state that is not readable, from our own text form; cached per state object. */
function digestOf({ state }: Pool): string {
  const key = Object(state)
  let digest = digests.get(key)
  if (digest === undefined) {
    digest = sha256(toText(state))
    digests.set(key, digest)
  }
  return digest
}

const sha256 = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
