/** Finds pools through Curve's factories and registries. */
import { CurveLens__factory, ICurveAddressProvider__factory, ICurveFactory__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { CURVE_LENS, lensRead } from '../../lenses.ts'
import { chunks } from './chunks.ts'
import { type FactoryList, withDeepestPools } from './deepest-pools.ts'
import { contractPool } from './make-pool.ts'
import { fromCoin, toCoin, withNative } from './native-pairs.ts'

const lensInterface = CurveLens__factory.createInterface()
const findCodec = callCodec<[factory: string, pairs: string[], depth: number], [string[]]>(lensInterface, 'find')
const providerInterface = ICurveAddressProvider__factory.createInterface()

const POOL_BY_INDEX = ICurveFactory__factory.createInterface().getFunction('find_pool_for_coins').selector

/** Maximum pools per pair and factory. If there are more, the deepest ones are taken. */
const MAX_POOLS_PER_PAIR = 16
/** Maximum pairs per read. They take about 3 million gas. */
const PAIRS_PER_READ = 100

/** Family for which pools are found. */
type CurveDiscovery = {
  readonly family: string
  /** Index of the family's registry in Curve's address provider. A registry lists pools that no factory created. */
  readonly registryId: number
}

/**
 * Returns the `findPools` of a family. It finds pools in a factory or in a registry, which have the same getters. The
 * row's address is the factory, or the address provider that returns the registry.
 */
export function findCurvePools({ family, registryId }: CurveDiscovery) {
  return function* (row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
    const factory = row.version === 'address-provider' ? yield* registryOf(row.address, registryId) : row.address
    if (factory === null) return []
    const coinPairs = withNative(pairs, row.contracts?.wrappedNative).map(([a, b]): TokenPair => [toCoin(a), toCoin(b)])
    const batches = chunks(coinPairs, PAIRS_PER_READ)
    const answers = yield batches.map((batch) =>
      lensRead(CURVE_LENS, findCodec.encode(factory, batch.flat(), MAX_POOLS_PER_PAIR), 30_000 * batch.length),
    )
    const lists = batches.flatMap((batch, batchIndex) => {
      const answer = answers[batchIndex]
      if (!answer) return []
      return chunks(findCodec.decode(answer)[0].map(toAddress), MAX_POOLS_PER_PAIR).map((slots, i): FactoryList => {
        const pools = slots.filter((address) => address !== ZERO_ADDRESS)
        return { factory, tokens: batch[i]!, pools, isCut: pools.length === MAX_POOLS_PER_PAIR }
      })
    })
    const completeLists = yield* withDeepestPools(lists, POOL_BY_INDEX, MAX_POOLS_PER_PAIR)
    const addresses = [...new Set(completeLists.flatMap(({ pools }) => pools))]
    const coinAnswers = yield addresses.map((address) =>
      lensRead(CURVE_LENS, lensInterface.encodeFunctionData('coins', [address]), 40_000),
    )
    return addresses.flatMap((address, i) => {
      const answer = coinAnswers[i]
      if (!answer) return []
      const coins = (lensInterface.decodeFunctionResult('coins', answer) as unknown as [string[]])[0].map(toAddress)
      const tokens = coins.map(fromCoin)
      if (tokens.length < 2) return []
      return [contractPool({ ...row, family }, address, tokens)]
    })
  }
}

/** Reads the address of a registry from the address provider; null if there is none. */
function* registryOf(addressProvider: Address, registryId: number): Reads<Address | null> {
  const [answer] = yield [
    { to: addressProvider, data: providerInterface.encodeFunctionData('get_address', [registryId]) as Hex },
  ]
  // A call to an address without code returns no data.
  if (!answer || answer === '0x') return null
  const registry = toAddress(providerInterface.decodeFunctionResult('get_address', answer)[0])
  return registry === ZERO_ADDRESS ? null : registry
}
