/** Tests that samples of a pool of three tokens belong to the directions in which they were taken. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { Interface, ZeroHash } from 'ethers'
import { expect, test } from 'vitest'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { sampledFamily } from './sampled-family.ts'
import type { SampledState } from './sampled-state.ts'

const addressOf = (n: number) => toAddress(`0x${String(n).repeat(40)}`)
const tokens = [1, 2, 3].map(addressOf)
const abi = new Interface([
  'function sample(tuple(address token0, address token1, tuple(uint256[] amounts0, uint256[] amounts1, uint256 gasEach, uint256 gasAll) trials) request) returns (uint256[] outputs0, uint256[] outputs1, bytes32 stamp)',
])
const family = sampledFamily({
  id: 'test',
  lens: { to: addressOf(9) },
  abi,
  requestOf: (_row, _pool, [token0, token1]: TokenPair) => ({ token0, token1 }),
})
const row = {} as DexRow
const emptyPool: Pool<null> = { id: 'x', family: 'test', dex: '', address: addressOf(8), tokens, state: null }

/** Reserve of each token; the invariant of each pair is x·y = k. */
const reserves = [10n ** 18n, 10n ** 21n, 10n ** 24n]
const outputOf = (tokenIn: Address, tokenOut: Address, amountIn: bigint) => {
  const [x, y] = [reserves[tokens.indexOf(tokenIn)]!, reserves[tokens.indexOf(tokenOut)]!]
  return (amountIn * y) / (x + amountIn)
}

/** Runs reads against the pool. */
function run<T>(reads: Reads<T>): T {
  for (let step = reads.next([]); ; ) {
    if (step.done) return step.value
    step = reads.next(
      step.value.map(({ data }) => {
        const [{ token0, token1, trials }] = abi.decodeFunctionData('sample', data)
        const [first, second] = [toAddress(token0), toAddress(token1)]
        const outputs0 = trials.amounts0.map((amount: bigint) => outputOf(first, second, amount))
        const outputs1 = trials.amounts1.map((amount: bigint) => outputOf(second, first, amount))
        return abi.encodeFunctionResult('sample', [outputs0, outputs1, ZeroHash]) as Hex
      }),
    )
  }
}

const sampledPool = (): Pool<SampledState> => ({ ...emptyPool, state: run(family.readStates(row, [emptyPool]))[0]! })
const pairs = tokens.flatMap((tokenIn) =>
  tokens.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : [[tokenIn, tokenOut] as const])),
)

test('each direction is quoted as its own pair trades', () => {
  const pool = sampledPool()
  expect(pairs).toHaveLength(6)
  for (const [tokenIn, tokenOut] of pairs) {
    const amountIn = reserves[tokens.indexOf(tokenIn)]! / 100n
    const expected = outputOf(tokenIn, tokenOut, amountIn)
    const { amountOut } = family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    const error = amountOut > expected ? amountOut - expected : expected - amountOut
    expect(error).toBeLessThanOrEqual(expected / 10n ** 9n + 2n)
  }
})

test('the reserve of a token is the most that any other token buys of it', () => {
  for (const [k, reserve] of family.reserves(sampledPool()).entries()) {
    expect(reserve).toBeLessThanOrEqual(reserves[k]!)
    expect(reserve).toBeGreaterThan((reserves[k]! * 8n) / 10n)
  }
})

test.each(pairs)('a swap of %s for %s is sampled again at its input, now and at later blocks', (tokenIn, tokenOut) => {
  const pool = sampledPool()
  const amountIn = reserves[tokens.indexOf(tokenIn)]! / 97n
  const swap = { tokenIn, tokenOut, amountIn }
  const { refine, isSampledAt } = family.sampled
  expect(isSampledAt(pool, swap)).toBe(false)
  const refined = { ...pool, state: run(refine(row, pool, [swap]))! }
  const refreshed = { ...pool, state: run(family.refreshStates(row, [refined]))[0]! as SampledState }
  for (const newPool of [refined, refreshed]) {
    expect(isSampledAt(newPool, swap)).toBe(true)
    const { amountOut } = family.quoteExactInput(newPool, tokenIn, tokenOut, amountIn)
    expect(amountOut).toBe(outputOf(tokenIn, tokenOut, amountIn))
    for (const [otherIn, otherOut] of pairs) {
      const quoteOf = (of: Pool<SampledState>) =>
        family.quoteExactInput(of, otherIn, otherOut, reserves[tokens.indexOf(otherIn)]! / 50n).amountOut
      if (otherIn !== tokenIn || otherOut !== tokenOut) expect(quoteOf(newPool)).toBe(quoteOf(pool))
    }
  }
})
