import { IGuard__factory } from '@sluice/bindings'
import { NATIVE } from '@sluice/chains'
import { type EncodedSwap, encodeSwap, type Route } from '@sluice/routing'
import { SimulationError, type SimulationResult } from '@sluice/simulation'
import type { ChainService } from '../chain/chain-service.ts'
import type { ChainView } from '../chain/view.ts'
import { ApiError } from '../errors.ts'
import { feeOf, minOutputOf, shortfallPpm } from './amounts.ts'
import type { QuoteRequest } from './request.ts'

/** Seconds until a transaction expires unless the caller says otherwise. */
const DEADLINE_SECONDS = 1_200
/** 0.5 %: what a route may pay less than settled before its pool or token counts as not understood. */
const MAX_SHORTFALL_PPM = 5_000n

const guardInterface = IGuard__factory.createInterface()

/** A transaction that was seen to work. */
export type WorkingTrial = {
  /** Whether the simulation paid what the route settled at. */
  readonly outcome: 'exact' | 'adjusted'
  readonly swap: EncodedSwap
  /** What the sender received, base units. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  readonly simulation: SimulationResult
  /** Missing from the settled output in the first simulation. */
  readonly shortfallPpm: bigint
}

/** What simulating a route says about it. */
export type Trial =
  | WorkingTrial
  /** Pays too little for a reason not known yet. */
  | { readonly outcome: 'shortfall'; readonly shortfallPpm: bigint }
  | { readonly outcome: 'reverted'; readonly reason: string }

export type TrialContext = {
  readonly chain: ChainService
  readonly view: ChainView
  readonly signal: AbortSignal
}

/**
 * Unix seconds. From the later of the block's time and now: the block of a chain that rests may be hours old when the next one
 * is made, and a node's clock may be ahead of ours.
 */
export function defaultDeadline(blockTimestamp: number, nowMs = Date.now()): number {
  return Math.max(blockTimestamp, Math.floor(nowMs / 1_000)) + DEADLINE_SECONDS
}

/** What the sender should receive: the settled output, less the tax of the Guard's own payment, less the fee. */
export function expectedOutput(route: Route, feePpm: bigint, releaseTaxPpm: bigint): bigint {
  const paidOut = route.amountOut - feeOf(route.amountOut, feePpm)
  return paidOut - (paidOut * releaseTaxPpm) / 1_000_000n
}

/**
 * Encodes a route and runs the very bytes against the block of the view. When they pay another amount than settled,
 * the bytes are made anew with a `minOutput` from what was measured, and run again.
 */
export async function tryRoute(route: Route, request: QuoteRequest, context: TrialContext): Promise<Trial> {
  try {
    return await runRoute(route, request, context)
  } catch (error) {
    // A token that cannot even be set up for a simulation cannot be promised to anyone.
    if (error instanceof SimulationError) return { outcome: 'reverted', reason: error.message }
    throw error
  }
}

async function runRoute(route: Route, request: QuoteRequest, context: TrialContext): Promise<Trial> {
  const { chain, view, signal } = context
  const taxed = chain.taxes.transferPpm(route.tokenOut)
  const direct = taxed > 0n && request.feePpm === 0n && route.tokenOut !== NATIVE && route.legs.length > 0
  const deadline = request.deadline ?? defaultDeadline(view.snapshot.block.timestamp)

  const pools = new Set(route.legs.map(({ pool }) => pool.address))

  const known = { header: view.snapshot.block, senderCode: await view.codeOf(request.from) }

  // The network's price moves on while the block is pinned: nodes refuse one below the block's own base fee.
  const gasPriceWei = await view.gasPriceWei()
  const baseFeeWei = view.snapshot.block.baseFeePerGas ?? 0n

  const run = async (minOutput: bigint) => {
    const swap = encodeSwap({
      route,
      guard: chain.deployment.guard.address,
      executor: chain.executor.address,
      wrappedNative: chain.wrappedNative,
      families: chain.families,
      minOutput,
      deadline: BigInt(deadline),
      feePpm: request.feePpm,
      ...(request.feeRecipient && { feeRecipient: request.feeRecipient }),
      direct,
    })
    const simulation = await chain.simulate(
      {
        from: request.from,
        to: swap.to,
        data: swap.data,
        tokenIn: route.tokenIn,
        amountIn: route.amountIn,
        tokenOut: route.tokenOut,
        block: { blockHash: view.snapshot.block.hash },
        gasPrice: gasPriceWei > baseFeeWei ? gasPriceWei : baseFeeWei,
        known,
        withHead: true,
        signal,
      },
      pools,
    )
    return { swap, simulation }
  }

  const expected = expectedOutput(route, request.feePpm, direct ? 0n : taxed)
  const settledMinOutput = minOutputOf(expected, request.slippagePpm)
  const first = await run(settledMinOutput)
  const measured = first.simulation.success ? first.simulation.amountOut : tooLittle(first.simulation)
  if (measured === undefined)
    return { outcome: 'reverted', reason: first.simulation.revertReason ?? 'reverted without a reason' }
  const missing = shortfallPpm(expected, measured)
  if (missing > MAX_SHORTFALL_PPM || measured === 0n) return { outcome: 'shortfall', shortfallPpm: missing }
  if (first.simulation.success && measured === expected)
    return { outcome: 'exact', ...first, amountOut: measured, minOutput: settledMinOutput, shortfallPpm: 0n }

  const minOutput = minOutputOf(measured, request.slippagePpm)
  const second = await run(minOutput)
  if (!second.simulation.success)
    return { outcome: 'reverted', reason: second.simulation.revertReason ?? 'reverted without a reason' }
  if (second.simulation.amountOut !== measured) return { outcome: 'shortfall', shortfallPpm: missing }
  return { outcome: 'adjusted', ...second, amountOut: measured, minOutput, shortfallPpm: missing }
}

/** What the sender would have received, from the Guard's own refusal; undefined for any other bytes, whatever they are. */
export function tooLittle({ returnData }: Pick<SimulationResult, 'returnData'>): bigint | undefined {
  try {
    const { received } = guardInterface.decodeErrorResult('OutputTooLow', returnData)
    return received as bigint
  } catch {
    return undefined
  }
}

/** @throws ApiError when the deadline that the caller asks for has passed at the simulated block */
export function checkDeadline(deadline: number | undefined, blockTimestamp: number): void {
  if (deadline !== undefined && deadline <= blockTimestamp)
    throw new ApiError('INVALID_PARAMETER', `deadline must be after the current block's timestamp ${blockTimestamp}`)
}
