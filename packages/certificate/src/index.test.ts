/** Tests the checker on states in memory: results, and hostile input. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CheckOptions, checkCertificate } from './index.ts'

const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const HASH = `0x${'ab'.repeat(32)}`
const [A, B, PAIR, EMPTY_POOL] = [address(0xa), address(0xb), address(0x11), address(0x13)]
const [X, Y] = [1_000_000n * 10n ** 18n, 2_000_000n * 10n ** 18n]

/** A node with one pair, and a concentrated pool that was never initialized, by contract and selector. */
const views: Readonly<Record<string, string>> = {
  [`${PAIR} 0x0902f1ac`]: word(X) + word(Y) + word(1n),
  [`${PAIR} 0x0dfe1681`]: word(BigInt(A)),
  [`${PAIR} 0xd21220a7`]: word(BigInt(B)),
  [`${EMPTY_POOL} 0x3850c7bd`]: word(0n) + word(0n),
  [`${EMPTY_POOL} 0x1a686502`]: word(0n),
  [`${EMPTY_POOL} 0xddca3f43`]: word(3_000n),
  [`${EMPTY_POOL} 0xd0c93a7c`]: word(60n),
  [`${EMPTY_POOL} 0x0dfe1681`]: word(BigInt(A)),
  [`${EMPTY_POOL} 0xd21220a7`]: word(BigInt(B)),
  [`${EMPTY_POOL} 0x5339c296`]: word(0n),
}
type Call = { readonly method: string; readonly params: readonly unknown[] }
async function request({ method, params }: Call): Promise<unknown> {
  if (method === 'eth_chainId') return '0x7'
  if (method === 'eth_getBlockByNumber') return { hash: HASH }
  const { to, data } = params[0] as { to: string; data: string }
  return `0x${views[`${to} ${data.slice(0, 10)}`] ?? ''}`
}

const pool = {
  ...{ id: PAIR, address: PAIR, kind: 'constant-product', tokens: [A, B], pairs: [[0, 1]], feePpm: 3_000, taxes: [] },
  ...{ state: sha256(`constant-product ${X} ${Y} 3000`), earned: '0' },
}
const digestOf = (...pools: readonly (typeof pool)[]) =>
  sha256(
    pools
      .map(({ id, address, kind, tokens, pairs, feePpm, state }) =>
        [id, address, kind, `${tokens}`, pairs.map((pair) => pair.join('>')), feePpm, '', state].join(' '),
      )
      .join('\n'),
  )

/** A thousand A for B: all at the price at which the pair earns as much as it can. */
const UNIT = 10n ** 30n
const amountIn = 1_000n * 10n ** 18n
const paid = (amountIn * 997n * Y) / (X * 1_000n + amountIn * 997n)
/** Marginal rate after the trade. */
const price = (UNIT * 997n * X * Y * 1_000n) / (X * 1_000n + amountIn * 997n) ** 2n
const certificate = {
  ...{
    version: 1,
    chainId: 7,
    block: { number: 5, hash: HASH },
    tokenIn: A,
    tokenOut: B,
    amountIn: `${amountIn}`,
    maxHops: 1,
  },
  ...{ scale: 30, allowance: '0', beyond: { pools: 0, earned: '0' }, bound: `${paid + 2n}` },
  prices: [
    { token: A, byHop: [`${price}`, `${price}`] },
    { token: B, byHop: [`${UNIT}`, `${UNIT}`] },
  ],
  ...{ pools: [pool], digest: digestOf(pool) },
}
const check = (of: unknown, options: Partial<CheckOptions> = {}) =>
  checkCertificate(of, { request, ...options } as CheckOptions)

describe('a trade in one pair', () => {
  test('is bounded by what it pays, to the unit', async () => {
    const verdict = await check(certificate)
    expect(verdict).toMatchObject({ status: 'verified', assumed: [] })
    if (verdict.status !== 'verified') return
    expect(verdict.recomputed).toBeGreaterThanOrEqual(paid)
    expect(verdict.recomputed).toBeLessThanOrEqual(paid + 2n)
    expect(await check({ ...certificate, bound: `${verdict.recomputed}` })).toMatchObject({ status: 'verified' })
    expect(await check({ ...certificate, bound: `${verdict.recomputed - 1n}` })).toMatchObject({
      reason: 'bound too low',
    })
  })

  test('a bound that is too high is true all the same', async () => {
    expect(await check({ ...certificate, bound: `${paid * 2n}` })).toMatchObject({
      status: 'verified',
      bound: paid * 2n,
    })
  })

  test('any prices give a bound, which is higher at others', async () => {
    for (const percent of [50n, 99n, 101n, 200n]) {
      const other = [`${(price * percent) / 100n}`, `${price}`]
      const prices = [{ token: A, byHop: other }, certificate.prices[1]]
      const verdict = await check({ ...certificate, prices, bound: `${paid * 10n ** 6n}` })
      expect(verdict).toMatchObject({ status: 'verified' })
      if (verdict.status === 'verified') expect(verdict.recomputed).toBeGreaterThan(paid + 2n)
    }
  })

  test('a pool that was never initialized earns nothing, in both directions', async () => {
    const emptyPool = {
      ...{ ...pool, id: EMPTY_POOL, address: EMPTY_POOL, kind: 'concentrated' },
      ...{
        pairs: [
          [0, 1],
          [1, 0],
        ],
        state: sha256('concentrated 0 0 0 3000 60'),
      },
    }
    const withEmptyPool = { ...certificate, pools: [pool, emptyPool], digest: digestOf(pool, emptyPool) }
    expect(await check(withEmptyPool)).toEqual(await check(certificate))
    expect(await check(withEmptyPool)).toMatchObject({ status: 'verified' })
  })

  test('a tax of the token lowers it, and is an assumption', async () => {
    const taxed = { ...pool, taxes: [{ token: 0, soldPpm: 10_000, boughtPpm: 0 }] }
    const line = [taxed.id, taxed.address, taxed.kind, `${taxed.tokens}`, '0>1', 3_000, '0:10000:0', taxed.state].join(
      ' ',
    )
    const verdict = await check({ ...certificate, pools: [taxed], digest: sha256(line) })
    expect(verdict.status).toBe('verified')
    if (verdict.status === 'verified') expect(verdict.recomputed).toBeLessThan(paid)
  })
})

describe('refusals', () => {
  const refuse = async (change: object, reason: string, options: Partial<CheckOptions> = {}) =>
    expect(await check({ ...certificate, ...change }, options)).toMatchObject({ reason })

  test('name what is wrong', async () => {
    await refuse({ bound: `${paid / 2n}` }, 'sum wrong')
    await refuse({ digest: HASH }, 'digest differs')
    await refuse({}, 'pool missing', { mustInclude: [address(0x99)] })
    await refuse({ chainId: 8 }, 'other chain')
    await refuse({ block: { number: 5, hash: `0x${'cd'.repeat(32)}` } }, 'no such block')
    await refuse({}, 'out of reach', { maxReads: 2 })
    const other = { ...pool, state: HASH }
    await refuse({ pools: [other], digest: digestOf(other) }, 'state differs')
    const swapped = { ...pool, tokens: [B, A] }
    await refuse({ pools: [swapped], digest: digestOf(swapped) }, 'not such a pool')
    const nowhere = { ...pool, id: address(0x12), address: address(0x12) }
    await refuse({ pools: [nowhere], digest: digestOf(nowhere) }, 'not such a pool')
    const assumed = { ...pool, kind: 'assumed' }
    await refuse({ pools: [assumed], digest: digestOf(assumed) }, 'too many unknown pools')
    const wrapper = { ...pool, kind: 'wrapper' }
    await refuse({ pools: [wrapper], digest: digestOf(wrapper) }, 'bound too low')
  })

  test('a node that hangs, fails or lies ends the check in time', async () => {
    const slow = async ({ method }: Call) =>
      method === 'eth_call' ? new Promise(() => {}) : request({ method, params: [] })
    expect(await check(certificate, { request: slow, deadlineMs: 50 })).toMatchObject({ reason: 'node fails' })
    const failing = async () => {
      throw { code: -32000, message: 'missing trie node' }
    }
    expect(await check(certificate, { request: failing })).toMatchObject({
      status: 'not checkable',
      reason: 'node fails',
    })
    const reverting = async (call: Call) => {
      if (call.method === 'eth_call') throw { code: 3, message: 'execution reverted' }
      return request(call)
    }
    expect(await check(certificate, { request: reverting })).toMatchObject({ reason: 'not such a pool' })
    for (const nonsense of [null, 7, {}, '0xzz', `0x${'ff'.repeat(20_000)}`, [], '0x'])
      expect(await check(certificate, { request: async () => nonsense })).toMatchObject({ status: 'not checkable' })
    for (const nonsense of [null, undefined, 7, {}, '', '0x0', `0x${'zz'.repeat(96)}`, '9'.repeat(192)]) {
      const lying = async (call: Call) => (call.method === 'eth_call' ? nonsense : request(call))
      expect(await check(certificate, { request: lying })).toMatchObject({ reason: 'node fails' })
    }
    let blocks = 0
    const reorging = async (call: Call) =>
      call.method === 'eth_getBlockByNumber' && blocks++ > 0 ? { hash: `0x${'00'.repeat(32)}` } : request(call)
    expect(await check(certificate, { request: reorging })).toMatchObject({ reason: 'no such block' })
  })
})

describe('what a stranger sends', () => {
  const fieldOf = async (of: unknown) => {
    const verdict = await check(of)
    expect(verdict).toMatchObject({ status: 'not checkable', reason: 'malformed' })
    return verdict.status === 'verified' ? '' : verdict.message.split(' ')[0]
  }

  test('is named by its first field that is wrong', async () => {
    for (const value of [null, 1, 'text', [], undefined, true]) expect(await fieldOf(value)).toMatch(/^(a|version)$/)
    for (const name of Object.keys(certificate)) {
      const { [name as 'bound']: _, ...rest } = certificate
      expect(await fieldOf(rest), name).toMatch(new RegExp(`^${name}`))
      for (const value of [null, {}, '', '-1', '1e5', '0x1', -1, 1.5, Number.NaN, '9'.repeat(300), 'x'.repeat(1e6)])
        expect(await fieldOf({ ...certificate, [name]: value }), `${name} ${String(value).slice(0, 9)}`).toMatch(
          /^[a-z]/i,
        )
    }
    expect(await fieldOf({ ...certificate, pools: [{ ...pool, pairs: [[0, 9]] }] })).toBe('pools[0].pairs[0][1]')
    expect(await fieldOf({ ...certificate, pools: [{ ...pool, feePpm: 1_000_000 }] })).toBe('pools[0].feePpm')
    expect(await fieldOf({ ...certificate, pools: Array(2_001).fill(pool) })).toBe('pools')
    expect(await fieldOf({ ...certificate, pools: [pool, pool] })).toBe('pools')
    expect(await fieldOf({ ...certificate, prices: [certificate.prices[0]] })).toBe('prices')
    expect(await fieldOf({ ...certificate, maxHops: 2 })).toBe('prices')
  })

  test('has no power over prototypes', async () => {
    const hostile = JSON.parse(`{"__proto__": ${JSON.stringify(certificate)}}`)
    expect(await fieldOf(hostile)).toBe('version')
    expect(await fieldOf(Object.create(certificate))).toBe('version')
    const getter = Object.defineProperty({ ...certificate }, 'bound', { get: () => '1' })
    expect(await fieldOf(getter)).toBe('bound')
    await check(
      JSON.parse(JSON.stringify({ ...certificate }).replace('"version"', '"__proto__":{"isHostile":1},"version"')),
    )
    expect(({} as { isHostile?: number }).isHostile).toBeUndefined()
  })
})

test('the source has at most 400 lines of code, and imports nothing', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const sources = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  const lines = sources.flatMap((source) => source.split('\n')).filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line))
  expect(lines.length).toBeLessThanOrEqual(400)
  for (const source of sources)
    for (const [, from] of source.matchAll(/from '([^']+)'/g)) expect(from).toMatch(/^\.\/[a-z]+\.ts$/)
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(dependencies).toBeUndefined()
})
