/** The eth_call itself: the probe at the sender, the input set up, the environment as asked. */
import type { Address, Hex } from '@sluice/chains'
import {
  type AccountOverride,
  type BlockHeader,
  type BlockOverrides,
  type BlockRef,
  type CallRequest,
  type RequestOptions,
  type Rpc,
  RpcError,
  type StateOverrides,
} from '@sluice/rpc'
import {
  callGas,
  decodeReports,
  encodeOrder,
  type ProbeOrder,
  type ProbeReport,
  probeAt,
  probeAtTarget,
} from './probe.ts'
import type { SetUp } from './setup.ts'
import { storageOverrides } from './slots/reader.ts'
import type { SimulationRequest } from './types.ts'

/** Environment of one simulation, known before it runs. */
export type CallEnvironment = {
  readonly header: BlockHeader
  /** One block, whatever comes after it. */
  readonly block: BlockRef
  readonly gasPriceWei: bigint
  /** Overrides of the block's own environment; none at `pending`. */
  readonly runsIn: BlockOverrides
  /** Part of the transaction's gas that its target gets; zero or less when it would not even start. */
  readonly targetGas: bigint
  /** Part of the gas that the target gets if the caller names none. */
  readonly usualTargetGas: bigint
  /** The sender's own. */
  readonly code: Hex
  /** Code of the target, where the probe stands there from the start. */
  readonly targetCode?: Hex
}

export type Attempt = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly environment: CallEnvironment
  readonly setUp: SetUp
  /** Code of the target where the probe is to stand there, so that the sender keeps to being without code. */
  readonly targetCode?: Hex
  /** Bytes. */
  readonly maxReturn: number
  readonly options: RequestOptions
}

/** Report of the probe, and the node's head where that was asked for. */
export type RunReport = ProbeReport & { readonly head?: BlockHeader; readonly others?: readonly ProbeReport[] }

type Answered = { readonly answer: Hex; readonly head?: BlockHeader }

/** @throws RpcError when no endpoint ran it as asked */
export async function runProbe({
  rpc,
  request,
  environment,
  setUp,
  targetCode,
  maxReturn,
  options,
}: Attempt): Promise<RunReport> {
  const { from, to, data, others = [], tokenIn, tokenOut, spender = to, recipient = from } = request
  const { coinbase, withHead, codes } = request
  const { block, gasPriceWei, targetGas, code, header, runsIn } = environment
  const { ways, approve, lend } = setUp
  const value = ways.balance === 'native' ? setUp.balance : 0n
  const at = targetCode === undefined ? 'sender' : 'target'
  const order: ProbeOrder = {
    ...{ at, from, to, data, gas: targetGas, value, tokenIn, tokenOut, recipient, spender, approve, maxReturn },
    ...(lend && { lend }),
    ...(others.length > 0 && at === 'sender' && { others }),
  }
  const kind = order.others ? 'RivalsProbe' : 'SwapProbe'
  const input = encodeOrder(order)
  const outerGas = callGas(order, input)
  const overrides = merge(
    codeOverrides(codes),
    storageOverrides(setUp.writes),
    targetCode === undefined ? probeAt(from, code, kind) : probeAtTarget(to, targetCode),
    // The node takes the price of all the gas from the sender before it starts.
    { [from]: { balance: value + outerGas * gasPriceWei } },
    lend ? probeAt(lend.holder, await rpc.getCode(lend.holder, block, options), kind) : {},
  )
  const probe: CallRequest = {
    from,
    data: input,
    gas: outerGas,
    ...(at === 'sender' ? { to: from } : { to, value }),
    ...(gasPriceWei > 0n && { gasPrice: gasPriceWei }),
  }
  const call = async (blockOverrides: BlockOverrides): Promise<Answered> => {
    const all = { ...options, overrides, blockOverrides }
    return withHead ? rpc.callWithHead(probe, block, all) : { answer: await rpc.call(probe, block, all) }
  }
  const asRequested = { ...runsIn, ...(coinbase && coinbase !== header.miner && { coinbase }) }
  const { answer, head } = await call(asRequested).catch((error: unknown) => {
    // Some nodes refuse a price below the block's base fee, others run it: lower the fee where it is refused.
    if (!(error instanceof RpcError && error.code === 'REJECTED' && /base ?fee/i.test(error.message))) throw error
    return call({ ...asRequested, baseFeePerGas: gasPriceWei })
  })
  const [report, ...reports] = decodeReports(answer, order)
  if (coinbase && report.coinbase !== coinbase)
    throw new RpcError('NO_OVERRIDES', `block.coinbase was ${report.coinbase} instead of ${coinbase}`)
  if (report.starved) throw new RpcError('GAS_CAP', `the node caps calls below the ${outerGas} gas of this simulation`)
  return { ...report, ...(head && { head }), ...(order.others && { others: reports }) }
}

/** Overrides that give accounts the code of a request. */
export function codeOverrides(codes: SimulationRequest['codes'] = {}): StateOverrides {
  return Object.fromEntries(Object.entries(codes).map(([account, code]) => [account, { code }]))
}

export function merge(...all: readonly StateOverrides[]): StateOverrides {
  const merged: Record<Address, AccountOverride> = {}
  for (const overrides of all) {
    for (const [key, override] of Object.entries(overrides)) {
      const account = key as Address
      merged[account] = { ...merged[account], ...override }
    }
  }
  return merged
}
