/**
 * Builds certificates. A certificate is the proof of a bound, with the data that others need to read the same pools and
 * states.
 * Format: docs/certificates.md.
 */
import { createHash } from 'node:crypto'
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot, toText } from '@sluice/liquidity'
import { type BoundProof, type ProvedPool, type RouteTerms, type Taxes, taxIn } from '@sluice/routing'

/**
 * Kinds of pools. `@sluice/certificate` recomputes the earnings of all kinds but `assumed`, which it takes as stated.
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
  /** Prices and earnings are integers: base units of `tokenOut` times 10 to the power of `scale`. */
  readonly scale: number
  /** Maximum pools in series. A token has one price for each number of pools that a path has passed. */
  readonly maxHops: number
  readonly prices: readonly { readonly token: string; readonly byHop: readonly string[] }[]
  readonly pools: readonly CertifiedPool[]
  readonly beyond: { readonly pools: number; readonly earned: string }
  readonly allowance: string
  /** SHA-256 of the lines of all pools. */
  readonly digest: string
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
  readonly feePpm: number
  readonly taxes: readonly PoolTax[]
  /** SHA-256 of the pool's state. */
  readonly state: string
  readonly earned: string
}
type PoolTax = { readonly token: number; readonly soldPpm: number; readonly boughtPpm: number }

/** Builds the certificate of a proof. */
export function certificateOf(
  { decimals, prices, pools, beyond, allowance, bound, maxHops }: BoundProof,
  request: RouteTerms & { readonly amountIn?: bigint },
  { chainId, block: { number, hash } }: Snapshot,
): Certificate {
  const { tokenIn, tokenOut, wrappedNative, taxes } = request
  const certifiedPools = pools.map((provedPool) => certifiedPool(provedPool, taxes))
  const priceOf = new Map<Address, readonly bigint[]>(prices)
  const native = wrappedNative === null ? undefined : priceOf.get(wrappedNative)
  // If the native token is the input or output, the search treats it and its wrapper as one token.
  if (native !== undefined && !priceOf.has(ZERO_ADDRESS)) priceOf.set(ZERO_ADDRESS, native)
  const nameOf = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)
  return {
    ...{ version: 1, chainId, block: { number, hash } },
    ...{ tokenIn: nameOf(tokenIn), tokenOut: nameOf(tokenOut), amountIn: `${request.amountIn ?? 0n}` },
    bound: `${bound}`,
    scale: decimals,
    maxHops,
    prices: Array.from(priceOf, ([token, byHop]) => ({ token, byHop: byHop.map(String) })),
    pools: certifiedPools,
    beyond: { pools: beyond.pools, earned: `${beyond.earned}` },
    allowance: `${allowance}`,
    digest: sha256(certifiedPools.map(lineOf).join('\n')),
    scope: scopeOf(pools.length, beyond.pools, maxHops),
  }
}

function certifiedPool({ pool, pairs, earned, isCut }: ProvedPool, taxes: Taxes | undefined): CertifiedPool {
  const { id, address, family, tokens } = pool
  const places = pairs.map(([sold, bought]) => [tokens.indexOf(sold), tokens.indexOf(bought)] as const)
  const readable = familyOf(family)?.readableState?.(pool) ?? null
  // A truncated price curve earns less than the full state that a verifier reads, so its kind is `assumed`.
  const isReadable = readable !== null && !isCut
  const kind = familyOf(family)?.wrapsNative ? 'wrapper' : isReadable ? readable.kind : 'assumed'
  return {
    ...{ id, address, kind, family, tokens, pairs: places },
    feePpm: (isReadable && readable.feePpm) || 0,
    taxes: taxesOf(pool, taxes),
    state: isReadable ? sha256(readable.text) : digestOf(pool),
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

function scopeOf(listedCount: number, beyond: number, maxHops: number): string {
  const omittedNote = beyond === 0 ? '' : `; ${beyond} further pools are counted in the bound, but not listed`
  return `Before gas and convenience fee: routes of paths of at most ${maxHops} pools that swap at most once in each of the ${listedCount} listed pools, along its pairs, at the state of the block${omittedNote}.`
}

const digests = new WeakMap<object, string>()

/** SHA-256 of a pool state that has no public form; cached per state object. */
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
