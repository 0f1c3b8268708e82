/** Tests which pools are read. */
import { AmbientLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { findPools, poolHash, readStates } from './state.ts'

const [dex, base, quote] = ['d', 'a', 'b'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const row: DexRow = { family: 'ambient', brand: 'test', role: 'dex', address: dex }
const lens = AmbientLens__factory.createInterface()
/** Parameters of a pool with a fee rate of 3,000 and a protocol take of 7. */
const specOf = ({ schema = 1n, oracleFlags = 0n } = {}) => schema | (3_000n << 8n) | (7n << 24n) | (oracleFlags << 64n)

test('a pool exists if it has a schema, and trades if no oracle restricts it', () => {
  const poolsOf = (spec: bigint) => {
    const reads = findPools(row, [[quote, base]])
    reads.next([])
    const { value } = reads.next([lens.encodeFunctionResult('specs', [[spec]]) as Hex])
    return value
  }
  const pool = { id: poolHash([base, quote], { poolIdx: 420 }), tokens: [base, quote], fixed: { poolIdx: 420 } }
  expect(poolsOf(specOf())).toMatchObject([pool])
  expect(poolsOf(specOf({ schema: 0n }))).toEqual([])
  expect(poolsOf(specOf({ oracleFlags: 1n }))).toEqual([])
})

test('the words of a pool are decoded, and a pool without a price or with an oracle is not read', () => {
  const stateOf = (words: readonly bigint[]) => {
    const reads = readStates(row, [{ id: `0x${'12'.repeat(32)}` } as never])
    reads.next([])
    const { value } = reads.next([lens.encodeFunctionResult('read', [[...words]]) as Hex])
    return (value as readonly unknown[])[0]
  }
  const curve = [(9n << 128n) | (1n << 64n), 5n | (6n << 128n) | (7n << 192n)]
  const level = [BigInt.asUintN(256, -100n), 3n | (4n << 96n)]
  expect(stateOf([specOf(), ...curve, ...level])).toEqual({
    ...{ feeRate: 3_000n, protocolTake: 7n, priceRoot: 1n << 64n, ambientSeeds: 9n },
    ...{ concLiq: 5n, seedDeflator: 6n, concGrowth: 7n, levels: [[-100, 3n, 4n]] },
  })
  expect(stateOf([specOf(), 0n, 0n])).toBeNull()
  expect(stateOf([specOf({ oracleFlags: 2n }), ...curve])).toBeNull()
})
