/** The figures of a route that works, and the refusals that protect the caller from a bad one. */
import { type Address, NATIVE } from '@sluice/chains'
import type { EncodedSwap, Route } from '@sluice/routing'
import { type BlockHeader, estimateL1Fee } from '@sluice/rpc'
import type { ChainService } from '../chain/chain-service.ts'
import type { ChainView } from '../chain/view.ts'
import { ApiError } from '../errors.ts'
import { shortfallPpm, toPercent, toWhole, transactionGas } from './amounts.ts'
import type { QuoteRequest } from './request.ts'
import type { WorkingTrial } from './trial.ts'

const PPM = 1_000_000n
/** 3 %. */
const IMPACT_WARNING_PPM = 30_000n
/**
 * Gas of bringing a pool's price oracle up to date: two accumulators of a uniswap-v2 pair, or one observation of a
 * uniswap-v3 pool. A pool traded in the simulated block itself has paid it for that block, and pays it again in the next.
 */
const ORACLE_GAS = 10_000n

export type Quote = {
  readonly route: Route
  readonly swap: EncodedSwap
  /** What the sender receives, base units. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  /** Units, before refunds; holds the data fee where that is paid as gas. */
  readonly gasEstimate: bigint
  /** Of gas and data fee together. */
  readonly gasCostWei: bigint
  readonly gasCostUsd: number | null
  /** Part of `gasCostWei` for publishing on the chain below; null where it is not known. */
  readonly l1FeeWei: bigint | null
  /** `amountOut` less the gas in output units; null where the native token has no price in the output. */
  readonly netAmountOut: bigint | null
  /** Against the mid price of the same route; null when that is not known. */
  readonly priceImpactPpm: bigint | null
  readonly block: BlockHeader
  /** The node's newest block when it ran the simulation. */
  readonly head: BlockHeader | undefined
  readonly warnings: readonly string[]
}

export type Case = {
  readonly request: QuoteRequest
  readonly gasPriceWei: bigint
  readonly chain: ChainService
  readonly view: ChainView
  readonly route: Route
  readonly trial: WorkingTrial
  readonly signal: AbortSignal
}

/** @throws ApiError `PRICE_IMPACT` or `VALUE_LOSS` when the caller would lose more than accepted */
export async function judge(found: Case): Promise<Quote> {
  const { request, chain, view, route, trial } = found
  // Before the caller's own fee, which is no loss but a payment.
  const gross = (trial.amountOut * PPM) / (PPM - request.feePpm)
  const priceImpactPpm = route.midAmountOut === null ? null : shortfallPpm(route.midAmountOut, gross)
  refuseLoss(found, priceImpactPpm, valueLossPpm(found, gross))
  const gas = await gasOf(found)
  const nativePrice = view.prices().usd(NATIVE)
  return {
    route,
    swap: trial.swap,
    amountOut: trial.amountOut,
    minOutput: trial.minOutput,
    gasEstimate: gas.estimate,
    gasCostWei: gas.costWei,
    gasCostUsd: nativePrice === null ? null : toWhole(gas.costWei, chain.chain.nativeCurrency.decimals) * nativePrice,
    l1FeeWei: gas.l1FeeWei,
    netAmountOut: netAmountOut(found, gas.costWei),
    priceImpactPpm,
    block: view.snapshot.block,
    head: trial.simulation.head,
    warnings: warnings(found, priceImpactPpm),
  }
}

type Gas = { readonly estimate: bigint; readonly costWei: bigint; readonly l1FeeWei: bigint | null }

async function gasOf({ gasPriceWei, chain, view, route, trial, signal }: Case): Promise<Gas> {
  const touched = route.legs.filter(({ pool }) => chain.touched.has(pool.id)).length
  const execution = transactionGas(trial.swap.data, BigInt(trial.simulation.gasUsed)) + BigInt(touched) * ORACLE_GAS
  const { to, data, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  const transaction = { to, data, value, gas: execution, gasPriceWei }
  const l1 = await estimateL1Fee(chain.rpc, chain.chain.l1FeeModel, transaction, block, { signal })
  if (!l1) return { estimate: execution, costWei: execution * gasPriceWei, l1FeeWei: null }
  return { estimate: execution + l1.gas, costWei: execution * gasPriceWei + l1.feeWei, l1FeeWei: l1.feeWei }
}

function netAmountOut({ trial, route, gasPriceWei, chain }: Case, costWei: bigint): bigint | null {
  if (route.tokenOut === NATIVE || route.tokenOut === chain.wrappedNative) return trial.amountOut - costWei
  const rankedWei = BigInt(Math.round(route.gas)) * gasPriceWei
  if (route.gasCostOut === null || rankedWei === 0n) return costWei === 0n ? trial.amountOut : null
  return trial.amountOut - (route.gasCostOut * costWei) / rankedWei
}

/** Parts per million of the input's USD value that the output lacks; null unless both tokens are priced. */
function valueLossPpm({ request, chain, view }: Case, gross: bigint): bigint | null {
  const usdOf = (token: Address, amount: bigint) => {
    const price = view.prices().usd(token)
    const decimals = chain.tokens.decimals(token)
    return price === null || decimals === undefined ? null : toWhole(amount, decimals) * price
  }
  const given = usdOf(request.tokenIn, request.amountIn)
  const received = usdOf(request.tokenOut, gross)
  if (given === null || received === null || given === 0) return null
  return BigInt(Math.round((1 - received / given) * Number(PPM)))
}

function refuseLoss({ request, view }: Case, impactPpm: bigint | null, lossPpm: bigint | null): void {
  const limit = request.maxPriceImpactPpm
  if (limit >= PPM) return
  const refuse = (code: 'PRICE_IMPACT' | 'VALUE_LOSS', what: string, ppm: bigint) =>
    new ApiError(
      code,
      `${what} is ${toPercent(ppm)} percent, above the limit of ${toPercent(limit)}; maxPriceImpact sets it`,
      {
        details: {
          priceImpact: impactPpm === null ? null : toPercent(impactPpm),
          ...(lossPpm !== null && { valueLoss: toPercent(lossPpm) }),
          block: view.snapshot.block.number,
        },
      },
    )
  if (impactPpm !== null && impactPpm > limit) throw refuse('PRICE_IMPACT', 'the price impact', impactPpm)
  if (lossPpm !== null && lossPpm > limit) throw refuse('VALUE_LOSS', 'the loss of value in USD', lossPpm)
}

function warnings({ request, chain, route }: Case, impactPpm: bigint | null): string[] {
  const found: string[] = []
  const inTax = chain.taxes.transferPpm(route.tokenIn)
  const outTax = chain.taxes.transferPpm(route.tokenOut)
  if (impactPpm !== null && impactPpm >= IMPACT_WARNING_PPM)
    found.push(`the price impact is ${toPercent(impactPpm)} percent`)
  if (inTax > 0n) found.push(`src takes ${toPercent(inTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n) found.push(`dst takes ${toPercent(outTax)} percent on transfers; toAmount is what is left`)
  if (outTax > 0n && request.feePpm > 0n)
    found.push('with a convenience fee the tax of dst is paid once more, on the way from the Guard')
  return found
}
