/** Creates false certificates, which a checker must refute. */
import { createHash } from 'node:crypto'
import type { Certificate } from '@sluice/quoting'

type Request = (call: { readonly method: string; readonly params: readonly unknown[] }) => Promise<unknown>
type Pool = Certificate['pools'][number]
/** A false certificate, and the reason that the checker must report. */
export type FalsifiedCertificate = { readonly way: string; readonly certificate: Certificate; readonly reason: string }
type Context = {
  /** Bound that the certificate's prices prove. */
  readonly recomputed: bigint
  /** Output of a route that the certificate covers. */
  readonly paid: bigint
  /** Certificate of an earlier block; its pools have changed since. */
  readonly earlier?: Certificate
  /** Returns a random integer from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
}

const sha256 = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`

/** Formats a pool for the digest. @see docs/certificates.md */
const lineOf = ({ id, address, kind, tokens, pairs, feePpm, taxes, state }: Pool): string => {
  const taxed = taxes.map(({ token, soldPpm, boughtPpm }) => `${token}:${soldPpm}:${boughtPpm}`)
  return [id, address, kind, `${tokens}`, `${pairs.map((pair) => pair.join('>'))}`, feePpm, `${taxed}`, state].join(' ')
}
/** Returns the digest of a certificate's pools. */
export const digestOf = (pools: readonly Pool[]): string => sha256(pools.map(lineOf).join('\n'))
const withPools = (certificate: Certificate, pools: readonly Pool[]): Certificate => ({
  ...certificate,
  pools,
  digest: digestOf(pools),
})
const changed = (certificate: Certificate, pool: Pool, change: Partial<Pool>): Certificate =>
  withPools(
    certificate,
    certificate.pools.map((certifiedPool) =>
      certifiedPool === pool ? { ...certifiedPool, ...change } : certifiedPool,
    ),
  )
const isChecked = ({ kind }: Pool) => kind === 'constant-product' || kind === 'concentrated' || kind === 'stable'
const divUp = (a: bigint, b: bigint) => (a + b - 1n) / b

/** Returns the sum of all parts of the bound, and the sum of those that the checker cannot recompute, without the allowance. */
function parts({ amountIn, prices, tokenIn, pools, beyond, allowance }: Certificate) {
  const price = BigInt(prices.find(({ token }) => token === tokenIn)!.byHop[0]!)
  const sum = (pools: readonly Pool[]) => pools.reduce((all, { earned }) => all + BigInt(earned), 0n)
  const rest = BigInt(amountIn) * price + BigInt(beyond.earned) + BigInt(allowance)
  return { all: rest + sum(pools), believed: rest - BigInt(allowance) + sum(pools.filter((pool) => !isChecked(pool))) }
}

/** Returns a false certificate for each kind of forgery that is possible with the given one. */
export function falsify(
  certificate: Certificate,
  { recomputed, paid, earlier, below }: Context,
): readonly FalsifiedCertificate[] {
  const unit = 10n ** BigInt(certificate.scale)
  const falsified: FalsifiedCertificate[] = []
  const add = (way: string, reason: string, original: Certificate) =>
    falsified.push({ way, reason, certificate: original })
  const checked = certificate.pools.filter(isChecked)
  const { believed } = parts(certificate)

  const tooLow = recomputed - 1n - BigInt(below(1_000))
  if (tooLow >= 0n && tooLow * unit < parts(certificate).all)
    add('bound lowered', 'sum wrong', { ...certificate, bound: `${tooLow}` })
  // Set all earnings that the checker can recompute to 0, so the parts still add up to the lower bound.
  const min = divUp(believed, unit)
  if (min < recomputed) {
    const pools = certificate.pools.map((pool) => (isChecked(pool) ? { ...pool, earned: '0' } : pool))
    const claim = { ...certificate, pools, allowance: '0' }
    const room = recomputed - min
    const bound = min + BigInt(below(Number(room > 1_000_000n ? 1_000_000n : room)))
    add('bound lowered, and its parts with it', 'bound too low', { ...claim, bound: `${bound}` })
  }
  const [best] = checked.toSorted((a, b) => (BigInt(a.earned) < BigInt(b.earned) ? 1 : -1))
  if (best && BigInt(best.earned) > 2n * (BigInt(certificate.allowance) + 2n * unit)) {
    const pools = certificate.pools.map((pool) => (pool === best ? { ...pool, earned: '0' } : pool))
    const claim = { ...certificate, pools }
    add('a pool left out of the sum', 'bound too low', { ...claim, bound: `${divUp(parts(claim).all, unit)}` })
  }
  if (best) {
    const otherPools = certificate.pools.filter((pool) => pool !== best)
    add('a pool taken off the list', 'digest differs', { ...certificate, pools: otherPools })
    add('a pool taken off list and digest', 'pool missing', withPools(certificate, otherPools))
    const sum = { ...best, earned: `${parts(certificate).all * 2n}` }
    const pools = certificate.pools.map((pool) => (pool === best ? sum : pool))
    add('earnings above the bound', 'sum wrong', { ...certificate, pools })
  }
  for (const pool of checked.length > 0 ? [checked[below(checked.length)]!] : []) {
    const state = sha256(`another state ${below(1e9)}`)
    add('state digest', 'digest differs', {
      ...certificate,
      pools: certificate.pools.map((certifiedPool) =>
        certifiedPool === pool ? { ...certifiedPool, state } : certifiedPool,
      ),
    })
    add('state digest, and that of the list', 'state differs', changed(certificate, pool, { state }))
    const kind = pool.kind === 'concentrated' ? 'constant-product' : 'concentrated'
    add('kind of a pool', 'not such a pool', changed(certificate, pool, { kind }))
    // In pools of more tokens, some may have no price.
    if (pool.tokens.length === 2)
      add('order of tokens', 'not such a pool', changed(certificate, pool, { tokens: pool.tokens.toReversed() }))
    const [x, y] = [below(1e9) + 1, below(1e9) + 1]
    const reserves = { kind: 'constant-product', state: sha256(`constant-product ${x} ${y} ${pool.feePpm}`) } as const
    if (pool.kind === 'constant-product') {
      add('reserves', 'state differs', changed(certificate, pool, reserves))
      add('fee', 'state differs', changed(certificate, pool, { feePpm: pool.feePpm + 1 + below(5_000) }))
    }
  }
  // If the bound is close to the best output, the dual is near its minimum, so other prices prove only a higher bound.
  const isTight = (BigInt(certificate.bound) - paid) * 10_000n < paid
  const earning = checked.reduce((sum, { earned }) => sum + BigInt(earned), 0n)
  if (isTight && earning > 0n && certificate.pools.every((pool) => isChecked(pool) || pool.earned === '0')) {
    const part = 5n + BigInt(below(46))
    for (const percent of [100n + part, 100n - part]) {
      const prices = certificate.prices.map(({ token, byHop }) => ({
        token,
        byHop: byHop.map((price) => (token === certificate.tokenIn ? `${(BigInt(price) * percent) / 100n}` : price)),
      }))
      const changed = { ...certificate, prices }
      add('price of the input', percent > 100n ? 'sum wrong' : 'bound too low', changed)
    }
  }
  const isMoved = (pool: Pool) => {
    const before = earlier?.pools.find(({ id }) => id === pool.id)
    return isChecked(pool) && before !== undefined && before.state !== pool.state
  }
  if (earlier && certificate.pools.some(isMoved))
    add('block', 'state differs', { ...earlier, block: certificate.block })
  return falsified
}

/** Caches reads of a node; valid for fixed blocks only. */
export function memoized(request: Request): Request {
  const cached = new Map<string, Promise<unknown>>()
  return (call) => {
    const key = JSON.stringify(call)
    const answer = cached.get(key) ?? request(call)
    cached.set(key, answer)
    return answer
  }
}
