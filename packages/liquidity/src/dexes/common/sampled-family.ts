/**
 * Builds the functions of families whose pools are quoted from samples. A lens runs swaps of several amounts inside
 * `eth_call`. Each swap starts from the current state of the pool. The family provides the lens and the request. This
 * module chooses the amounts, and reads the samples.
 */
import { callCodec } from '@sluice/bindings/codec'
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Interface } from 'ethers'
import type { DexFamily, Pool, PoolReads, Read, Reads, SampledSwap, TokenPair } from '../../family.ts'
import { max } from '../../math/integers.ts'
import { coinIndices } from './direction.ts'
import { gasRow } from './gas.ts'
import { amountsAround, hasSameLadders, isSameAmount, ladderOf, searchLadder, withFocus } from './sampled-ladder.ts'
import {
  type ByDirection,
  byDirection,
  directionBetween,
  indexPairsOf,
  maxSampledInput,
  quoteSampled,
  type SampledAmount,
  type SampledState,
  sampledPoolCurve,
  toSamples,
} from './sampled-state.ts'

/** Gas limit of one simulated swap. A swap that needs more counts as failed. */
const SAMPLE_GAS = 600_000
/** Default gas limit of all samples of a pool in one direction. */
const DIRECTION_GAS = 2_500_000
/**
 * Maximum sampling rounds after the first samples of a pool. Each round samples amounts that are closer to the knee of
 * the pool: the input above which more input buys hardly more output.
 */
const MAX_ROUNDS = 4
/** Estimated gas of a read, in addition to its swaps. */
const READ_GAS = 300_000

/** Inputs to sample in both directions of a pair: sales of its first token, then sales of its second token. */
type PairAmounts = readonly [amounts0: readonly bigint[], amounts1: readonly bigint[]]
/** Outputs of the swaps of `PairAmounts`; 0 for a swap that fails. */
type PairOutputs = {
  readonly outputs: readonly [outputs0: readonly bigint[], outputs1: readonly bigint[]]
  /** Text that changes with every trade of the pair; see `SampledState.stamp`. */
  readonly stamp: string
}

/** Properties of a sampled family. Its lens inherits `SampleLens`. */
type SampledKind = {
  readonly id: string
  readonly lens: Pick<Read, 'to' | 'code' | 'balance'>
  /**
   * Interface of the lens, with a function `sample`. Its request contains the fields of `requestOf`, and the amounts in
   * `trials`.
   */
  readonly abi: Interface
  /** Gas limit of all samples of a pool in one direction. */
  readonly directionGas?: number
  /** Fields of the request that identify the pool and, for pools of more than two tokens, the pair. */
  requestOf(row: DexRow, pool: Pool<unknown>, pair: TokenPair): object
  /** Storage overrides that the swaps need. */
  storageOf?(pool: Pool<unknown>): NonNullable<Read['storage']>
}

/** Encodes and decodes the sample reads of one family. */
type Sampler = {
  /** Returns the read that samples one pair of a pool at the amounts. */
  readOf(row: DexRow, pool: Pool<unknown>, pair: TokenPair, amounts: PairAmounts): Read
  decode(answer: Hex): PairOutputs
}

/** Returns the sampler of a family. */
function samplerOf({ lens, abi, directionGas = DIRECTION_GAS, requestOf, storageOf }: SampledKind): Sampler {
  const { encode, decode } = callCodec<[request: object], [bigint[], bigint[], string]>(abi, 'sample')
  return {
    readOf: (row, pool, pair, [amounts0, amounts1]) => ({
      ...lens,
      data: encode({
        ...requestOf(row, pool, pair),
        trials: { amounts0, amounts1, gasEach: SAMPLE_GAS, gasAll: directionGas },
      }),
      ...(storageOf && { storage: storageOf(pool) }),
      gas: 2 * directionGas + READ_GAS,
    }),
    decode: (answer) => {
      const [outputs0, outputs1, stamp] = decode(answer)
      return { outputs: [outputs0, outputs1], stamp }
    },
  }
}

/** A pool to sample, and the amounts. */
type SamplingTask = {
  readonly pool: Pool<unknown>
  /** Inputs to sample. */
  readonly amounts: ByDirection<readonly bigint[]>
  /** `focus` of the resulting state. */
  readonly focus: SampledState['focus']
}

/** Returns the direction, as in `directionBetween`, in which a pool sells one token for another. */
const directionOf = (pool: Pool<SampledState>, tokenIn: Address, tokenOut: Address) =>
  directionBetween(...coinIndices(pool, tokenIn, tokenOut), pool.tokens.length)

/** Returns all pairs of tokens of a pool. Pair `p` has the directions 2p and 2p + 1. */
const pairTokens = ({ tokens }: Pool<unknown>): readonly TokenPair[] =>
  indexPairsOf(tokens.length).map(([first, second]) => [tokens[first]!, tokens[second]!])

/** Samples pools. Returns null for a pool that cannot be read, or that does not trade in any direction. */
function* sample({ readOf, decode }: Sampler, row: DexRow, tasks: readonly SamplingTask[]): PoolReads<SampledState> {
  const answers = yield tasks.flatMap(({ pool, amounts }) =>
    pairTokens(pool).map((pair, p) => readOf(row, pool, pair, [amounts[2 * p]!, amounts[2 * p + 1]!])),
  )
  let taskStart = 0
  return tasks.map(({ amounts, focus }) => {
    const taskAnswers = answers.slice(taskStart, taskStart + amounts.length / 2)
    taskStart += taskAnswers.length
    if (!taskAnswers.every((answer) => answer !== null)) return null
    const pairs = taskAnswers.map(decode)
    const outputs = pairs.flatMap((pair) => pair.outputs)
    const samples = byDirection(amounts.length, (direction) => toSamples(amounts[direction]!, outputs[direction]!))
    if (samples.every(({ length }) => length === 0)) return null
    return {
      samples,
      focus,
      sold: byDirection(amounts.length, () => 0n),
      stamp: pairs.map(({ stamp }) => stamp).join(),
    }
  })
}

/** Samples pools again, at amounts that `ladderOf` derives from their last samples. */
const resample = (sampler: Sampler, row: DexRow, pools: readonly Pool<SampledState>[]): PoolReads<SampledState> =>
  sample(
    sampler,
    row,
    pools.map((pool) => ({
      pool,
      amounts: byDirection(pool.state.samples.length, (direction) => ladderOf(pool.state, direction)),
      focus: pool.state.focus,
    })),
  )

/** Samples pools without earlier samples. Repeats this until the amounts that the samples suggest no longer change. */
function* sampleFirst(sampler: Sampler, row: DexRow, pools: readonly Pool<null>[]): PoolReads<SampledState> {
  const tasks = pools.map((pool): SamplingTask => {
    const directionCount = 2 * indexPairsOf(pool.tokens.length).length
    return { pool, amounts: byDirection(directionCount, searchLadder), focus: byDirection(directionCount, () => []) }
  })
  const coarseStates = yield* sample(sampler, row, tasks)
  const states = new Map(pools.map(({ id }, k) => [id, coarseStates[k]!]))
  let changedPools = pools.filter(({ id }) => states.get(id))
  for (let round = 0; round < MAX_ROUNDS && changedPools.length > 0; round++) {
    const sampledPools = changedPools.map((pool) => ({ ...pool, state: states.get(pool.id)! }))
    const newStates = yield* resample(sampler, row, sampledPools)
    for (const [k, { id }] of sampledPools.entries()) states.set(id, newStates[k]!)
    changedPools = changedPools.filter((_, k) => newStates[k] && !hasSameLadders(sampledPools[k]!.state, newStates[k]))
  }
  return pools.map(({ id }) => states.get(id) ?? null)
}

/** Adds samples at and around the inputs of swaps to the samples of a pool. */
function* refine(
  { readOf, decode }: Sampler,
  row: DexRow,
  pool: Pool<SampledState>,
  swaps: readonly SampledSwap[],
): Reads<SampledState | null> {
  const { state } = pool
  const { samples, focus } = state
  const inputs = byDirection(samples.length, (direction) =>
    swaps.flatMap(({ tokenIn, tokenOut, amountIn }) =>
      directionOf(pool, tokenIn, tokenOut) === direction ? [amountIn] : [],
    ),
  )
  const amounts = inputs.map((directionInputs) => directionInputs.flatMap(amountsAround))
  const pairs = pairTokens(pool).flatMap((tokens, pairIndex) => {
    const pairAmounts = [amounts[2 * pairIndex]!, amounts[2 * pairIndex + 1]!] as const
    return pairAmounts.some(({ length }) => length > 0) ? [{ tokens, pairIndex, pairAmounts }] : []
  })
  const answers = yield pairs.map(({ tokens, pairAmounts }) => readOf(row, pool, tokens, pairAmounts))
  if (!answers.every((answer) => answer !== null)) return null
  const outputs = new Map(
    answers.flatMap((answer, k) =>
      decode(answer).outputs.map((values, i) => [2 * pairs[k]!.pairIndex + i, values] as const),
    ),
  )
  const mergeSamples = (direction: number): readonly SampledAmount[] => {
    const newOutputs = outputs.get(direction) ?? []
    const points = [
      ...samples[direction]!,
      ...newOutputs.map((amountOut, k) => [amounts[direction]![k]!, amountOut] as const),
    ]
    return toSamples(
      points.map(([amountIn]) => amountIn),
      points.map(([, amountOut]) => amountOut),
    )
  }
  return {
    ...state,
    samples: byDirection(samples.length, mergeSamples),
    focus: byDirection(samples.length, (direction) => inputs[direction]!.reduce(withFocus, focus[direction]!)),
  }
}

/** Returns the functions of a sampled family. */
export function sampledFamily(kind: SampledKind) {
  const { hop: gas } = gasRow(kind.id)
  const sampler = samplerOf(kind)
  return {
    readStates: (row, pools) => sampleFirst(sampler, row, pools),
    refreshStates: (row, pools) => resample(sampler, row, pools),
    sampled: {
      refine: (row, pool, swaps) => refine(sampler, row, pool, swaps),
      isSampledAt: (pool, { tokenIn, tokenOut, amountIn }) =>
        pool.state.samples[directionOf(pool, tokenIn, tokenOut)]!.some(([sampledIn]) =>
          isSameAmount(sampledIn, amountIn),
        ),
      stampOf: ({ state }) => state.stamp,
    },
    // Pools are sampled again at every block, so no log is needed.
    topics: [],
    applyLog: () => 'ignore',
    quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
      ...quoteSampled(pool.state, directionOf(pool, tokenIn, tokenOut), amountIn),
      gas,
    }),
    maxInput: (pool, tokenIn, tokenOut) => maxSampledInput(pool.state, directionOf(pool, tokenIn, tokenOut)),
    priceCurve: (pool, tokenIn, tokenOut) => sampledPoolCurve(pool.state, directionOf(pool, tokenIn, tokenOut)),
    reserves: ({ tokens, state: { samples } }) =>
      tokens.map((_, j) =>
        tokens.reduce((largest, _, i) => {
          const lastSample = i === j ? undefined : samples[directionBetween(i, j, tokens.length)]!.at(-1)
          return max(largest, lastSample?.[1] ?? 0n)
        }, 0n),
      ),
    takesTaxedInput: false,
  } satisfies Partial<DexFamily<SampledState>>
}
