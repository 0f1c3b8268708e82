/**
 * Tests certificates over HTTP: a checker that shares no code with the search verifies them against the local chain's genuine
 * pools, and refutes each kind of false certificate with the right reason.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCertificate } from '@sluice/certificate'
import { createBuilder } from '@sluice/devnet'
import type { Certificate } from '@sluice/quoting'
import { beforeAll, describe, expect, test } from 'vitest'
import { digestOf, falsify } from './src/certificates.ts'
import { localService, request } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const RUNS = process.env.LONG ? 2_000 : 6
/** Pools of each family whose maximum earnings are found by trial. */
const POOLS = process.env.LONG ? 6 : 2
const SEED = 20_261_127
const local = localService({ RPC_TIMEOUT_MS: '30000' })
/** Timeout that suffices on a busy machine. */
const DEADLINE_MS = 60_000

/** Creates a seeded random number generator. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Query = Readonly<Record<string, string>>
type Body = {
  readonly error?: string
  readonly code?: string
  readonly toAmount: string
  readonly optimalityGap: number | null
  readonly proof?: Certificate | null
}
async function quote(query: Query, path = 'quote'): Promise<Body & { readonly status: number }> {
  const { status, text } = await ask(`${local.server.url}/${path}/31337?${new URLSearchParams(query)}`)
  return { status, ...JSON.parse(text) }
}

const token = (symbol: string) => local.devnet.info.tokens[symbol]!
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const check = (certificate: unknown, mustInclude: readonly string[] = []) =>
  checkCertificate(certificate, { url: local.devnet.url, deadlineMs: DEADLINE_MS, maxAssumed: 1, mustInclude })

function drawQuery(below: (limit: number) => number): Query {
  const symbols = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'FRAX', 'LINK', 'UNI', 'ETH']
  const src = symbols[below(symbols.length)]!
  const dst = symbols.filter((symbol) => symbol !== src && !(symbol === 'ETH' && src === 'WETH'))[below(7)]!
  const decimals = src === 'ETH' ? 18 : token(src).decimals
  const amount = BigInt(1 + below(999)) * 10n ** BigInt(Math.max(0, decimals - 3 + below(4)))
  const addressOf = (symbol: string) => (symbol === 'ETH' ? NATIVE : token(symbol).address)
  const few = below(3) === 0 && { includeSources: 'uniswap-v2,uniswap-v3,curve-stable' }
  return {
    src: addressOf(src),
    dst: addressOf(dst),
    amount: `${amount}`,
    ...few,
    maxHops: `${1 + below(4)}`,
    proof: '1',
  }
}

beforeAll(async () => {
  const [src, dst] = [token('WETH').address, token('USDC').address]
  await warmUp(local.server.url, `/quote/31337?src=${src}&dst=${dst}&amount=1000000000000000000`)
}, 600_000)

test('of random trades are verified on the real node, and false ones refuted for their own reason', async () => {
  const below = randomFrom(SEED)
  const ways = new Set<string>()
  let verified = 0
  for (let run = 0; run < RUNS; run++) {
    const query = drawQuery(below)
    const { status, proof, toAmount, optimalityGap } = await quote(query)
    if (status !== 200 || !proof) continue
    const about = JSON.stringify(query)
    const verdict = await check(proof)
    expect(verdict, about).toMatchObject({ status: 'verified', bound: BigInt(proof.bound) })
    if (verdict.status !== 'verified') continue
    verified++
    expect(BigInt(toAmount), about).toBeLessThanOrEqual(BigInt(proof.bound))
    const gap = (1 - Number(toAmount) / Number(proof.bound)) * 1e4
    // Skip small outputs, because rounding to base units exceeds the tolerance there.
    if (optimalityGap !== null && BigInt(toAmount) > 10n ** 8n) expect(gap - optimalityGap, about).toBeLessThan(1)
    const mustInclude = proof.pools.map(({ id }) => id)
    for (const { way, reason, certificate } of falsify(proof, {
      ...{ recomputed: verdict.recomputed, paid: BigInt(toAmount), below },
    })) {
      ways.add(way)
      const refused = await check(certificate, reason === 'pool missing' ? mustInclude : [])
      expect(refused, `${way} ${about}`).toMatchObject({ status: 'refuted', reason })
    }
  }
  expect(verified).toBeGreaterThan(RUNS / 2)
  expect(ways.size, [...ways].join()).toBeGreaterThan(11)
}, 600_000)

describe('earnings of each pool match its quotes', () => {
  const V2 = ['function getAmountsOut(uint256,address[]) view returns (uint256[])']
  const V3 = [
    'function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 limit)) view returns (uint256,uint160,uint32,uint256)',
  ]
  const CURVE = ['function get_dy(int128,int128,uint256) view returns (uint256)']
  /** Returns the maximum earnings of a pool from a ternary search over trade sizes, priced by the pool or its router. */
  async function byTrial(pay: (amount: bigint) => Promise<bigint>, sold: bigint, bought: bigint, max: bigint) {
    const earned = async (amount: bigint) => bought * (await pay(amount)) - sold * amount
    let [low, high, best] = [1n, max, 0n]
    for (let step = 0; step < 60 && high - low > 2n; step++) {
      const [a, b] = [low + (high - low) / 3n, high - (high - low) / 3n]
      const [ofA, ofB] = await Promise.all([earned(a), earned(b)])
      for (const one of [ofA, ofB]) if (one > best) best = one
      if (ofA < ofB) low = a
      else high = b
    }
    return best
  }

  test.each(['uniswap-v2', 'uniswap-v3', 'curve-stable'])(
    '%s',
    async (family) => {
      const below = randomFrom(SEED)
      const { info, url } = local.devnet
      const builder = createBuilder(url, info.accounts[0]!.address)
      const { proof } = await quote({
        ...{ src: token('WETH').address, dst: token('USDC').address, amount: '1000000000000000000', proof: '1' },
        includeSources: family === 'curve-stable' ? 'uniswap-v3,curve-stable' : family,
      })
      // Only Uniswap and Curve pools: forks need other routers.
      const routePools = new Set(
        info.pools.flatMap(({ dex, address }) => (/^(Uniswap|Curve)/.test(dex) ? [address.toLowerCase()] : [])),
      )
      const pools = proof!.pools
        .filter(({ family: of, kind, address }) => of === family && kind !== 'assumed' && routePools.has(address))
        .slice(0, POOLS)
      expect(pools.length).toBeGreaterThan(1)
      let earning = 0
      for (const pool of pools) {
        const [i, j] = below(2) === 0 ? [0, 1] : [1, 0]
        const [tokenIn, tokenOut] = [pool.tokens[i]!, pool.tokens[j]!]
        const unitsOf = (of: string) =>
          Object.values(info.tokens).find(({ address }) => address.toLowerCase() === of)!.decimals
        const fee = Number(info.pools.find(({ address }) => address.toLowerCase() === pool.address)?.feePpm ?? 0)
        const pay = async (amount: bigint): Promise<bigint> => {
          if (family === 'uniswap-v2')
            return (
              await builder
                .contractAt(V2, info.routers.uniswapV2Router02!)
                .read<bigint[]>('getAmountsOut', [amount, [tokenIn, tokenOut]])
            )[1]!
          if (family === 'curve-stable')
            return builder.contractAt(CURVE, pool.address).read<bigint>('get_dy', [i, j, amount])
          const quoter = builder.contractAt(V3, info.routers.uniswapV3QuoterV2!)
          return (await quoter.readAll('quoteExactInputSingle', [[tokenIn, tokenOut, amount, fee, 0]]))[0] as bigint
        }
        const one = 10n ** BigInt(unitsOf(tokenIn))
        const paid = await pay(one)
        // Prices slightly worse than the pool's, so the optimal trade takes a small part of the pool.
        const scale = 10n ** 20n
        const bought = scale
        const sold = (((paid * scale) / one) * BigInt(1_000 - 1 - below(family === 'curve-stable' ? 3 : 20))) / 1_000n
        const alone = { ...pool, pairs: [[i, j]] as const, earned: '0' }
        const certificate: Certificate = {
          ...proof!,
          ...{ tokenIn, tokenOut, amountIn: '0', maxHops: 1, scale: 20, bound: `${10n ** 60n}`, allowance: '0' },
          ...{ pools: [alone], digest: digestOf([alone]), beyond: { pools: 0, earned: '0' } },
          prices: [
            { token: tokenIn, byHop: [`${sold}`, `${sold}`] },
            { token: tokenOut, byHop: [`${bought}`, `${bought}`] },
          ],
        }
        const verdict = await check(certificate)
        if (verdict.status !== 'verified') throw new Error(`${pool.id}: ${verdict.message}`)
        const result = await byTrial(pay, sold, bought, one * 10n ** 7n)
        if (result > 0n) earning++
        const units = result / scale
        expect(verdict.recomputed, pool.id).toBeGreaterThanOrEqual(units)
        expect(verdict.recomputed, pool.id).toBeLessThanOrEqual(units + units / 100_000n + 10n + sold / scale)
      }
      expect(earning).toBeGreaterThan(0)
    },
    600_000,
  )
})

describe('parameters', () => {
  const pair = () => ({ src: token('WETH').address, dst: token('USDC').address })

  test('a proof is returned only if requested', async () => {
    const amount = '1000000000000000000'
    expect(await quote({ ...pair(), amount })).not.toHaveProperty('proof')
    expect(await quote({ ...pair(), amount, proof: '0' })).not.toHaveProperty('proof')
    const { proof } = await quote({ ...pair(), amount, proof: '1' })
    expect(proof).toMatchObject({ version: 1, chainId: 31337, amountIn: amount })
  })

  test('invalid parameters are named', async () => {
    const amount = '1000000000000000000'
    const refused = async (query: Query, path?: string) => {
      const { status, code, error } = await quote({ ...pair(), ...query }, path)
      expect([status, code]).toEqual([400, 'INVALID_PARAMETER'])
      return error
    }
    expect(await refused({ amountOut: amount, proof: '1' })).toContain('proof must be 0 with amountOut')
    expect(await refused({ amount, proof: '2' })).toContain('proof must be 0 or 1')
    const from = local.devnet.info.accounts[0]!.address
    for (const path of ['aggregator', 'stream'])
      expect(await refused({ amount, proof: '1', from }, path)).toContain('proof is a parameter of /quote alone')
    expect(await refused({ amount, proof: '1' }, 'stream')).toContain('proof is a parameter of /quote alone')
    const { text } = await ask(`${local.server.url}/quotes/31337`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ quotes: [{ ...pair(), amount, proof: '1' }] }),
    })
    expect(JSON.parse(text).quotes[0].error).toContain('proof is a parameter of /quote alone')
  })

  test('a wrap is proven by its input', async () => {
    const { proof } = await quote({ src: NATIVE, dst: token('WETH').address, amount: '7', proof: '1' })
    expect(proof).toMatchObject({ bound: '7', pools: [] })
    expect(await check(proof)).toMatchObject({ status: 'verified', recomputed: 7n })
  })
})

test('the exit code of the command reports the result', async () => {
  const { proof } = await quote({
    src: token('WETH').address,
    dst: token('USDC').address,
    amount: '1000000000000000000',
    proof: '1',
  })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-proof-'))
  const run = (certificate: unknown, rpc = local.devnet.url) => {
    const file = join(folder, 'certificate.json')
    writeFileSync(file, typeof certificate === 'string' ? certificate : JSON.stringify(certificate))
    const program = join(import.meta.dirname, '../../certificate/bin/sluice-certificate.mjs')
    const args = [program, file, '--rpc', rpc, '--deadline', `${DEADLINE_MS}`]
    return new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(process.execPath, args, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      )
    })
  }
  try {
    const verdict = await check(proof)
    const isKnown = verdict.status === 'verified' && verdict.assumed.length <= proof!.pools.length / 2
    expect(await run({ proof })).toMatchObject({ code: isKnown ? 0 : 2 })
    expect(await run({ ...proof, bound: '1' })).toMatchObject({ code: 1, output: expect.stringContaining('sum wrong') })
    expect(await run({ ...proof, amountIn: '-1' })).toMatchObject({
      code: 2,
      output: expect.stringContaining('amountIn'),
    })
    expect(await run('{')).toMatchObject({ code: 2, output: expect.stringContaining('cannot read the certificate') })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a certificate of another chain, block or node is not checkable, and says so', async () => {
  const { proof } = await quote({
    src: token('WETH').address,
    dst: token('USDC').address,
    amount: '1000000000000000000',
    proof: '1',
  })
  const reasonOf = async (certificate: unknown) => {
    const verdict = await check(certificate)
    return verdict.status === 'not checkable' ? verdict.reason : verdict.status
  }
  expect(await reasonOf({ ...proof, chainId: 1 })).toBe('other chain')
  expect(await reasonOf({ ...proof, block: { ...proof!.block, number: 999_999_999 } })).toBe('no such block')
  expect(await reasonOf({ ...proof, block: { ...proof!.block, hash: `0x${'11'.repeat(32)}` } })).toBe('no such block')
  const away = await checkCertificate(proof, { url: 'http://127.0.0.1:9', deadlineMs: DEADLINE_MS, maxAssumed: 1 })
  expect(away).toMatchObject({ status: 'not checkable', reason: 'node fails' })
  const none = await checkCertificate(proof, {
    url: local.devnet.url,
    deadlineMs: DEADLINE_MS,
    maxAssumed: 1,
    maxReads: 3,
  })
  expect(none).toMatchObject({ status: 'not checkable', reason: 'out of reach' })
  expect(await request(local.devnet.url, 'eth_chainId')).toBe('0x7a69')
})
