/** Tests of `unknownPools` with pool addresses from Ethereum. */
import { encodeGuardSwap } from '@sluice/bindings/guard'
import { encodeProgram, type Step } from '@sluice/program'
import { expect, test } from 'vitest'
import { contractsOf, explain, unknownPools } from './index.ts'

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
/** Uniswap's V2 pair and 0.05 % V3 pool of WETH and USDC on Ethereum. */
const PAIR = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
const POOL = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
const contracts = contractsOf(1)!
const testAddress = (digits: string) => `0x${digits.repeat(20)}` as const

const ZERO: string = testAddress('00')
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'
/** Uniswap's 0.01 % V3 pool of DAI and USDC. */
const DAI_POOL = '0x5777d92f208679db4b9778590fa3cab3ac9e2168'

/** A step that sells the swap's input, or another token that the Executor holds. */
type PoolStep = { op: 'uniswap-v2' | 'uniswap-v3'; pool: string; feePpm?: number; tokenIn?: string }
const unknownOf = (...pools: readonly PoolStep[]) => unknownOfSwap(USDC, pools)

function unknownOfSwap(tokenOut: string, pools: readonly PoolStep[], { soldToken = WETH, wrapper = ZERO } = {}) {
  const steps = pools.map(({ op, pool, feePpm = 3_000, tokenIn }) => ({
    ...{ op, pool, zeroForOne: false, tokenIn: tokenIn ?? soldToken },
    ...(op === 'uniswap-v2' && { feePpm }),
    input: tokenIn ? { kind: 'rest' } : { kind: 'pull', amount: 1_000n },
    output: { kind: 'recipient' },
  })) as unknown as Step[]
  const data = encodeGuardSwap({
    ...{ tokenIn: soldToken, amountIn: 1_000n, value: 0n, tokenOut, minOutput: 990n, deadline: 1_800_000_000n },
    ...{
      executor: testAddress('33'),
      wrapper,
      feePpm: 0n,
      feeRecipient: ZERO,
      recipient: testAddress('55'),
    },
    ...{ direct: false, program: encodeProgram(steps) },
  })
  return unknownPools(explain({ from: testAddress('55'), to: contracts.guard, data, value: '0' }), contracts)
}

test('pools of known factories are known by their addresses, though the bytes name no output of a step', () => {
  expect(unknownOf({ op: 'uniswap-v2', pool: PAIR }, { op: 'uniswap-v3', pool: POOL })).toEqual([])
})

test('another address, the pool of another kind, and a fee that is not of the factory are named', () => {
  const untrusted = testAddress('ba')
  expect(unknownOf({ op: 'uniswap-v2', pool: untrusted }, { op: 'uniswap-v3', pool: POOL })).toEqual([untrusted])
  expect(unknownOf({ op: 'uniswap-v2', pool: POOL })).toEqual([POOL])
  expect(unknownOf({ op: 'uniswap-v2', pool: PAIR, feePpm: 100_000 })).toEqual([PAIR])
})

test('a pool of two hops is known by the token that only the next step names', () => {
  const hops: PoolStep[] = [
    { op: 'uniswap-v2', pool: PAIR },
    { op: 'uniswap-v3', pool: DAI_POOL, tokenIn: USDC },
  ]
  expect(unknownOfSwap(DAI, hops)).toEqual([])
  expect(unknownOfSwap(DAI, [{ ...hops[0]!, pool: POOL }, hops[1]!])).toEqual([POOL])
})

test('a pool that buys the wrapper for native output is known, though the bytes name the wrapper in no step', () => {
  const native = { soldToken: USDC, wrapper: WETH }
  expect(unknownOfSwap(ZERO, [{ op: 'uniswap-v3', pool: POOL }], native)).toEqual([])
  expect(unknownOfSwap(ZERO, [{ op: 'uniswap-v3', pool: DAI_POOL }], native)).toEqual([DAI_POOL])
})
