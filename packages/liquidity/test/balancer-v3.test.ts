/** Balancer V3's own libraries, compiled and run in the EVM: random pools and amounts, quoted alike to the unit. */
import { type Address, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Contract, compileSources, createBuilder, startAnvil } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balancerV3 } from '../src/dexes/balancer-v3/index.ts'
import type { PooledState } from '../src/dexes/balancer-v3/types.ts'
import { type Pool, PoolRefusal } from '../src/index.ts'
import { type Random, random } from './random.ts'

const QUOTES = process.env.LONG ? 100_000 : 400
const AT_ONCE = 50
const ONE = 10n ** 18n

let anvil: Anvil
let maths: Contract
beforeAll(async () => {
  anvil = await startAnvil()
  maths = await createBuilder(anvil.url, accounts()[0]!.address).deploy(compileSources().BalancerV3Maths!)
}, 60_000)
afterAll(() => anvil?.stop())

const tokens = [1, 2, 3, 4, 5].map((n) => toAddress(`0x${n.toString(16).padStart(40, '0')}`))

/** Weights of 1 to 98 %, or an A of 1 to 5,000; balances within three orders of magnitude of each other, dust to billions. */
function makePool(r: Random): Pool<PooledState> {
  const n = 2 + r.integer(4)
  const parts = Array.from({ length: n })
  const scaling = parts.map(() => 10n ** BigInt(r.pick([0, 0, 10, 12])))
  const rates = parts.map(() => (r.integer(2) ? ONE : (ONE * BigInt(900_000 + r.integer(600_000))) / 999_983n))
  const size = 30 + r.integer(60)
  const balances = scaling.map((factor) => (r.amount(size, size + 10) + 10n ** 7n) / factor + 2n)
  const common = {
    balances,
    scaling,
    rates,
    swapFee: (ONE * BigInt(r.integer(100_000))) / 1_000_000n,
    aggregateFee: ONE / 2n,
    bounded: false,
  }
  const state: PooledState = r.integer(2)
    ? { ...common, kind: 'stable', amp: BigInt(1 + r.integer(5_000)) * 1_000n }
    : { ...common, kind: 'weighted', weights: weightsOf(r, n) }
  return {
    id: 'made',
    family: 'balancer-v3',
    dex: 'Balancer V3',
    address: tokens[0]!,
    tokens: tokens.slice(0, n),
    state,
  }
}

function weightsOf(r: Random, n: number): bigint[] {
  const shares = Array.from({ length: n }, () => 1n + BigInt(r.integer(50)))
  const sum = shares.reduce((total, share) => total + share, 0n)
  const weights = shares.map((share) => (share * ONE) / sum)
  return weights.with(0, weights[0]! + ONE - weights.reduce((total, weight) => total + weight, 0n))
}

/** Returns the output of the genuine math; null if it reverts. */
async function genuine({ state }: Pool<PooledState>, i: number, j: number, amountIn: bigint) {
  const { balances, scaling, rates, swapFee } = state
  if (state.kind !== 'stable' && state.kind !== 'weighted') throw new TypeError(`no library here is of ${state.kind}`)
  const kind = state.kind === 'stable' ? { weights: [], amp: state.amp } : { weights: state.weights, amp: 0n }
  const args = [{ balances, scaling, rates, swapFee, ...kind }, i, j, amountIn]
  return maths.read<bigint>('swap', args).catch((error: Error) => {
    if (/revert/.test(error.message)) return null
    throw error
  })
}

function quote(pool: Pool<PooledState>, tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  try {
    return balancerV3.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

test('weighted and stable pools are quoted like the libraries, for any amount', async () => {
  const r = random(31)
  const count = { quoted: 0, refused: 0 }
  for (let done = 0; done < QUOTES; done += AT_ONCE) {
    const cases = Array.from({ length: AT_ONCE }, () => {
      const pool = makePool(r)
      const i = r.integer(pool.tokens.length)
      const j = (i + 1 + r.integer(pool.tokens.length - 1)) % pool.tokens.length
      return { pool, i, j, amountIn: r.amount(1, pool.state.balances[i]!.toString(2).length + r.integer(4)) }
    })
    await Promise.all(
      cases.map(async ({ pool, i, j, amountIn }) => {
        const theirs = await genuine(pool, i, j, amountIn)
        const ours = quote(pool, pool.tokens[i]!, pool.tokens[j]!, amountIn)
        const label = `${pool.state.kind} ${pool.state.balances} ${i} ${j} ${amountIn}`
        if (ours instanceof PoolRefusal) {
          // An answer of nothing is refused too.
          expect(`${label}: ${ours.code} ${theirs || null}`).toBe(`${label}: ${ours.code} null`)
          count.refused++
        } else {
          expect(`${label}: ${ours}`).toBe(`${label}: ${theirs}`)
          count.quoted++
        }
      }),
    )
  }
  expect(count.quoted).toBeGreaterThan(QUOTES / 2)
  expect(count.refused).toBeGreaterThan(0)
})
