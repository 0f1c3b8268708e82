/** Random swaps, quoted by the families and run by the pools themselves. */
import { SwapTrial__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { Address } from '@sluice/chains'
import { encodeProgram } from '@sluice/program'
import { familyOf, type HopQuote, type Pool, PoolRefusal } from '../../src/index.ts'
import { type Random, random } from '../random.ts'
import type { PoolWorld } from './world.ts'

export type Tally = {
  /** Quotes that the pool paid to the unit. */
  exact: number
  /** Refusals of swaps that revert, are not taken in full, or pay nothing. */
  refused: number
  /** Refusals of amounts that the pool may pay: the model does not know exactly how much (`UNSUPPORTED`), or the family stops before. */
  unsupported: number
  /** Swaps with their requested, quoted, and paid amounts. */
  readonly mismatches: string[]
}

export type Swap = { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint }
export type SwapTrial = { readonly pool: Pool; readonly swaps: readonly Swap[] }
export type Outcome = {
  readonly ok: boolean
  readonly amountOut: bigint
  readonly left: bigint
  readonly gasUsed: bigint
}

const contract = SwapTrial__factory.createInterface()
const runAll = callCodec<
  [executor: Address, trials: readonly (readonly ReturnType<typeof order>[])[]],
  [readonly (readonly Outcome[])[]]
>(contract, 'run')
const TRIALS_PER_CALL = 40
const CALLS_AHEAD = 2
/** A swap that runs dry walks through thousands of bitmap words. */
const CALL_GAS = 8_000_000_000n
const TIMEOUT_MS = 120_000

/**
 * Tries `count` quotes of a family: amounts from one unit to far more than the pool holds, and after half of the swaps
 * another one in the same pool, quoted from the state that the first quote says it leaves.
 */
export async function fuzz(world: PoolWorld, family: string, count: number, seed: number): Promise<Tally> {
  const r = random(seed)
  const tally: Tally = { exact: 0, refused: 0, unsupported: 0, mismatches: [] }
  const pools = world.pools().filter((pool) => pool.family === family)
  if (pools.length === 0) return tally
  // Some wait at the node, so that it works while others are compared here.
  const waiting = Array.from({ length: CALLS_AHEAD }, () => tried(world, r, pools))
  while (tally.exact + tally.refused + tally.mismatches.length < count) {
    const { trials, outcomes } = await waiting.shift()!
    waiting.push(tried(world, r, pools))
    for (const [i, trial] of trials.entries()) compare(trial, outcomes[i]!, tally)
  }
  await Promise.all(waiting)
  return tally
}

function tried(world: PoolWorld, r: Random, pools: readonly Pool[]) {
  const trials = Array.from({ length: TRIALS_PER_CALL }, () => randomTrial(r, r.pick(pools)))
  const answer = run(world, trials).then((outcomes) => ({ trials, outcomes }))
  // The caller awaits it, possibly after it has failed; avoid an unhandled rejection until then.
  answer.catch(() => undefined)
  return answer
}

function randomTrial(r: Random, pool: Pool): SwapTrial {
  return { pool, swaps: Array.from({ length: 1 + r.integer(2) }, () => randomSwap(r, pool)) }
}

function randomSwap(r: Random, pool: Pool): Swap {
  const i = r.integer(pool.tokens.length)
  const j = (i + 1 + r.integer(pool.tokens.length - 1)) % pool.tokens.length
  const bits = familyOf(pool.family)!.reserves(pool)[i]!.toString(2).length
  // Mostly what a pool can take; now and then enough to drain it, but never more than the trader holds.
  const maxBits = Math.min(104, r.integer(5) === 0 ? bits + 10 : bits)
  return { tokenIn: pool.tokens[i]!, tokenOut: pool.tokens[j]!, amountIn: r.amount(1, Math.max(1, maxBits)) }
}

/** Runs at the very block that the pools were read at, since some fees follow the time. */
export async function run(world: PoolWorld, trials: readonly SwapTrial[]): Promise<readonly (readonly Outcome[])[]> {
  const data = runAll.encode(
    world.executor,
    trials.map(({ pool, swaps }) => swaps.map((swap) => order(world, pool, swap))),
  )
  const block = { blockHash: world.blockHash() }
  // Without a sender Balancer's vault takes the call for a query, in which buffers move nothing.
  const call = { from: world.trader, to: world.trader, data, gas: CALL_GAS }
  const answer = await world.rpc.call(call, block, { timeoutMs: TIMEOUT_MS })
  const [outcomes] = runAll.decode(answer)
  return outcomes
}

function order({ trader }: PoolWorld, pool: Pool, { tokenIn, tokenOut, amountIn }: Swap) {
  const output = { kind: 'address', address: trader } as const
  const step = familyOf(pool.family)!.step(pool, tokenIn, tokenOut, { kind: 'rest' }, output)
  return { tokenIn, amountIn, tokenOut, program: encodeProgram([step]) }
}

function compare({ pool, swaps }: SwapTrial, outcomes: readonly Outcome[], tally: Tally): void {
  let { state } = pool
  for (const [i, swap] of swaps.entries()) {
    const { ok, amountOut, left: restAmount } = outcomes[i]!
    // A pool that consumes a part makes the step revert.
    if (ok && restAmount > 0n) {
      tally.mismatches.push(describe(pool, swaps, i, 'nothing left', `${restAmount} left in the Executor`))
      return
    }
    const ours = quote({ ...pool, state }, swap)
    if (ours instanceof PoolRefusal) {
      if (ours.code === 'UNSUPPORTED' || ours.isModelLimit) tally.unsupported++
      else if (ok && amountOut > 0n) tally.mismatches.push(describe(pool, swaps, i, ours.message, amountOut))
      else tally.refused++
      // From here on the pool has changed by a swap that is not modelled.
      if (ok) return
      continue
    }
    if (!ok || ours.amountOut !== amountOut) {
      tally.mismatches.push(describe(pool, swaps, i, ours.amountOut, ok ? amountOut : 'nothing'))
      return
    }
    tally.exact++
    state = ours.state
  }
}

function quote(pool: Pool, { tokenIn, tokenOut, amountIn }: Swap): HopQuote | PoolRefusal {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

const describe = (pool: Pool, swaps: readonly Swap[], i: number, ours: unknown, theirs: unknown) =>
  `${pool.family} ${pool.id}: ${swaps
    .slice(0, i + 1)
    .map(({ tokenIn, amountIn }) => `${amountIn} of ${pool.tokens.indexOf(tokenIn)}`)
    .join(', then ')}: quoted ${ours}, paid ${theirs}`

/** Does a swap in a block of its own. */
export async function trade(world: PoolWorld, pool: Pool, swap: Swap): Promise<void> {
  const data = contract.encodeFunctionData('swap', [world.executor, order(world, pool, swap)])
  // Answered when it is mined: a block that came after those that are read would let the time of calls go on.
  await world.request('eth_sendTransactionSync', [{ from: world.trader, to: world.trader, data, gas: '0x1312d00' }])
}

/** Lets every pool of the world be somewhere else: swaps that stay, and time that passes. */
export async function stir(world: PoolWorld, seed: number): Promise<void> {
  const r = random(seed)
  for (const pool of world.pools()) {
    const { tokenIn, tokenOut } = randomSwap(r, pool)
    const reserve = familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(tokenIn)]!
    const amountIn = reserve / BigInt(3 + r.integer(60))
    if (amountIn === 0n || quote(pool, { tokenIn, tokenOut, amountIn }) instanceof PoolRefusal) continue
    await trade(world, pool, { tokenIn, tokenOut, amountIn })
  }
  await world.request('evm_increaseTime', [r.integer(3_600)])
  await world.request('evm_mine')
  await world.sync()
}
