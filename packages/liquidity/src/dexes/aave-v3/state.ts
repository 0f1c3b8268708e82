/** Finds and reads Aave V3 reserves. */
import { AaveV3Lens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'
import { stateReader } from '../common/read-each.ts'
import { type AaveV3State, balanceOf } from './math.ts'

/** Immutable facts (`Pool.fixed`) of a pool. */
export type AaveV3Fixed = {
  /** Contract of the market (`Pool` in Aave). It holds many reserves. */
  readonly market: Address
}

const LENS = lensOf('AaveV3Lens')
const lensInterface = AaveV3Lens__factory.createInterface()
const findCodec = callCodec<[pool: Address, assets: readonly Address[]], [aTokens: readonly string[]]>(
  lensInterface,
  'find',
)
/** Estimated gas to find the reserve of one token. */
const FIND_GAS = 60_000
/** Estimated gas to read one reserve. */
const READ_GAS = 300_000

/** Finds the aTokens of a market. The pool of an aToken has two tokens: the asset and the aToken. */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const assets = [...new Set(pairs.flat())]
  const data = findCodec.encode(row.address, assets)
  const [answer] = yield [{ ...LENS, data, gas: FIND_GAS * assets.length }]
  if (!answer) return []
  const [aTokens] = findCodec.decode(answer)
  return assets.flatMap((asset, k) => {
    const aToken = toAddress(aTokens[k]!)
    const isRequested = pairs.some((pair) => pair.includes(asset) && pair.includes(aToken))
    if (aToken === ZERO_ADDRESS || aToken === asset || !isRequested) return []
    const fixed: AaveV3Fixed = { market: row.address }
    return [contractPool(row, aToken, [asset, aToken], fixed)]
  })
}

export const readStates = stateReader(
  ({ tokens }, row) => lensRead(LENS, lensInterface.encodeFunctionData('read', [row.address, tokens[0]!]), READ_GAS),
  decodeState,
)

/** First revision number at which the markets of Aave itself round in favor of the market. */
const FLOORING_REVISION = 9n
/** Smallest revision number of a fork. Forks derive from earlier releases of Aave, which round half up. */
const MIN_FORK_REVISION = 100n

/** Returns null for an empty reserve, or if neither rounding reproduces the aToken's total supply. */
function decodeState(answer: Hex): AaveV3State | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  const { active, frozen, income, scaledSupply, totalSupply, treasury, cap, cash, revision } = readResult
  if (scaledSupply === 0n || income === 0n) return null
  const [matchesFloor, matchesHalfUp] = [true, false].map(
    (floors) => balanceOf({ income, floors }, scaledSupply) === totalSupply,
  )
  if (!matchesFloor && !matchesHalfUp) return null
  // If both roundings reproduce the supply, the revision decides.
  const floors =
    matchesFloor && matchesHalfUp ? revision >= FLOORING_REVISION && revision < MIN_FORK_REVISION : matchesFloor!
  return { active, frozen, income, scaledSupply, treasury, cap, cash, floors }
}
