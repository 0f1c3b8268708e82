/** Implements `DexFamily` for KyberSwap Classic (DMM) pairs. */
import {
  IKyberClassicEvents__factory,
  IKyberClassicFactory__factory,
  IKyberClassicPair__factory,
} from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { id } from 'ethers'
import type { DexFamily, Pool, Reads, TokenPair } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { type FactoryList, withDeepestPools } from '../common/deepest-pools.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { pairPool, poolCreation } from '../common/pair-discover.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { type KyberClassicState, maxInput, quote } from './math.ts'

/** One ppm as a fee with 18 decimals. */
const FEE_PER_PPM = 1e12

const factoryInterface = IKyberClassicFactory__factory.createInterface()
/** Selector of the factory's getter of a pool by its two tokens and an index. */
const POOL_BY_INDEX = id('getPoolAtIndex(address,address,uint256)').slice(0, 10)
const getPoolsCodec = callCodec<[tokenA: string, tokenB: string], [pools: string[]]>(factoryInterface, 'getPools')
const pairInterface = IKyberClassicPair__factory.createInterface()
const eventsInterface = IKyberClassicEvents__factory.createInterface()

/** Estimated gas to list the pools of a token pair. Few token pairs have several pools. */
const FIND_GAS = 15_000

/**
 * Maximum pools of a token pair. The pools of a pair differ in amplification. If there are more, the deepest ones are
 * taken.
 */
const MAX_POOLS_OF_PAIR = 16

/** Finds the pools of each token pair. */
function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const answers = yield pairs.map((tokens) => ({
    to: row.address,
    data: getPoolsCodec.encode(...tokens),
    gas: FIND_GAS,
  }))
  const lists = pairs.map((tokens, i): FactoryList => {
    const answer = answers[i]
    const pools = answer ? getPoolsCodec.decode(answer)[0].map(toAddress) : []
    // The read fails if the list is so long that it exceeds the gas limit.
    const isCut = !answer || pools.length > MAX_POOLS_OF_PAIR
    return { factory: row.address, tokens, pools: pools.slice(0, MAX_POOLS_OF_PAIR), isCut }
  })
  const completeLists = yield* withDeepestPools(lists, POOL_BY_INDEX, MAX_POOLS_OF_PAIR)
  return completeLists.flatMap(({ pools, tokens }) => pools.map((pool) => pairPool(row, pool, tokens)))
}

const { creationTopics, createdPool } = poolCreation(factoryInterface)

const GET_TRADE_INFO_CALL = pairInterface.encodeFunctionData('getTradeInfo') as Hex
/** Estimated gas to read reserves and fee. The pool computes the fee from two moving averages of its volume. */
const READ_GAS = 60_000

const readStates = stateReader(
  ({ address: to }) => ({ to, data: GET_TRADE_INFO_CALL, gas: READ_GAS }),
  (answer) => {
    const [reserve0, reserve1, virtual0, virtual1, fee] = pairInterface.decodeFunctionResult('getTradeInfo', answer)
    return { reserve0, reserve1, virtual0, virtual1, fee }
  },
)

const SYNC_TOPIC = eventsInterface.getEvent('Sync').topicHash as Hex
const topics: readonly Hex[] = [SYNC_TOPIC]

function applyLog({ state }: Pool<KyberClassicState>, log: Log): KyberClassicState {
  const { reserve0, reserve1, vReserve0, vReserve1 } = eventsInterface.decodeEventLog('Sync', log.data, log.topics)
  return { ...state, reserve0, reserve1, virtual0: vReserve0, virtual1: vReserve1 }
}

/** KyberSwap Classic pairs. */
export const kyberClassic: DexFamily<KyberClassicState> = {
  id: 'kyber-classic',
  findPools,
  readStates,
  // The fee depends on the volume of past blocks, so it changes with every block.
  refreshStates: readStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: quoteByDirection('kyber-classic', quote),

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  // The virtual reserves determine the shape of the curve. `maxInput` ends it where the real output reserve ends.
  priceCurve(pool, tokenIn, tokenOut) {
    const { virtual0, virtual1, fee } = pool.state
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const [virtualIn, virtualOut] = zeroForOne ? [virtual0, virtual1] : [virtual1, virtual0]
    return constantProductCurve(virtualIn, virtualOut, Number(fee) / FEE_PER_PPM, maxInput(pool.state, zeroForOne))
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  takesTaxedInput: true,
  step: poolStep('kyber-classic'),
}
