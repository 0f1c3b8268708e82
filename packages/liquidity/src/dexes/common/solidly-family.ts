/** Builds the families of stable and volatile pairs: `solidly` and `velodrome-v2`. */
import { ISolidlyPairState__factory, SolidlyLens__factory } from '@sluice/bindings'
import { callCodec, eventReader } from '@sluice/bindings/codec'
import { type DexRow, type Hex, toAddress, wordOf, ZERO_ADDRESS } from '@sluice/chains'
import {
  type DexFamily,
  type Pool,
  type PoolReads,
  PoolRefusal,
  type Read,
  type Reads,
  type TokenPair,
} from '../../family.ts'
import { lensRead, SOLIDLY_LENS } from '../../lenses.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { constantProductCurve } from '../../math/curves.ts'
import {
  approximateStableLimit,
  feeFromSamples,
  keepsInvariant,
  type PairQuote,
  quoteSolidly,
  type SolidlyState,
  type SolveY,
} from '../../math/solidly.ts'
import { sampledCapacity } from './capacity-family.ts'
import { chunks } from './chunks.ts'
import { isZeroForOne } from './direction.ts'
import { type GasFamily, HOP_GAS } from './gas.ts'
import { pairPool } from './pair-discover.ts'
import { poolStep } from './pool-step.ts'

const lensInterface = SolidlyLens__factory.createInterface()
const findCodec = callCodec<[factory: string, pairs: string[], velodrome: boolean], [string[]]>(lensInterface, 'find')
const eventsInterface = ISolidlyPairState__factory.createInterface()
const SYNC_TOPIC = eventsInterface.getEvent('Sync').topicHash as Hex
const decodeSync = eventReader<[bigint, bigint]>(eventsInterface, 'Sync')

/** Maximum token pairs per read. They take about 2.5 million gas. */
const PAIRS_PER_READ = 250
/** Estimated gas to read one pool, including two sample quotes by the pool. */
const READ_GAS = 150_000

/** Differences between the families. */
type SolidlyKind = {
  readonly id: GasFamily
  /**
   * True for pools and factories with the interfaces of Velodrome V2. A swap in such a pool sends its fee away at once.
   */
  readonly isVelodrome: boolean
  /** Solves the stable curve for one reserve, with the rounding of the contract. */
  readonly solve: SolveY
  /** Returns the read that shows whether a row's factory is paused. Set if a pause stops the swaps of all pairs. */
  readonly pauseRead?: (row: DexRow) => Read
}

/** Finds pools. Two tokens can have two pools: a stable pair and a volatile pair. */
function* findPools(row: DexRow, pairs: readonly TokenPair[], isVelodrome: boolean): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(SOLIDLY_LENS, findCodec.encode(row.address, batch.flat(), isVelodrome), 10_000 * batch.length),
  )
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const [addresses] = findCodec.decode(answer)
    return addresses.flatMap((addressText, i) => {
      const address = toAddress(addressText)
      return address === ZERO_ADDRESS ? [] : [pairPool(row, address, batch[i >> 1]!)]
    })
  })
}

const stateRead = (pool: Pool<null>): Read =>
  lensRead(SOLIDLY_LENS, lensInterface.encodeFunctionData('read', [pool.address]), READ_GAS)

/** Decodes a pair. Returns null if it lacks a token, or if no known fee reproduces its two sample quotes. */
function decodeState(answer: Hex, solve: SolveY): SolidlyState | null {
  const [pairData] = lensInterface.decodeFunctionResult('read', answer)
  const { reserve0, reserve1, decimals0: unit0, decimals1: unit1, stable } = pairData
  const state = { reserve0, reserve1, unit0, unit1, stable }
  const samples: readonly PairQuote[] = [
    { zeroForOne: true, amountIn: pairData.sample0, amountOut: pairData.quote0 },
    { zeroForOne: false, amountIn: pairData.sample1, amountOut: pairData.quote1 },
  ]
  if (reserve0 === 0n || reserve1 === 0n) return null
  const feePpm = feeFromSamples(state, samples, solve)
  return feePpm === null ? null : { ...state, feePpm }
}

/** Reads pairs, and whether their factory is paused if `pauseRead` is given. */
function* readStates(
  row: DexRow,
  pools: readonly Pool<null>[],
  { solve, pauseRead }: SolidlyKind,
): PoolReads<SolidlyState> {
  const poolReads = pools.map(stateRead)
  const answers = yield pauseRead ? [...poolReads, pauseRead(row)] : poolReads
  return pools.map((_, i) => {
    const answer = answers[i]
    const state = answer ? decodeState(answer, solve) : null
    return state && withPause(state, answers[pools.length])
  })
}

/** Returns a family of stable and volatile pairs. */
export function solidlyFamily(kind: SolidlyKind): DexFamily<SolidlyState> {
  const { id, isVelodrome, solve } = kind
  function quote(oldState: SolidlyState, zeroForOne: boolean, amountIn: bigint) {
    if (oldState.paused) throw new PoolRefusal('PAUSED', 'its factory has paused the swaps of all pairs')
    if (oldState.unsettled) throw new PoolRefusal('UNSUPPORTED', 'it is unknown whether the fee has left the pair')
    const { amountOut, state } = quoteSolidly(oldState, zeroForOne, amountIn, solve)
    // Velodrome sends the fee out of the pair at once. In other forks, the fee may stay in the pair if it has no
    // recipient.
    const isFeeGone = isVelodrome || state.feePpm === 0
    if (!keepsInvariant(oldState, state))
      throw new PoolRefusal(isFeeGone ? 'TOO_SMALL' : 'UNSUPPORTED', 'the swap would lower the invariant of the pair')
    return { amountOut, state: isFeeGone ? state : { ...state, unsettled: true as const } }
  }

  const capacity = sampledCapacity<SolidlyState>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, zeroForOne, amountIn),
      approximateLimit: state.stable ? approximateStableLimit(state, zeroForOne) : NO_LIMIT,
      scale: zeroForOne ? state.reserve0 : state.reserve1,
      feePpm: state.feePpm,
    }
  })

  return {
    id,
    findPools: (row, pairs) => findPools(row, pairs, isVelodrome),
    readStates: (row, pools) => readStates(row, pools, kind),
    topics: [SYNC_TOPIC],
    applyLog({ state }, log) {
      const [reserve0, reserve1] = decodeSync(log.data)
      return { ...state, reserve0, reserve1 }
    },

    quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
      ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
      gas: HOP_GAS[id],
    }),

    maxInput: capacity.maxInput,
    priceCurve(pool, tokenIn, tokenOut) {
      const { reserve0, reserve1, stable, feePpm, unsettled, paused } = pool.state
      if (stable || unsettled || paused) return capacity.priceCurve(pool, tokenIn, tokenOut)
      return isZeroForOne(pool, tokenIn, tokenOut)
        ? constantProductCurve(reserve0, reserve1, feePpm)
        : constantProductCurve(reserve1, reserve0, feePpm)
    },

    reserves: ({ state }) => [state.reserve0, state.reserve1],
    keepsTokens: true,

    // Estimated gas to write two price accumulators.
    oracleGas: 10_000,
    // Every 30 minutes, a pair stores an oracle observation: three new slots, and the length of the array.
    laterGas: 71_300,
    takesTaxedInput: true,
    step: poolStep('solidly'),
  }
}

/**
 * Returns the state with `paused` set or removed.
 *
 * @param answer - whether the factory is paused, as an ABI word; null for a factory without this getter
 */
export function withPause(state: SolidlyState, answer: Hex | null | undefined): SolidlyState {
  const isPaused = (wordOf(answer) ?? 0n) !== 0n
  if (isPaused === (state.paused === true)) return state
  const { paused, ...unpausedState } = state
  return isPaused ? { ...state, paused: true } : unpausedState
}
