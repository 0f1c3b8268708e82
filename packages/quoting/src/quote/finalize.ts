/** The figures of a route that works, and the refusals that protect the caller from a bad one. */

import { type Address, FLOAT_PPM, NATIVE, PPM } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import type { EncodedSwap, Route } from '@sluice/routing'
import { type BlockHeader, estimateL1Fee } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import { shortfallPpm, toPercent, toWhole, transactionGas } from './amounts.ts'
import { approvalCalls, type Call, checkBatch } from './calls.ts'
import type { Found } from './found.ts'
import { heldGas } from './held-gas.ts'
import type { AutoSlippage } from './ports.ts'
import { quoteId } from './quote-id.ts'

/** 3 %. */
const IMPACT_WARNING_PPM = 30_000n
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
  /** Cost of gas and data fee together. */
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
  readonly warnings: readonly string[]
}

/** @throws QuotingError `PRICE_IMPACT` or `VALUE_LOSS` when the caller would lose more than accepted */
export async function finalize(found: Found): Promise<Quote> {
  const { request, chain, view, route, trial } = found
  // Before the caller's own fee, which is no loss but a payment.
  const gross = (trial.amountOut * PPM) / (PPM - request.feePpm)
  const priceImpactPpm = route.midAmountOut === null ? null : shortfallPpm(route.midAmountOut, gross)
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

type Gas = { readonly estimate: bigint; readonly costWei: bigint; readonly l1FeeWei: bigint | null }

async function gasOf({ gasPriceWei, chain, rpc, touched, view, route, trial, signal }: Found): Promise<Gas> {
  // A pool traded in the simulated block itself has brought its price oracle up to date for it, and does so again in the next.
  const stale = new Set(route.legs.flatMap(({ pool }) => (touched.has(pool.id) ? [pool] : [])))
  const oracles = [...stale].reduce((sum, { family }) => sum + (familyOf(family)?.oracleGas ?? 0), 0)
  const { gasUsed } = trial.simulation
  const execution = transactionGas(trial.swap.data, BigInt(gasUsed + oracles))
  const paid = route.tokenOut === NATIVE ? 'native' : trial.terms.direct ? 'direct' : 'token'
  const held = BigInt(heldGas(gasUsed, paid))
  const { to, data, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  const transaction = { to, data, value, gas: execution + held, gasPriceWei }
  const l1 = await estimateL1Fee(rpc, chain.l1FeeModel, transaction, block, { signal })
  if (!l1) return { estimate: execution + held, costWei: execution * gasPriceWei, l1FeeWei: null }
  return { estimate: execution + held + l1.gas, costWei: execution * gasPriceWei + l1.feeWei, l1FeeWei: l1.feeWei }
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

function warnings({ request, tokens, route }: Found, impactPpm: bigint | null): string[] {
  const found: string[] = []
  const inTax = tokens.taxes.transferPpm(route.tokenIn)
  const outTax = tokens.taxes.transferPpm(route.tokenOut)
  if (impactPpm !== null && impactPpm >= IMPACT_WARNING_PPM)
    found.push(`the price impact is ${toPercent(impactPpm)} percent`)
  if (inTax > 0n) found.push(`src takes ${toPercent(inTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n) found.push(`dst takes ${toPercent(outTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n && request.feePpm > 0n)
    found.push('with a convenience fee the tax of dst is paid once more, on the way from the Guard')
  return found
}
