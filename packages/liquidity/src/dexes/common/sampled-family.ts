/**
 * Families whose pools are quoted from samples: a lens runs swaps of several amounts inside `eth_call`, each from the
 * same state. The family provides the lens and names the pool; this module chooses amounts, reads, and interpolates.
 */
import { callCodec } from '@sluice/bindings/codec'
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Interface } from 'ethers'
import type { DexFamily, Pool, Read, Reads, SampledSwap } from '../../family.ts'
import { isZeroForOne } from './direction.ts'
import { gasRow } from './gas.ts'
import { amountsAround, hasSameLadders, isSameAmount, ladderOf, searchLadder, withFocus } from './sampled-ladder.ts'
import {
  maxSampledInput,
  quoteSampled,
  type SampledAmount,
  type SampledState,
  sampledPoolCurve,
  toSamples,
} from './sampled-state.ts'

/** Gas of one simulated swap; a hook that takes more counts as a refusal. */
const SAMPLE_GAS = 600_000
/** Gas of all samples of a pool in one direction, by default. */
const DIRECTION_GAS = 2_500_000
/**
 * Maximum rounds of sampling a pool for the first time. Each round's amounts come closer to the knee of the pool: the
 * input above which more input buys hardly more.
 */
const MAX_ROUNDS = 4
/** Gas of one read in addition to its swaps. */
const READ_GAS = 300_000

/** Amounts to sell of the first and of the second token. */
type SampleAmounts = readonly [amounts0: readonly bigint[], amounts1: readonly bigint[]]
/** Outputs of the swaps of `SampleAmounts`; 0 for a swap that fails. */
type SampleOutputs = {
  readonly outputs: readonly [outputs0: readonly bigint[], outputs1: readonly bigint[]]
  /** Text as in `SampledState.stamp`. */
  readonly stamp: string
}

/** A family with a lens that inherits `SampleLens`. */
type SampledKind = {
  readonly id: string
  readonly lens: Pick<Read, 'to' | 'code' | 'balance'>
  /**
   * Interface with a function `sample`. The request contains the fields of `requestOf`, and `trials` with the amounts.
   */
  readonly abi: Interface
  /** Gas of all samples of a pool in one direction. */
  readonly directionGas?: number
  /** Fields of the request that name the pool. */
  requestOf(row: DexRow, pool: Pool<unknown>): object
  /** Storage overrides that the swaps need. */
  storageOf?(pool: Pool<unknown>): NonNullable<Read['storage']>
}

/** Encodes and decodes the reads of samples of one family. */
type Sampler = {
  /** Returns the read that samples one pool at the amounts. */
  readOf(row: DexRow, pool: Pool<unknown>, amounts: SampleAmounts): Read
  decode(answer: Hex): SampleOutputs
}

function samplerOf({ lens, abi, directionGas = DIRECTION_GAS, requestOf, storageOf }: SampledKind): Sampler {
  const { encode, decode } = callCodec<[request: object], [bigint[], bigint[], string]>(abi, 'sample')
  return {
    readOf: (row, pool, [amounts0, amounts1]) => ({
      ...lens,
      data: encode({
        ...requestOf(row, pool),
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

const NO_FOCUS: readonly [readonly bigint[], readonly bigint[]] = [[], []]

/** A pool to sample, the amounts, and the `focus` of its next state. */
type SamplingTask = {
  readonly pool: Pool<unknown>
  readonly amounts: SampleAmounts
  readonly focus: SampledState['focus']
}

const directionOf = (pool: Pool<SampledState>, tokenIn: Address, tokenOut: Address) =>
  isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1

/** Samples pools; null for a pool that cannot be read or trades in no direction. */
function* sample(
  { readOf, decode }: Sampler,
  row: DexRow,
  tasks: readonly SamplingTask[],
): Reads<readonly (SampledState | null)[]> {
  const answers = yield tasks.map(({ pool, amounts }) => readOf(row, pool, amounts))
  return answers.map((answer, k) => {
    if (!answer) return null
    const { amounts, focus } = tasks[k]!
    const { outputs, stamp } = decode(answer)
    const samples = [toSamples(amounts[0], outputs[0]), toSamples(amounts[1], outputs[1])] as const
    if (samples[0].length + samples[1].length === 0) return null
    return { samples, focus, sold: [0n, 0n], stamp }
  })
}

/** Samples pools again, at the amounts that `ladderOf` derives from their last samples. */
const resample = (
  sampler: Sampler,
  row: DexRow,
  pools: readonly Pool<SampledState>[],
): Reads<readonly (SampledState | null)[]> =>
  sample(
    sampler,
    row,
    pools.map((pool) => ({
      pool,
      amounts: [ladderOf(pool.state, 0), ladderOf(pool.state, 1)],
      focus: pool.state.focus,
    })),
  )

/** Samples pools without earlier samples, until the amounts no longer change. */
function* sampleFirst(
  sampler: Sampler,
  row: DexRow,
  pools: readonly Pool<null>[],
): Reads<readonly (SampledState | null)[]> {
  const searchAmounts = [searchLadder(), searchLadder()] as const
  const coarseStates = yield* sample(
    sampler,
    row,
    pools.map((pool) => ({ pool, amounts: searchAmounts, focus: NO_FOCUS })),
  )
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

/** Adds samples at the inputs of swaps to a pool's samples. */
function* refine(
  { readOf, decode }: Sampler,
  row: DexRow,
  pool: Pool<SampledState>,
  swaps: readonly SampledSwap[],
): Reads<SampledState | null> {
  const { state } = pool
  const inputsOf = (i: 0 | 1) =>
    swaps.flatMap(({ tokenIn, tokenOut, amountIn }) => (directionOf(pool, tokenIn, tokenOut) === i ? [amountIn] : []))
  const amounts = [inputsOf(0).flatMap(amountsAround), inputsOf(1).flatMap(amountsAround)] as const
  const [answer] = yield [readOf(row, pool, amounts)]
  if (!answer) return null
  const { outputs } = decode(answer)
  const mergedSamples = (i: 0 | 1): readonly SampledAmount[] => {
    const samplePoints = [
      ...state.samples[i],
      ...amounts[i].map((amount, k): SampledAmount => [amount, outputs[i][k]!]),
    ]
    return toSamples(
      samplePoints.map(([amountIn]) => amountIn),
      samplePoints.map(([, amountOut]) => amountOut),
    )
  }
  const focusOf = (i: 0 | 1) => inputsOf(i).reduce(withFocus, state.focus[i])
  return { ...state, samples: [mergedSamples(0), mergedSamples(1)], focus: [focusOf(0), focusOf(1)] }
}

/** Returns reads and quotes of a sampled family. */
export function sampledFamily(
  kind: SampledKind,
): Pick<
  DexFamily<SampledState>,
  | 'readStates'
  | 'refreshStates'
  | 'sampled'
  | 'topics'
  | 'applyLog'
  | 'quoteExactInput'
  | 'maxInput'
  | 'priceCurve'
  | 'reserves'
  | 'takesTaxedInput'
> {
  const { hop: gas } = gasRow(kind.id)
  const sampler = samplerOf(kind)
  return {
    readStates: (row, pools) => sampleFirst(sampler, row, pools),
    refreshStates: (row, pools) => resample(sampler, row, pools),
    sampled: {
      refine: (row, pool, swaps) => refine(sampler, row, pool, swaps),
      isSampledAt: (pool, { tokenIn, tokenOut, amountIn }) =>
        pool.state.samples[directionOf(pool, tokenIn, tokenOut)].some(([sampledIn]) =>
          isSameAmount(sampledIn, amountIn),
        ),
      stampOf: ({ state }) => state.stamp,
    },
    // Every block samples again, so no log is needed.
    topics: [],
    applyLog: () => 'ignore',
    quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
      ...quoteSampled(pool.state, directionOf(pool, tokenIn, tokenOut), amountIn),
      gas,
    }),
    maxInput: (pool, tokenIn, tokenOut) => maxSampledInput(pool.state, directionOf(pool, tokenIn, tokenOut)),
    priceCurve: (pool, tokenIn, tokenOut) => sampledPoolCurve(pool.state, directionOf(pool, tokenIn, tokenOut)),
    reserves: ({ state: { samples } }) => [samples[1].at(-1)?.[1] ?? 0n, samples[0].at(-1)?.[1] ?? 0n],
    takesTaxedInput: false,
  }
}
