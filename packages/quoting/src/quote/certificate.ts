/** Certificates of bounds: a proof with the facts by which others find its pools and their states again, as docs/certificates.md has them. */
import { createHash } from 'node:crypto'
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot, toText } from '@sluice/liquidity'
import { type BoundProof, type ProvedPool, type RouteTerms, type Taxes, taxIn } from '@sluice/routing'

/** Kinds of pools: those that `@sluice/certificate` checks, and all others. */
export const CERTIFIED_KINDS = ['constant-product', 'concentrated', 'stable', 'wrapper', 'assumed'] as const

export type Certificate = {
  readonly version: 1
  readonly chainId: number
  readonly block: { readonly number: number; readonly hash: string }
  /** The zero address for the native token. */
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string
  /** Base units of `tokenOut` that no route within the scope pays more than. */
  readonly bound: string
  /** Prices and earnings are integers: base units of `tokenOut` times 10 to this power. */
  readonly scale: number
  /** Most pools in series; prices of a token are by the pools that a path has passed before. */
  readonly maxHops: number
  readonly prices: readonly { readonly token: string; readonly byHop: readonly string[] }[]
  readonly pools: readonly CertifiedPool[]
  readonly beyond: { readonly pools: number; readonly earned: string }
  readonly allowance: string
  /** SHA-256 over the lines of all pools. */
  readonly digest: string
  readonly scope: string
}

type CertifiedPool = {
  readonly id: string
  readonly address: string
  readonly kind: (typeof CERTIFIED_KINDS)[number]
  readonly family: string
  readonly tokens: readonly string[]
  /** Places in `tokens` of the token sold and the token bought. */
  readonly pairs: readonly (readonly [number, number])[]
  readonly feePpm: number
  readonly taxes: readonly PoolTax[]
  /** SHA-256 of the state. */
  readonly state: string
  readonly earned: string
}
type PoolTax = { readonly token: number; readonly soldPpm: number; readonly boughtPpm: number }

export function certificateOf(
  { decimals, prices, pools, beyond, allowance, bound, maxHops }: BoundProof,
  request: RouteTerms & { readonly amountIn?: bigint },
  { chainId, block: { number, hash } }: Snapshot,
): Certificate {
  const { tokenIn, tokenOut, wrappedNative, taxes } = request
  const certified = pools.map((proved) => certifiedPool(proved, taxes))
  const priceOf = new Map<Address, readonly bigint[]>(prices)
  const native = wrappedNative === null ? undefined : priceOf.get(wrappedNative)
  // Where the native token is an end, it and its wrapper are one token to the search.
  if (native !== undefined && !priceOf.has(ZERO_ADDRESS)) priceOf.set(ZERO_ADDRESS, native)
  const nameOf = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)
  return {
    ...{ version: 1, chainId, block: { number, hash } },
    ...{ tokenIn: nameOf(tokenIn), tokenOut: nameOf(tokenOut), amountIn: `${request.amountIn ?? 0n}` },
    bound: `${bound}`,
    scale: decimals,
    maxHops,
    prices: Array.from(priceOf, ([token, byHop]) => ({ token, byHop: byHop.map(String) })),
    pools: certified,
    beyond: { pools: beyond.pools, earned: `${beyond.earned}` },
    allowance: `${allowance}`,
    digest: sha256(certified.map(lineOf).join('\n')),
    scope: scopeOf(pools.length, beyond.pools, maxHops),
  }
}

function certifiedPool({ pool, pairs, earned, isCut }: ProvedPool, taxes: Taxes | undefined): CertifiedPool {
  const { id, address, family, tokens } = pool
  const places = pairs.map(([sold, bought]) => [tokens.indexOf(sold), tokens.indexOf(bought)] as const)
  const readable = familyOf(family)?.readableState?.(pool) ?? null
  // What a search knows in part only, others would find to earn more.
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
  return tokens.flatMap((token, place) => {
    const { sellPpm = 0, buyPpm = 0 } = taxIn(taxes, token, id) ?? {}
    return sellPpm > 0 || buyPpm > 0 ? [{ token: place, soldPpm: sellPpm, boughtPpm: buyPpm }] : []
  })
}

const lineOf = ({ id, address, kind, tokens, pairs, feePpm, taxes, state }: CertifiedPool): string => {
  const taxed = taxes.map(({ token, soldPpm, boughtPpm }) => [token, soldPpm, boughtPpm].join(':'))
  return [id, address, kind, tokens, pairs.map((pair) => pair.join('>')), feePpm, taxed, state].map(String).join(' ')
}

function scopeOf(listed: number, beyond: number, maxHops: number): string {
  const others = beyond === 0 ? '' : `; ${beyond} further pools are counted in the bound, but not listed`
  return `Before gas and convenience fee: routes of paths of at most ${maxHops} pools that swap at most once in each of the ${listed} listed pools, along its pairs, at the state of the block${others}.`
}

const digests = new WeakMap<object, string>()

/** The digest of a state that only the service reads. */
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
