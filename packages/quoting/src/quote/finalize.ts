/** The figures of a route that works, and the refusals that protect the caller from a bad one. */

import { type Address, FLOAT_PPM, NATIVE, PPM } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { EncodedSwap, Route } from '@sluice/routing'
import { type BlockHeader, estimateL1Fee } from '@sluice/rpc'
import type { SimulationResult } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { chargedGas } from '../gas/charged-gas.ts'
import { laterGasOf } from '../gas/later-gas.ts'
import { transactionGas } from '../gas/transaction-gas.ts'
import type { TouchedPools } from '../view/touched.ts'
import { shortfallPpm, toPercent, toWhole } from './amounts.ts'
import { approvalCalls, type Call, checkBatch } from './calls.ts'
import type { Certificate } from './certificate.ts'
import type { Found } from './found.ts'
import { heldGas } from './held-gas.ts'
import type { AutoSlippage } from './ports.ts'
import { quoteId } from './quote-id.ts'

/** 3 %. */
const IMPACT_WARNING_PPM = 30_000n
/** 1 bps: what somebody left in a pool, rather than a balance that grows by itself from one block to the next. */
const EXCESS_WARNING_PPM = 100n
/** 0.5 %: less than that is rounding and rates that follow the time. */
const SHORT_WARNING_PPM = 5_000n
/** Blocks that may pass until a quote is sent: the interface asks for another one after two. */
const LASTING_BLOCKS = 2

export type Quote = {
  /** Chain, block and a digest of the route with its amounts: the same quote has the same id. */
  readonly id: string
  readonly route: Route
  /** The one that the search took for the best, before gas was measured; mostly the same. */
  readonly ranked: Route
  readonly swap: EncodedSwap
  /** Approvals, as far as they are needed, and the swap; only where they were asked for. */
  readonly calls?: readonly Call[]
  /** Amount that the sender receives, base units. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  /** Chosen slippage, where the request left it to the route. */
  readonly slippage?: AutoSlippage
  readonly gasPriceWei: bigint
  /** Units that the transaction needs, before refunds; holds the data fee where that is paid as gas. */
  readonly gasEstimate: bigint
  /** Units that the sender is charged, after refunds, as the receipt will tell. */
  readonly gasCharged: bigint
  /** The same when it is mined at its deadline; more if something of a pool or a token falls due before then. */
  readonly gasChargedAtDeadline: bigint
  /** Cost of the gas charged and the data fee together. */
  readonly gasCostWei: bigint
  readonly gasCostUsd: number | null
  /** Part of `gasCostWei` for publishing on the chain below; null where it is not known. */
  readonly l1FeeWei: bigint | null
  /** `amountOut` less the gas in output units; null where the native token has no price in the output. */
  readonly netAmountOut: bigint | null
  /** Against the mid price of the same route; null when that is not known. */
  readonly priceImpactPpm: bigint | null
  readonly block: BlockHeader
  /** Once the chain's head is here, the quote should be asked for again. */
  readonly expiresAtBlock: number
  /** The node's newest block when it ran the simulation. */
  readonly head: BlockHeader | undefined
  /** The search for pools is not complete: a better route may be found later. */
  readonly poolsPending: boolean
  /** Only where it was asked for; null where no bound was found. */
  readonly proof?: Certificate | null
  readonly warnings: readonly string[]
}

/** @throws QuotingError `PRICE_IMPACT` or `VALUE_LOSS` when the caller would lose more than accepted */
export async function finalize(found: Found): Promise<Quote> {
  const { request, chain, view, route, trial } = found
  // Before the caller's own fee, which is no loss but a payment.
  const gross = (trial.amountOut * PPM) / (PPM - request.feePpm)
  const priceImpactPpm = route.midAmountOut === null ? null : atLeastZero(shortfallPpm(route.midAmountOut, gross))
  refuseLoss(found, priceImpactPpm, valueLossPpm(found, gross))
  const gas = await gasOf(found)
  const batch = request.withCalls ? await batchOf(found) : undefined
  const nativePrice = view.prices().usd(NATIVE)
  const { block } = view.snapshot
  return {
    id: quoteId(chain.chainId, block, route, trial),
    route,
    ranked: found.ranked,
    swap: trial.swap,
    ...(batch && { calls: batch.calls }),
    amountOut: trial.amountOut,
    minOutput: trial.minOutput,
    ...(found.slippage && { slippage: found.slippage }),
    gasPriceWei: found.gasPriceWei,
    gasEstimate: gas.estimate,
    gasCharged: gas.charged,
    gasChargedAtDeadline: gas.chargedAtDeadline,
    gasCostWei: gas.costWei,
    gasCostUsd: nativePrice === null ? null : toWhole(gas.costWei, chain.nativeCurrency.decimals) * nativePrice,
    l1FeeWei: gas.l1FeeWei,
    netAmountOut: netAmountOut(found, gas.costWei),
    priceImpactPpm,
    block,
    expiresAtBlock: block.number + LASTING_BLOCKS + 1,
    head: trial.simulation.head,
    poolsPending: view.poolsPending(),
    warnings: [...warnings(found, priceImpactPpm), ...(batch?.warnings ?? [])],
  }
}

/** The mid price is a float: an impact below zero is its rounding. */
function atLeastZero(ppm: bigint): bigint {
  return ppm > 0n ? ppm : 0n
}

type Batch = { readonly calls: readonly Call[]; readonly warnings: readonly string[] }

/** Calls as they were seen to work one after the other, in one call of the node. */
async function batchOf(found: Found): Promise<Batch> {
  const { request, rpc, view, route, trial, signal } = found
  const { to, data, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  // The permission comes with the swap, which was run with it.
  if (request.permit) return { calls: [{ to, data, value }], warnings: [] }
  const approval = { token: route.tokenIn, owner: request.from, spender: to, amount: route.amountIn, block }
  const approvals = await approvalCalls(rpc, approval, { signal })
  const calls = [...approvals, { to, data, value }]
  if (route.tokenIn === NATIVE) return { calls, warnings: [] }
  return { calls, warnings: await checkBatch(approvals, found) }
}

type Gas = {
  readonly estimate: bigint
  readonly charged: bigint
  readonly chargedAtDeadline: bigint
  readonly costWei: bigint
  readonly l1FeeWei: bigint | null
}

async function gasOf({ gasPriceWei, chain, rpc, touched, view, route, trial, signal }: Found): Promise<Gas> {
  const { gasUsed, ranIn } = trial.simulation
  const next = ranIn ? 0 : unseenInNextBlock(route, touched)
  const later = ranIn ? trial.laterGas : unseenLater(route)
  const { data } = trial.swap
  const execution = transactionGas(data, BigInt(gasUsed + next + later))
  const chargedWith = (more: number) => {
    const simulation = withMoreGas(trial.simulation, more)
    return chargedGas(
      { route, data, simulation, direct: trial.terms.direct ?? false },
      chain.wrappedNative?.address ?? null,
    )
  }
  const charged = chargedWith(next)
  const chargedAtDeadline = chargedWith(next + later)
  const paid = route.tokenOut === NATIVE ? 'native' : trial.terms.direct ? 'direct' : 'token'
  const held = BigInt(heldGas(gasUsed, paid))
  const { to, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  const transaction = { to, data, value, gas: execution + held, gasPriceWei }
  const l1 = await estimateL1Fee(rpc, chain.l1FeeModel, transaction, block, { signal })
  if (!l1)
    return {
      ...{ estimate: execution + held, charged, chargedAtDeadline },
      ...{ costWei: charged * gasPriceWei, l1FeeWei: null },
    }
  const costWei = charged * gasPriceWei + l1.feeWei
  // Where the data fee is paid as gas, the receipt counts that too.
  const l1Gas = l1.gas > 0n && gasPriceWei > 0n ? l1.feeWei / gasPriceWei : 0n
  return {
    ...{ estimate: execution + held + l1.gas, costWei, l1FeeWei: l1.feeWei },
    ...{ charged: charged + l1Gas, chargedAtDeadline: chargedAtDeadline + l1Gas },
  }
}

function withMoreGas<T extends Pick<SimulationResult, 'gasUsed' | 'chargedGas'>>(simulation: T, more: number): T {
  const { gasUsed, chargedGas } = simulation
  return { ...simulation, gasUsed: gasUsed + more, ...(chargedGas !== undefined && { chargedGas: chargedGas + more }) }
}

const poolsOf = ({ legs }: Route): readonly Pool[] => [...new Map(legs.map(({ pool }) => [pool.id, pool])).values()]

/**
 * Gas that a run in the quoted block itself does not show, where the node cannot run it in the next one: a pool traded in that block
 * has brought its price oracle up to date for it, and does so again in the next.
 */
function unseenInNextBlock(route: Route, touched: Pick<TouchedPools, 'has'>): number {
  const stale = poolsOf(route).filter(({ id }) => touched.has(id))
  return stale.reduce((sum, { family }) => sum + (familyOf(family)?.oracleGas ?? 0), 0)
}

/** Gas of later blocks, as families state it. */
function unseenLater(route: Route): number {
  return poolsOf(route).reduce((sum, { family }) => sum + laterGasOf(family), 0)
}

function netAmountOut({ trial, route, gasPriceWei, chain }: Found, costWei: bigint): bigint | null {
  if (route.tokenOut === NATIVE || route.tokenOut === chain.wrappedNative?.address) return trial.amountOut - costWei
  const rankedWei = BigInt(Math.round(route.gas)) * gasPriceWei
  if (route.gasCostOut === null || rankedWei === 0n) return costWei === 0n ? trial.amountOut : null
  return trial.amountOut - (route.gasCostOut * costWei) / rankedWei
}

/** Parts per million of the input's USD value that the output lacks; null unless both tokens are priced. */
function valueLossPpm({ request, route, tokens, view }: Found, gross: bigint): bigint | null {
  const usdOf = (token: Address, amount: bigint) => {
    const price = view.prices().usd(token)
    const decimals = tokens.facts.decimals(token)
    return price === null || decimals === undefined ? null : toWhole(amount, decimals) * price
  }
  const given = usdOf(request.tokenIn, route.amountIn)
  const received = usdOf(request.tokenOut, gross)
  if (given === null || received === null || given === 0) return null
  return BigInt(Math.round((1 - received / given) * FLOAT_PPM))
}

function refuseLoss({ request, view }: Found, impactPpm: bigint | null, lossPpm: bigint | null): void {
  const limit = request.maxPriceImpactPpm
  if (limit >= PPM) return
  const refuse = (code: 'PRICE_IMPACT' | 'VALUE_LOSS', what: string, ppm: bigint) =>
    new QuotingError(
      code,
      `${what} is ${toPercent(ppm)} percent, above the limit of ${toPercent(limit)}; maxPriceImpact sets it`,
      {
        priceImpact: impactPpm === null ? null : toPercent(impactPpm),
        ...(lossPpm !== null && { valueLoss: toPercent(lossPpm) }),
        block: view.snapshot.block.number,
      },
    )
  if (impactPpm !== null && impactPpm > limit) throw refuse('PRICE_IMPACT', 'the price impact', impactPpm)
  if (lossPpm !== null && lossPpm > limit) throw refuse('VALUE_LOSS', 'the loss of value in USD', lossPpm)
}

function warnings({ request, tokens, route, trial }: Found, impactPpm: bigint | null): string[] {
  const found: string[] = []
  const excessPpm = -trial.shortfallPpm
  if (excessPpm > EXCESS_WARNING_PPM)
    found.push(
      `the simulation paid ${toPercent(excessPpm)} percent more than the pools' reserves explain, which others may take back; toAmount leaves it out`,
    )
  if (trial.shortfallPpm > SHORT_WARNING_PPM)
    found.push(
      `the simulation paid ${toPercent(trial.shortfallPpm)} percent less than the pools' reserves explain; toAmount is what it paid`,
    )
  const inTax = tokens.taxes.transferPpm(route.tokenIn)
  const outTax = tokens.taxes.transferPpm(route.tokenOut)
  if (impactPpm !== null && impactPpm >= IMPACT_WARNING_PPM)
    found.push(`the price impact is ${toPercent(impactPpm)} percent`)
  if (trial.simulation.ways.sender === 'bare')
    found.push(
      `a token or pool of the route treats accounts by their code; the figures are those of a transaction that ${request.from} sends itself`,
    )
  if (inTax > 0n) found.push(`src takes ${toPercent(inTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n) found.push(`dst takes ${toPercent(outTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n && request.feePpm > 0n)
    found.push('with a convenience fee the tax of dst is paid once more, on the way from the Guard')
  return found
}
