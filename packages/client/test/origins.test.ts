/** Pools by their addresses, on what Ethereum has. */
import { toAddress } from '@sluice/chains'
import { type MainnetPool, readState } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { contractsOf } from '../src/index.ts'
import { unknownPools } from '../src/origins.ts'
import type { SwapLeg } from '../src/types.ts'

const { pools } = readState('ethereum')
const ethereum = contractsOf(1)!
const deployers: ReadonlySet<string> = new Set(ethereum.factories.map(({ deployer }) => deployer))
/** The factory that PancakeSwap makes pools for, by a deployer of its own. */
const PANCAKE_V3 = toAddress('0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865')
const isOurs = ({ factory }: MainnetPool) => deployers.has(factory) || factory === PANCAKE_V3
const legOf = ({ address, tokens: [tokenIn, tokenOut] }: MainnetPool) =>
  ({ pool: address, tokenIn, tokenOut }) as unknown as SwapLeg
const unknown = (pool: MainnetPool, contracts = ethereum) => unknownPools([legOf(pool)], [], contracts)

test('every pool of a factory that this package knows is known, whichever way it is traded, and no other is', () => {
  const expected = pools.filter((pool) => !isOurs(pool)).map(({ address }) => address)
  expect(pools.length - expected.length).toBeGreaterThan(50)
  expect(pools.flatMap((pool) => unknown(pool))).toEqual(expected)
  const [token0, token1] = pools[0]!.tokens
  expect(unknown({ ...pools[0]!, tokens: [token1, token0] })).toEqual(unknown(pools[0]!))
})

test('a pool is not known for other tokens, by no other factory, and under no other address', () => {
  const stranger = toAddress(`0x${'57'.repeat(20)}`)
  for (const pool of pools.filter(isOurs).slice(0, 5)) {
    expect(unknown({ ...pool, tokens: [pool.tokens[0], stranger] })).toEqual([pool.address])
    expect(unknown({ ...pool, address: stranger })).toEqual([stranger])
    expect(unknown(pool, { ...ethereum, factories: [] })).toEqual([pool.address])
    const moved = ethereum.factories.map((factory) => ({ ...factory, deployer: stranger }))
    expect(unknown(pool, { ...ethereum, factories: moved })).toEqual([pool.address])
  }
})

test('the wrapper is known by its address', () => {
  const wrapper = ethereum.wrapper as `0x${string}`
  const leg = { pool: wrapper, tokenIn: wrapper, tokenOut: wrapper } as unknown as SwapLeg
  expect(unknownPools([leg], [], ethereum)).toEqual([])
  expect(unknownPools([leg], [], { factories: ethereum.factories, wrapper: undefined })).toEqual([wrapper])
})
