/** Tests the fields of a certificate, and that its digests cover what a verifier reads. */
import { createHash } from 'node:crypto'
import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import type { BoundProof, ProvedPool } from '@sluice/routing'
import { expect, test } from 'vitest'
import { certificateOf } from './certificate.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, W] = [at(0xa), at(0xb), at(0xe)]
const pair: Pool = {
  ...{ id: 'pair', address: at(1), family: 'uniswap-v2', dex: 'test', tokens: [A, B] },
  state: { reserve0: 5n, reserve1: 7n, feePpm: 3_000 },
}
const wrapper: Pool = {
  ...{ id: 'wrapper', address: W, family: 'wrapped-native', dex: 'wrapped', tokens: [ZERO_ADDRESS, W] },
  state: { supply: 9n },
}
const unreadable: Pool = {
  ...{ id: 'psm', address: at(2), family: 'lite-psm', dex: 'psm', tokens: [A, B] },
  state: { unknown: 1n },
}
const proved = (pool: Pool, over: Partial<ProvedPool> = {}): ProvedPool => ({
  ...{ pool, pairs: [[pool.tokens[1]!, pool.tokens[0]!]], earned: 11n, isCut: false },
  ...over,
})
const proof: BoundProof = {
  ...{ decimals: 3, pools: [proved(pair)], beyond: { pools: 0, earned: 0n }, allowance: 4n, bound: 77n, maxHops: 2 },
  prices: [
    [A, [3n, 2n, 1n]],
    [B, [1_000n, 1_000n, 1_000n]],
  ],
}
const terms = { tokenIn: A, tokenOut: B, wrappedNative: W, gasPriceWei: 0n, amountIn: 12n }
const snapshot = { chainId: 5, block: { number: 8, hash: '0x08' } } as unknown as Snapshot
const certified = (over: Partial<BoundProof> = {}, of: object = {}) =>
  certificateOf({ ...proof, ...over }, { ...terms, ...of }, snapshot)
const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`

test('a certificate states the proof in decimals', () => {
  const { text } = familyOf('uniswap-v2')!.readableState!(pair)!
  expect(certified()).toEqual({
    ...{ version: 1, chainId: 5, block: { number: 8, hash: '0x08' }, tokenIn: A, tokenOut: B, amountIn: '12' },
    ...{ bound: '77', scale: 3, maxHops: 2, beyond: { pools: 0, earned: '0' }, allowance: '4' },
    prices: [
      { token: A, byHop: ['3', '2', '1'] },
      { token: B, byHop: ['1000', '1000', '1000'] },
    ],
    pools: [
      {
        ...{
          id: 'pair',
          address: at(1),
          kind: 'constant-product',
          family: 'uniswap-v2',
          tokens: [A, B],
          pairs: [[1, 0]],
        },
        ...{ feePpm: 3_000, taxes: [], state: sha256(text), earned: '11' },
      },
    ],
    digest: sha256(`pair ${at(1)} constant-product ${A},${B} 1>0 3000  ${sha256(text)}`),
    scope:
      'Before gas and convenience fee: routes of paths of at most 2 pools that swap at most once in each of the 1 listed pools, along its pairs, at the state of the block.',
  })
  expect(certified({}, { amountIn: undefined }).amountIn).toBe('0')
})

test('pools that are not listed are counted', () => {
  const { beyond, scope } = certified({ beyond: { pools: 2, earned: 6n } })
  expect(beyond).toEqual({ pools: 2, earned: '6' })
  expect(scope).toContain('; 2 further pools are counted in the bound, but not listed.')
})

test('a pool whose curve was cut, or whose state has no public form, is assumed', () => {
  const [cut] = certified({ pools: [proved(pair, { isCut: true })] }).pools
  expect(cut).toMatchObject({ kind: 'assumed', feePpm: 0 })
  expect(cut!.state).not.toBe(certified().pools[0]!.state)
  const [hidden] = certified({ pools: [proved(unreadable)] }).pools
  expect(hidden).toMatchObject({ kind: 'assumed', feePpm: 0, state: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  // Another state has another digest; the same one the same.
  const stateOf = (state: unknown) => certified({ pools: [proved({ ...unreadable, state })] }).pools[0]!.state
  expect(stateOf({ unknown: 1n })).toBe(hidden!.state)
  expect(stateOf({ unknown: 2n })).not.toBe(hidden!.state)
  expect(stateOf(3)).not.toBe(stateOf(4))
  expect(certified({ pools: [proved(wrapper)] }).pools[0]!.kind).toBe('wrapper')
})

test('taxes of a pool’s tokens are stated, and covered by the digest', () => {
  const usual = { buyPpm: 20, sellPpm: 30, transferPpm: 0 }
  const taxes = new Map([[B, { usual, inPool: new Map() }]])
  const taxed = certified({}, { taxes })
  expect(taxed.pools[0]!.taxes).toEqual([{ token: 1, soldPpm: 30, boughtPpm: 20 }])
  expect(taxed.digest).not.toBe(certified().digest)
  const only = (tax: object) =>
    certified({}, { taxes: new Map([[A, { usual: { ...usual, ...tax }, inPool: new Map() }]]) }).pools[0]!.taxes
  expect(only({ buyPpm: 0 })).toEqual([{ token: 0, soldPpm: 30, boughtPpm: 0 }])
  expect(only({ sellPpm: 0 })).toEqual([{ token: 0, soldPpm: 0, boughtPpm: 20 }])
  expect(only({ buyPpm: 0, sellPpm: 0 })).toEqual([])
})

test('the native token is the zero address, at the price of its wrapper', () => {
  const prices = [[W, [5n]] as const, [B, [1n]] as const]
  const certificate = certified({ prices }, { tokenIn: NATIVE })
  expect(certificate.tokenIn).toBe(ZERO_ADDRESS)
  expect(certificate.prices.at(-1)).toEqual({ token: ZERO_ADDRESS, byHop: ['5'] })
  expect(certified({ prices }, { tokenOut: NATIVE }).tokenOut).toBe(ZERO_ADDRESS)
  const own = certified({ prices: [...prices, [ZERO_ADDRESS, [6n]]] })
  expect(own.prices.filter(({ token }) => token === ZERO_ADDRESS)).toEqual([{ token: ZERO_ADDRESS, byHop: ['6'] }])
  expect(certified({ prices }, { wrappedNative: null }).prices).toHaveLength(2)
})
