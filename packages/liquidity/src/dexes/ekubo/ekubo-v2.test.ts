/** Tests the parts of version 2 of Ekubo that differ from version 3, with keys of pools of Ethereum and answers of a peer. */
import { IEkuboV2Core__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { concentratedType, configOf, decodeConfig, poolId } from './config.ts'
import { ekubo, ekuboV2 } from './index.ts'
import { MAX_TICK, MIN_TICK } from './ratio.ts'
import { decodeStateWord, stateSlotOf } from './storage.ts'
import type { EkuboState } from './types.ts'

const CORE = toAddress('0xe0e0e08a6a4b9dc7bd67bcb7aade5cf48157d444')
const ROW: DexRow = { family: 'ekubo-v2', brand: 'Ekubo', role: 'core', version: '2', address: CORE }
const USDC = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
const USDT = toAddress('0xdac17f958d2ee523a2206206994597c13d831ec7')
const [A, B] = ['aa', 'bb'].map((digits) => toAddress(`0x${digits.repeat(20)}`)) as [Address, Address]
/** Keys of pools of Ethereum with their ids. */
const KNOWN_POOLS = [
  [
    [ZERO_ADDRESS, USDC],
    '0x000000000000000000000000000000000000000000c49ba5e353f7ce0000175e',
    '0x949b7f76e6712fd5d03935d263361443a425004048ea54e31e4e32c36cd7da83',
  ],
  [
    [USDC, USDT],
    '0x0000000000000000000000000000000000000000000346dc5d63886500000064',
    '0x91ffc128bf8e0afbd2c0f14722e2fd5b6625341a5e5f551aa36242d98756798d',
  ],
] as const

const wordOf = (value: bigint | number | string): string =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')

function poolOf(config: Hex, state: Partial<EkuboState>): Pool<EkuboState> {
  const whole = { sqrtRatio: 1n << 128n, tick: 0, liquidity: 10n ** 18n, ticks: [], ...state }
  const tokens = [A, B] as const
  return {
    ...{ id: poolId(tokens, { config }), family: 'ekubo-v2', dex: 'test', address: CORE, tokens, fixed: { config } },
    state: whole,
  }
}

test('a row of a version belongs to one family', () => {
  const rowOf = (version: string) => ({ ...ROW, family: 'ekubo', version })
  expect(ekuboV2.rowsOf!(rowOf('2'))).toEqual([ROW])
  expect(ekubo.rowsOf!(rowOf('2'))).toEqual([])
  expect(ekuboV2.rowsOf!(rowOf('3'))).toEqual([])
})

test('a config contains the tick spacing, or zero for the full range', () => {
  const kindOf = (spacing: number) => decodeConfig(configOf(1n, concentratedType(spacing, 2)), 2)?.kind
  expect(kindOf(0)).toEqual({ name: 'range', lower: MIN_TICK, upper: MAX_TICK })
  expect(kindOf(698_605)).toEqual({ name: 'concentrated', tickSpacing: 698_605 })
  expect(kindOf(698_606)).toBe(undefined)
})

test('pools of Ethereum with usual settings are found by their ids, in the mapping of states', () => {
  for (const [tokens, config, id] of KNOWN_POOLS) {
    expect(poolId(tokens, { config })).toBe(id)
    const slot = keccak256(`${id}${wordOf(2)}`)
    expect(stateSlotOf(id, 2)).toBe(slot)
    const reads = ekuboV2.findPools!(ROW, [tokens])
    const slotsByRead = (reads.next([]).value as readonly { readonly data: Hex }[]).map(
      ({ data }) => data.slice(10).match(/.{64}/g)!,
    )
    // The core answers more words wrongly.
    expect(Math.max(...slotsByRead.map(({ length }) => length))).toBe(4)
    expect(slotsByRead.flat()).toContain(slot.slice(2))
    const answers = slotsByRead.map(
      (slots) => `0x${slots.map((one) => wordOf(one === slot.slice(2) ? 1 : 0)).join('')}` as const,
    )
    expect(reads.next(answers).value).toMatchObject([{ id, family: 'ekubo-v2', fixed: { config } }])
  }
})

test('a state word has its fields from the low end', () => {
  const packedRatio = (2n << 94n) | (1n << 62n)
  const word = packedRatio | (BigInt.asUintN(32, -5n) << 96n) | (77n << 128n)
  expect(decodeStateWord(word, 2)).toEqual({ sqrtRatio: 1n << 128n, tick: -5, liquidity: 77n })
  expect(decodeStateWord(0n, 2)).toBe(null)
})

test('quotes equal the results of KyberNetwork/kyberswap-dex-lib', () => {
  const pool = poolOf(configOf(1n << 63n, 0), { liquidity: 100_000n })
  expect(ekuboV2.quoteExactInput(pool, A, B, 10_000n).amountOut).toBe(4_761n)
  expect(ekuboV2.quoteExactInput(pool, B, A, 10_000n).amountOut).toBe(4_761n)
})

describe('a position log', () => {
  const topic = IEkuboV2Core__factory.createInterface().getEvent('PositionUpdated').topicHash as Hex
  const apply = (pool: Pool<EkuboState>, [lower, upper, delta]: readonly [number, number, bigint], address = CORE) => {
    const words = [A, pool.id, 9, lower, upper, delta, 1, -1].map(wordOf)
    const log: Log = {
      ...{ address, topics: [topic], data: `0x${words.join('')}` },
      ...{ blockNumber: 1, blockHash: '0x', logIndex: 0 },
    }
    expect(ekuboV2.topics).toContain(topic)
    expect(ekuboV2.poolIdOf!(log)).toBe(pool.id)
    return ekuboV2.applyLog(pool, log)
  }

  test('changes the ticks, and the liquidity if the price is between them', () => {
    const pool = poolOf(configOf(1n, 100), { liquidity: 0n })
    const state = apply(pool, [-200, 300, 50n]) as EkuboState
    expect(state).toMatchObject({
      liquidity: 50n,
      ticks: [
        [-200, 50n, 50n],
        [300, -50n, 50n],
      ],
    })
    expect(apply({ ...pool, state }, [-200, 300, -50n])).toEqual({ ...pool.state, ticks: [] })
    expect(apply(pool, [100, 300, 50n])).toMatchObject({ liquidity: 0n })
  })

  test('changes the liquidity of a pool with the full range', () => {
    const pool = poolOf(configOf(1n, 0), { liquidity: 70n })
    expect(apply(pool, [MIN_TICK, MAX_TICK, -30n])).toEqual({ ...pool.state, liquidity: 40n })
  })

  test('beyond the known ticks requires another read, and of another contract is ignored', () => {
    const pool = poolOf(configOf(1n, 100), { known: [-1_000, 1_000] })
    expect(apply(pool, [-2_000, 100, 5n])).toBe('reread')
    expect(apply(pool, [-100, 100, -5n])).toBe('reread')
    expect(apply(pool, [-100, 100, 5n], A)).toBe('ignore')
  })
})
