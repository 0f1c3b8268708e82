/** Finds pools of PancakeSwap's factories of stable pools. */
import { CurveLens__factory, IPancakeStableFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { CURVE_LENS, lensRead, PAIR_LENS } from '../../lenses.ts'
import { nonzeroAddresses } from '../common/address-list.ts'
import { chunks } from '../common/chunks.ts'
import { contractPool } from '../common/make-pool.ts'
import { fromCoin, toCoin, withNative } from '../common/native-pairs.ts'
import { findByGetterCodec } from '../common/pair-discover.ts'

const factoryInterface = IPancakeStableFactory__factory.createInterface()
const curveLensInterface = CurveLens__factory.createInterface()

/** Getters of the factory, for pools of two and of three coins. */
const GETTERS = (['getPairInfo', 'getThreePoolPairInfo'] as const).map(
  (name) => factoryInterface.getFunction(name).selector,
)
/** Maximum token pairs per read. They take about 4 million gas. */
const PAIRS_PER_READ = 250
/** Estimated gas per token pair: four or five storage loads. */
const PAIR_GAS = 15_000

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const coinPairs = withNative(pairs, row.contracts?.wrappedNative).map((pair) => pair.map(toCoin))
  const answers = yield GETTERS.flatMap((getter) =>
    chunks(coinPairs, PAIRS_PER_READ).map((batch) =>
      lensRead(PAIR_LENS, findByGetterCodec.encode(row.address, getter, batch.flat()), PAIR_GAS * batch.length),
    ),
  )
  const foundPools = answers.flatMap((answer) => (answer ? [...nonzeroAddresses(answer)] : []))
  const addresses = [...new Set(foundPools.map(([, address]) => address))]
  // Read the coins from the pool, because the factory may return them in another order.
  const coins = yield addresses.map((address) =>
    lensRead(CURVE_LENS, curveLensInterface.encodeFunctionData('coins', [address]), 40_000),
  )
  return addresses.flatMap((address, i) => {
    const answer = coins[i]
    if (!answer) return []
    const [poolCoins] = curveLensInterface.decodeFunctionResult('coins', answer) as unknown as [string[]]
    return makePool(row, address, poolCoins.map(toAddress)) ?? []
  })
}

/** Returns the pool at an address; null if it has fewer than two coins. */
function makePool(row: DexRow, address: Address, coins: readonly Address[]): Pool<null> | null {
  return coins.length < 2 ? null : contractPool(row, address, coins.map(fromCoin))
}

const CREATED_EVENT = factoryInterface.getEvent('NewStableSwapPair')
export const creationTopics: readonly Hex[] = [CREATED_EVENT.topicHash as Hex]

export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const event = factoryInterface.decodeEventLog(CREATED_EVENT, log.data, log.topics)
  const coins = [event.tokenA, event.tokenB, event.tokenC].map(toAddress).filter((coin) => coin !== ZERO_ADDRESS)
  return makePool(row, toAddress(event.swapContract), coins)
}
