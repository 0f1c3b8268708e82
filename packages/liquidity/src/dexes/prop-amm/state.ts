/** Finds and samples proprietary AMMs. */
import { type IPropAmmState, IPropAmmState__factory, type PropAmmLens, PropAmmLens__factory } from '@sluice/bindings'
import { keccak256 } from '@sluice/bindings/keccak'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { concat } from 'ethers'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { pairKey, sortPair } from '../common/direction.ts'
import { singletonPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import type { PropAmmState, QuoteSample } from './types.ts'

const LENS = lensOf('PropAmmLens')
const lensInterface = PropAmmLens__factory.createInterface()
const ammInterface = IPropAmmState__factory.createInterface()

/** Estimated gas to read the list of pairs. */
const FIND_GAS = 300_000
/** Estimated gas to sample one pool, with about thirty quotes per direction. */
const READ_GAS = 3_000_000

/** Returns the row if it is marked as measured: in measurements, its swaps paid what the AMM had quoted. */
export const rowsOf = (row: DexRow): readonly DexRow[] => (row.family === 'prop-amm' && row.measured ? [row] : [])

/** Finds pools in the list of token pairs that the AMM returns. */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const [answer] = yield [{ to: row.address, data: ammInterface.encodeFunctionData('getPairs') as Hex, gas: FIND_GAS }]
  if (!answer || answer === '0x') return []
  const pairKeys = new Set(pairs.map(pairKey))
  const [listedPairs] = ammInterface.decodeFunctionResult('getPairs', answer) as unknown as [
    IPropAmmState.TokenPairStructOutput[],
  ]
  const tokensByKey = new Map<string, readonly [Address, Address]>()
  for (const { token0, token1 } of listedPairs) {
    const tokens = sortPair([toAddress(token0), toAddress(token1)])
    tokensByKey.set(pairKey(tokens), tokens)
  }
  return [...tokensByKey]
    .filter(([key]) => pairKeys.has(key))
    .map(([, tokens]) => singletonPool(row, keccak256(concat([row.address, ...tokens]) as Hex), tokens))
}

export const readStates = stateReader(
  ({ address, tokens }) =>
    lensRead(LENS, lensInterface.encodeFunctionData('sample', [address, [tokens[0]!, tokens[1]!]]), READ_GAS),
  decodeState,
)

function decodeState(answer: Hex): PropAmmState {
  const [sides] = lensInterface.decodeFunctionResult('sample', answer) as unknown as [PropAmmLens.SideStructOutput[]]
  return { samples: [samplesOf(sides[0]!), samplesOf(sides[1]!)], sold: [0n, 0n] }
}

const samplesOf = ({ amountsIn, amountsOut }: PropAmmLens.SideStructOutput): readonly QuoteSample[] =>
  amountsIn.map((amountIn: bigint, k: number) => [amountIn, amountsOut[k]!] as const)
