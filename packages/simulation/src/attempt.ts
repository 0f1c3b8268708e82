/**
 * Runs the eth_call of one attempt: installs the probe (the contract that measures balances and gas), sets up the
 * sender's input, and overrides the block. The target is the contract that the transaction calls.
 */
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

/** Block, gas, and code of one simulation. */
export type CallEnvironment = {
  readonly header: BlockHeader
  /** Block whose state is used; a tag other than `pending` is replaced by a hash. */
  readonly block: BlockRef
  readonly gasPriceWei: bigint
  /** Block overrides; none at `pending`. */
  readonly blockOverrides: BlockOverrides
  /** Gas of the target: the gas limit less the intrinsic gas. */
  readonly targetGas: bigint
  /** Gas of the target with the default gas limit. */
  readonly defaultTargetGas: bigint
  /** Code of the sender. */
  readonly senderCode: Hex
  /** Code of the target, if every run installs the probe there. */
  readonly targetCode?: Hex
}

/** Parameters of one run. */
export type ProbeRun = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly environment: CallEnvironment
  readonly setUp: SetUp
  /** Code of the target. If set, the probe is installed at the target, so that the sender stays without code. */
  readonly targetCode?: Hex
  readonly maxReturnBytes: number
  readonly options: RequestOptions
}

/** Report of the probe, with the head and the alternatives if requested. */
export type RunReport = ProbeReport & { readonly head?: BlockHeader; readonly alternatives?: readonly ProbeReport[] }

type ProbeAnswer = { readonly answer: Hex; readonly head?: BlockHeader }

/** Runs the probe. @throws RpcError if no endpoint could run the call with its overrides */
export async function runProbe({
  rpc,
  request,
  environment,
  setUp,
  targetCode,
  maxReturnBytes,
  options,
}: ProbeRun): Promise<RunReport> {
  const { from, to, data, alternatives = [], tokenIn, tokenOut, spender = to, recipient = from } = request
  const { coinbase, withHead, codes } = request
  const { block, gasPriceWei, targetGas, senderCode, header, blockOverrides: environmentOverrides } = environment
  const { ways, approvalAmount, loan } = setUp
  const value = ways.balance === 'native' ? setUp.balance : 0n
  const location = targetCode === undefined ? 'sender' : 'target'
  const order: ProbeOrder = {
    ...{
      probeLocation: location,
      from,
      to,
      data,
      gas: targetGas,
      value,
      tokenIn,
      tokenOut,
      recipient,
      spender,
      approvalAmount,
      maxReturn: maxReturnBytes,
    },
    ...(loan && { loan }),
    ...(alternatives.length > 0 && location === 'sender' && { alternatives }),
  }
  const kind = order.alternatives ? 'AlternativesProbe' : 'SwapProbe'
  const input = encodeOrder(order)
  const outerGas = callGas(order, input)
  const overrides = mergeOverrides(
    codeOverrides(codes),
    storageOverrides(setUp.writes),
    targetCode === undefined ? probeAt(from, senderCode, kind) : probeAtTarget(to, targetCode),
    // The node requires the sender to afford the whole gas limit.
    { [from]: { balance: value + outerGas * gasPriceWei } },
    loan ? probeAt(loan.holder, await rpc.getCode(loan.holder, block, options), kind) : {},
  )
  const probeCall: CallRequest = {
    from,
    data: input,
    gas: outerGas,
    ...(location === 'sender' ? { to: from } : { to, value }),
    ...(gasPriceWei > 0n && { gasPrice: gasPriceWei }),
  }
  const call = async (blockOverrides: BlockOverrides): Promise<ProbeAnswer> => {
    const callOptions = { ...options, overrides, blockOverrides }
    return withHead
      ? rpc.callWithHead(probeCall, block, callOptions)
      : { answer: await rpc.call(probeCall, block, callOptions) }
  }
  const requestedOverrides = { ...environmentOverrides, ...(coinbase && coinbase !== header.miner && { coinbase }) }
  const { answer, head } = await call(requestedOverrides).catch((error: unknown) => {
    // Some nodes refuse a gas price below the block's base fee, so lower the base fee to the gas price.
    if (!(error instanceof RpcError && error.code === 'REJECTED' && /base ?fee/i.test(error.message))) throw error
    return call({ ...requestedOverrides, baseFeePerGas: gasPriceWei })
  })
  const [report, ...reports] = decodeReports(answer, order)
  if (coinbase && report.coinbase !== coinbase)
    throw new RpcError('NO_OVERRIDES', `block.coinbase was ${report.coinbase} instead of ${coinbase}`)
  if (report.isStarved)
    throw new RpcError('GAS_CAP', `the node caps calls below the ${outerGas} gas of this simulation`)
  return { ...report, ...(head && { head }), ...(order.alternatives && { alternatives: reports }) }
}

export function codeOverrides(codes: SimulationRequest['codes'] = {}): StateOverrides {
  return Object.fromEntries(Object.entries(codes).map(([account, code]) => [account, { code }]))
}

/** Merges state overrides per account and field; later values replace earlier ones. */
export function mergeOverrides(...overrideSets: readonly StateOverrides[]): StateOverrides {
  const mergedOverrides: Record<Address, AccountOverride> = {}
  for (const overrides of overrideSets) {
    for (const [key, override] of Object.entries(overrides)) {
      const account = key as Address
      mergedOverrides[account] = { ...mergedOverrides[account], ...override }
    }
  }
  return mergedOverrides
}
