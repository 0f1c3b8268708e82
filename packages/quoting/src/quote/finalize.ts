/**
 * Last step of a quote, called by `quoteAtView`: computes gas, price impact, and warnings of a simulated route. Rejects
 * quotes that lose more than the caller accepts. The expected output is the output that the pool models predict, after
 * fee and known taxes. A trial is the outcome of simulating a route.
 */
import { type Address, FLOAT_PPM, NATIVE, PPM } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { EncodedSwap, RoutePlan } from '@sluice/routing'
import { type BlockHeader, estimateL1Fee } from '@sluice/rpc'
import type { SwapSimulation } from '@sluice/simulation'
import type { AccountCall } from '../approval.ts'
import { QuotingError } from '../errors.ts'
import { chargedGas } from '../gas/charged-gas.ts'
import { declaredLaterGas } from '../gas/later-gas.ts'
import { transactionGas } from '../gas/transaction-gas.ts'
import type { TouchedPools } from '../view/touched-pools.ts'
import { shortfallPpm, toPercent, toWhole } from './amounts.ts'
import { approvalCalls, checkBatch } from './calls.ts'
import type { Certificate } from './certificate.ts'
import type { AutoSlippage } from './ports.ts'
import { quoteId } from './quote-id.ts'
import { reservedGas } from './reserved-gas.ts'
import type { SimulatedRoute } from './simulated-route.ts'

/** 3 %: price impact from which a quote carries a warning. */
const IMPACT_WARNING_PPM = 30_000n
/**
 * 1 bps of the expected output: excess of the simulated output from which a quote carries a warning. Rebasing tokens
 * explain a smaller excess. A larger excess means that tokens were donated to a pool.
 */
const EXCESS_WARNING_PPM = 100n
/**
 * 0.5 % of the expected output: shortfall of the simulated output from which a quote carries a warning. A smaller
 * shortfall comes from rounding, or from rates that change with time.
 */
const SHORT_WARNING_PPM = 5_000n
/** Number of blocks after the quoted block for which a quote is current. Later, clients request another quote. */
const CURRENT_BLOCKS = 2

/** A quote with its transaction. Amounts are in base units. */
export type SwapQuote = {
  /** Chain, block, and a digest of the route with its amounts: equal quotes have equal ids. */
  readonly id: string
  readonly route: RoutePlan
  /** The best route by the search's gas estimates, before simulation; usually the same as `route`. */
  readonly bestEstimated: RoutePlan
  readonly swap: EncodedSwap
  /** The missing approvals and the swap, if the request asks for calls. */
  readonly calls?: readonly AccountCall[]
  /** Amount that the sender receives. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  /** Automatic slippage, if the request asks for it. */
  readonly slippage?: AutoSlippage
  readonly gasPriceWei: bigint
  /** Gas limit that the transaction needs, before refunds; includes the L1 data fee if the chain charges it as gas. */
  readonly gasEstimate: bigint
  /** Gas that the receipt will show, after refunds. */
  readonly gasCharged: bigint
  /**
   * Gas that the receipt will show if the transaction is mined at its deadline. Higher than `gasCharged` if work of a
   * pool or token, such as an hourly update, falls due before the deadline.
   */
  readonly gasChargedAtDeadline: bigint
  /** Cost of `gasCharged` and of the L1 data fee. */
  readonly gasCostWei: bigint
  readonly gasCostUsd: number | null
  /** L1 data fee, which is part of `gasCostWei`; null if unknown. */
  readonly l1FeeWei: bigint | null
  /** `amountOut` less the gas cost in output units; null if the native token has no price in the output. */
  readonly netAmountOut: bigint | null
  /** Loss against the mid price of the same route in ppm; null if there is no mid price. */
  readonly priceImpactPpm: bigint | null
  readonly block: BlockHeader
  /** Number of the first block at which the quote is outdated. */
  readonly expiresAtBlock: number
  /** The node's newest block when it ran the simulation. */
  readonly head: BlockHeader | undefined
  /** True if the search for pools is incomplete, so that a later quote may be better. */
  readonly poolsPending: boolean
  /**
   * Certificate of an upper bound on the output of any route, if the request asks for it; null if no bound was found.
   * `quoteAtView` adds it after `finalize`.
   */
  readonly proof?: Certificate | null
  readonly warnings: readonly string[]
}

/**
 * Computes the quote of a route whose simulation succeeded.
 *
 * @throws QuotingError `PRICE_IMPACT` or `VALUE_LOSS` if the loss exceeds the caller's limit
 */
export async function finalize(simulatedRoute: SimulatedRoute): Promise<SwapQuote> {
  const { request, chain, view, route, trial } = simulatedRoute
  // The caller's own fee is a payment, not a loss.
  const grossOut = (trial.amountOut * PPM) / (PPM - request.feePpm)
  const priceImpactPpm = route.midAmountOut === null ? null : clampToZero(shortfallPpm(route.midAmountOut, grossOut))
  assertLossWithinLimit(simulatedRoute, priceImpactPpm, await testedLossPpm(simulatedRoute, grossOut))
  const gas = await gasOf(simulatedRoute)
  const batch = request.withCalls ? await batchOf(simulatedRoute) : undefined
  const nativePrice = view.prices().usd(NATIVE)
  const { block } = view.snapshot
  return {
    id: quoteId(chain.chainId, block, route, trial),
    route,
    bestEstimated: simulatedRoute.bestEstimated,
    swap: trial.swap,
    ...(batch && { calls: batch.calls }),
    amountOut: trial.amountOut,
    minOutput: trial.minOutput,
    ...(simulatedRoute.slippage && { slippage: simulatedRoute.slippage }),
    gasPriceWei: simulatedRoute.gasPriceWei,
    gasEstimate: gas.estimate,
    gasCharged: gas.charged,
    gasChargedAtDeadline: gas.chargedAtDeadline,
    gasCostWei: gas.costWei,
    gasCostUsd: nativePrice === null ? null : toWhole(gas.costWei, chain.nativeCurrency.decimals) * nativePrice,
    l1FeeWei: gas.l1FeeWei,
    netAmountOut: netAmountOutOf(simulatedRoute, gas.costWei),
    priceImpactPpm,
    block,
    expiresAtBlock: block.number + CURRENT_BLOCKS + 1,
    head: trial.simulation.head,
    poolsPending: view.poolsPending(),
    warnings: [...warningsOf(simulatedRoute, priceImpactPpm), ...(batch?.warnings ?? [])],
  }
}

/** Replaces a negative price impact by zero: the mid price is a float, so a negative impact is a rounding error. */
function clampToZero(ppm: bigint): bigint {
  return ppm > 0n ? ppm : 0n
}

type CallBatch = { readonly calls: readonly AccountCall[]; readonly warnings: readonly string[] }

/**
 * Returns the missing approvals and the swap. For an ERC-20 input without a permit, simulates all calls as one
 * transaction, and returns the warnings of this simulation.
 */
async function batchOf(simulatedRoute: SimulatedRoute): Promise<CallBatch> {
  const { request, rpc, view, route, trial, signal } = simulatedRoute
  const { to, data, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  // The swap was simulated with its permit and needs no approval.
  if (request.permit) return { calls: [{ to, data, value }], warnings: [] }
  const approval = { token: route.tokenIn, owner: request.from, spender: to, amount: route.amountIn, block }
  const approvals = await approvalCalls(rpc, approval, { signal })
  const calls = [...approvals, { to, data, value }]
  if (route.tokenIn === NATIVE) return { calls, warnings: [] }
  return { calls, warnings: await checkBatch(approvals, simulatedRoute) }
}

/** Gas and cost of a quote. @see SwapQuote */
type Gas = {
  readonly estimate: bigint
  readonly charged: bigint
  readonly chargedAtDeadline: bigint
  readonly costWei: bigint
  readonly l1FeeWei: bigint | null
}

/** Returns the recommended gas limit: 20 % above the estimate, rounded up. */
const recommendedLimit = (estimate: bigint) => (estimate * 12n + 9n) / 10n

async function gasOf({
  gasPriceWei,
  chain,
  rpc,
  touchedPools,
  view,
  route,
  trial,
  signal,
}: SimulatedRoute): Promise<Gas> {
  // `appliedBlock` is set if the node simulated in the next block. Otherwise, gas that falls due there is missing.
  const { gasUsed, appliedBlock } = trial.simulation
  const extraGasNextBlock = appliedBlock ? 0 : unseenNextBlockGas(route, touchedPools)
  const extraGasLater = appliedBlock ? trial.laterExtraGas : unseenLaterGas(route)
  const { data } = trial.swap
  const { balances } = trial
  const execution = transactionGas(data, BigInt(gasUsed + extraGasNextBlock + extraGasLater))
  const chargedWith = (extraGas: number) => {
    const simulation = withMoreGas(trial.simulation, extraGas)
    return chargedGas(
      { route, data, simulation, direct: trial.terms.direct ?? false, balances },
      chain.wrappedNative?.address ?? null,
    )
  }
  const payment = route.tokenOut === NATIVE ? 'native' : trial.terms.direct ? 'direct' : 'token'
  const gasReserve = BigInt(reservedGas(gasUsed, payment))
  const chargedLimit = chain.chargesGasLimit ? recommendedLimit(execution + gasReserve) : undefined
  const gasCharged = chargedLimit ?? chargedWith(extraGasNextBlock)
  const chargedAtDeadline = chargedLimit ?? chargedWith(extraGasNextBlock + extraGasLater)
  const { to, value } = trial.swap
  const block = { blockHash: view.snapshot.block.hash }
  const transaction = { to, data, value, gas: execution + gasReserve, gasPriceWei }
  const l1 = await estimateL1Fee(rpc, chain.l1FeeModel, transaction, block, { signal })
  if (!l1)
    return {
      ...{ estimate: execution + gasReserve, charged: gasCharged, chargedAtDeadline },
      ...{ costWei: gasCharged * gasPriceWei, l1FeeWei: null },
    }
  const costWei = gasCharged * gasPriceWei + l1.feeWei
  // If the chain charges the data fee as gas, the receipt includes it.
  const l1ChargedGas = l1.gas > 0n && gasPriceWei > 0n ? l1.feeWei / gasPriceWei : 0n
  return {
    ...{ estimate: execution + gasReserve + l1.gas, costWei, l1FeeWei: l1.feeWei },
    ...{ charged: gasCharged + l1ChargedGas, chargedAtDeadline: chargedAtDeadline + l1ChargedGas },
  }
}

function withMoreGas<T extends Pick<SwapSimulation, 'gasUsed' | 'chargedGas'>>(simulation: T, extraGas: number): T {
  const { gasUsed, chargedGas } = simulation
  return {
    ...simulation,
    gasUsed: gasUsed + extraGas,
    ...(chargedGas !== undefined && { chargedGas: chargedGas + extraGas }),
  }
}

const poolsOf = ({ legs }: RoutePlan): readonly Pool[] => [...new Map(legs.map(({ pool }) => [pool.id, pool])).values()]

/**
 * Returns the gas of the price oracle writes that a simulation in the quoted block omits. A pool writes its oracle at
 * its first swap in a block. So the simulation omits the write of each pool that traded in the quoted block before.
 * Called if the node cannot simulate in the next block.
 */
function unseenNextBlockGas(route: RoutePlan, touchedPools: Pick<TouchedPools, 'has'>): number {
  const alreadyTradedPools = poolsOf(route).filter(({ id }) => touchedPools.has(id))
  return alreadyTradedPools.reduce((sum, { family }) => sum + (familyOf(family)?.oracleGas ?? 0), 0)
}

/** Returns the extra gas that a swap in a later block may need, from constants of the route's DEX families. */
function unseenLaterGas(route: RoutePlan): number {
  return poolsOf(route).reduce((sum, { family }) => sum + declaredLaterGas(family), 0)
}

function netAmountOutOf({ trial, route, gasPriceWei, chain }: SimulatedRoute, costWei: bigint): bigint | null {
  if (route.tokenOut === NATIVE || route.tokenOut === chain.wrappedNative?.address) return trial.amountOut - costWei
  const estimatedGasCostWei = BigInt(Math.round(route.gas)) * gasPriceWei
  if (route.gasCostOut === null || estimatedGasCostWei === 0n) return costWei === 0n ? trial.amountOut : null
  return trial.amountOut - (route.gasCostOut * costWei) / estimatedGasCostWei
}

/**
 * Like `valueLossPpm`. Unlisted tokens are those outside the chain's file. A loss above the limit counts only after
 * test sales of the unlisted tokens that decide the prices. Returns null if these take too long. Otherwise anyone could
 * make quotes of a token fail, by a pool that prices the token in a token that cannot be sold.
 */
async function testedLossPpm(simulatedRoute: SimulatedRoute, grossOut: bigint): Promise<bigint | null> {
  const { request, view, arePricesTested } = simulatedRoute
  const lossPpm = valueLossPpm(simulatedRoute, grossOut)
  if (lossPpm === null || lossPpm <= request.maxPriceImpactPpm) return lossPpm
  const isTested = await arePricesTested([request.tokenIn, request.tokenOut], view)
  return isTested ? valueLossPpm(simulatedRoute, grossOut) : null
}

/** Loss of USD value from input to output, in ppm; null unless both tokens have a price. */
function valueLossPpm({ request, route, tokens, view }: SimulatedRoute, grossOut: bigint): bigint | null {
  const usdOf = (token: Address, amount: bigint) => {
    const price = view.prices().usd(token)
    const decimals = tokens.facts.decimals(token)
    return price === null || decimals === undefined ? null : toWhole(amount, decimals) * price
  }
  const inputUsd = usdOf(request.tokenIn, route.amountIn)
  const outputUsd = usdOf(request.tokenOut, grossOut)
  if (inputUsd === null || outputUsd === null || inputUsd === 0) return null
  return BigInt(Math.round((1 - outputUsd / inputUsd) * FLOAT_PPM))
}

function assertLossWithinLimit(
  { request, view }: SimulatedRoute,
  impactPpm: bigint | null,
  lossPpm: bigint | null,
): void {
  const limit = request.maxPriceImpactPpm
  if (limit >= PPM) return
  const lossError = (code: 'PRICE_IMPACT' | 'VALUE_LOSS', description: string, ppm: bigint) =>
    new QuotingError(
      code,
      `${description} is ${toPercent(ppm)} percent, above the limit of ${toPercent(limit)}; maxPriceImpact sets it`,
      {
        priceImpact: impactPpm === null ? null : toPercent(impactPpm),
        ...(lossPpm !== null && { valueLoss: toPercent(lossPpm) }),
        block: view.snapshot.block.number,
      },
    )
  if (impactPpm !== null && impactPpm > limit) throw lossError('PRICE_IMPACT', 'the price impact', impactPpm)
  if (lossPpm !== null && lossPpm > limit) throw lossError('VALUE_LOSS', 'the loss of value in USD', lossPpm)
}

function warningsOf({ request, tokens, route, trial }: SimulatedRoute, impactPpm: bigint | null): string[] {
  const texts: string[] = []
  const excessPpm = -trial.shortfallPpm
  if (excessPpm > EXCESS_WARNING_PPM)
    texts.push(
      `the simulation paid ${toPercent(excessPpm)} percent more than the pools' reserves explain, which others may take back; toAmount leaves it out`,
    )
  if (trial.shortfallPpm > SHORT_WARNING_PPM)
    texts.push(
      `the simulation paid ${toPercent(trial.shortfallPpm)} percent less than the pools' reserves explain; toAmount is what it paid`,
    )
  const inputTaxPpm = tokens.taxes.transferPpm(route.tokenIn)
  const outputTaxPpm = tokens.taxes.transferPpm(route.tokenOut)
  if (impactPpm !== null && impactPpm >= IMPACT_WARNING_PPM)
    texts.push(`the price impact is ${toPercent(impactPpm)} percent`)
  if (trial.simulation.ways.sender === 'bare')
    texts.push(
      `a token or pool of the route treats accounts by their code; the figures are those of a transaction that ${request.from} sends itself`,
    )
  if (inputTaxPpm > 0n) texts.push(`src takes ${toPercent(inputTaxPpm)} percent on transfers; toAmount is what is left`)
  if (outputTaxPpm > 0n)
    texts.push(`dst takes ${toPercent(outputTaxPpm)} percent on transfers; toAmount is what is left`)
  if (outputTaxPpm > 0n && request.feePpm > 0n)
    texts.push('with a convenience fee the tax of dst is paid once more, on the way from the Guard')
  return texts
}
