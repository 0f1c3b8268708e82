/**
 * Encodes and decodes calls of the swap probes, and builds the code overrides that install them. A swap probe is a
 * contract that calls the target (the `to` of a transaction) and measures balances and gas.
 */
import { AlternativesProbe__factory, type SwapProbe, SwapProbe__factory, TargetProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { StateOverrides } from '@sluice/rpc'
import { maxIntrinsicGas } from './gas.ts'

type ProbeArguments = [order: SwapProbe.OrderStruct, data: Hex]
/** Report with the types of our codec instead of ethers' types. */
type DecodedReport = Omit<SwapProbe.ReportStructOutput, 'coinbase' | 'returnData'> & {
  coinbase: Address
  returnData: Hex
}
type ProbeResults = [report: DecodedReport]

const swapProbe = callCodec<ProbeArguments, ProbeResults>(SwapProbe__factory.createInterface(), 'run')
const alternativesProbe = callCodec<[order: SwapProbe.OrderStruct, datas: readonly Hex[]], [reports: DecodedReport[]]>(
  AlternativesProbe__factory.createInterface(),
  'runEach',
)
const targetProbe = callCodec<ProbeArguments, ProbeResults>(TargetProbe__factory.createInterface(), 'runHere')

/** Address of the code of the probe for the sender; the sender gets a proxy for it. */
const PROBE = toAddress('0x5177cE0000000000000000000000000000000001')
/** Address of the code of the probe for the target. */
const TARGET_PROBE = toAddress('0x5177ce0000000000000000000000000000000005')
/** An account's own code moves to the address of the account XOR this mask. Must equal the mask in SwapProbe.sol. */
const ORIGINAL_MASK = 0x00517cc1b727220a94fe13abe8fa9a6ee0n
/**
 * Gas of one CALL to a warm account, plus the gas that the probe uses between its two GAS readings. A test verifies the
 * numbers.
 */
const CALL_GAS = { alone: 123n, withAlternatives: 132n }
/** Like `CALL_GAS`, for a DELEGATECALL. */
const DELEGATE_GAS = 120n
/** Gas that a value transfer adds to a CALL. */
const VALUE_GAS = 9_000n
/** Gas that the target of a value transfer gets in addition, at no cost. */
const STIPEND = 2_300n
/** Gas of the probe itself: five balance readings of up to a million each, setup, and reporting 64 kB. */
const PROBE_GAS = 8_000_000n

/** Parameters of a probe run. */
export type ProbeOrder = {
  /** Account at which the probe is installed. With `target`, the sender stays without code. */
  readonly probeLocation: 'sender' | 'target'
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** Calldata of alternative swaps, each run from the same state; only for a probe at the sender. */
  readonly alternatives?: readonly Hex[]
  /** Gas for the target. */
  readonly gas: bigint
  readonly value: bigint
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly recipient: Address
  readonly spender: Address
  /** Base units that the sender approves; 0n if an override sets the allowance. */
  readonly approvalAmount: bigint
  /** Amount in base units that a holder transfers to the sender first. */
  readonly loan?: { readonly holder: Address; readonly amount: bigint }
  /** Maximum bytes of return data. */
  readonly maxReturn: number
}

/** Result of a balance or allowance call. */
export type Reading = { readonly ok: boolean; readonly amount: bigint }
export type Balances = { readonly tokenIn: Reading; readonly allowance: Reading; readonly tokenOut: Reading }
export type ProbeReport = {
  readonly success: boolean
  /** Gas used by the target, before refunds and without intrinsic gas. */
  readonly gasUsed: bigint
  /** True if the target failed and had no gas left. */
  readonly isOutOfGas: boolean
  /** True if the node gave the target less gas than requested, which may have caused the failure. */
  readonly isStarved: boolean
  readonly balancesBefore: Balances
  /** All zero and not `ok` unless the swap succeeded. */
  readonly balancesAfter: Balances
  readonly coinbase: Address
  readonly gasPrice: bigint
  readonly blockNumber: number
  readonly timestamp: number
  readonly returnData: Hex
}

export function encodeOrder(order: ProbeOrder): Hex {
  // The EVM adds the stipend to the gas of a CALL with value.
  const gas = order.gas - (order.value > 0n && order.probeLocation === 'sender' ? STIPEND : 0n)
  const input: SwapProbe.OrderStruct = {
    target: order.to,
    gas: gas > 0n ? gas : 0n,
    value: order.value,
    tokenIn: toContractToken(order.tokenIn),
    tokenOut: toContractToken(order.tokenOut),
    recipient: order.recipient,
    spender: order.spender,
    approve: order.approvalAmount,
    lender: order.loan?.holder ?? ZERO_ADDRESS,
    lend: order.loan?.amount ?? 0n,
    maxReturn: order.maxReturn,
  }
  if (order.alternatives) return alternativesProbe.encode(input, [order.data, ...order.alternatives])
  return (order.probeLocation === 'sender' ? swapProbe : targetProbe).encode(input, order.data)
}

/** Returns the gas limit of the eth_call: the gas of the target plus the gas of the probe. */
export function callGas(order: ProbeOrder, input: Hex): bigint {
  // A call forwards at most 63/64 of the remaining gas (EIP-150). Alternatives share the rest.
  const frameGas = order.alternatives ? (order.gas * 64n) / 63n : order.gas
  return (frameGas * 64n) / 63n + maxIntrinsicGas(input) + PROBE_GAS
}

/**
 * Decodes the report of the order's own calldata, followed by the reports of the alternatives.
 *
 * @throws Error if the answer does not come from the probe, because the node ignored the overrides
 */
export function decodeReports(answer: Hex, order: ProbeOrder): readonly [ProbeReport, ...ProbeReport[]] {
  // All probes use the same report format.
  const reports = order.alternatives ? alternativesProbe.decode(answer)[0] : swapProbe.decode(answer)
  const [ownReport, ...alternativeReports] = reports.map((report) => reportOf(report, order))
  if (!ownReport) throw new Error('the probe reported nothing')
  return [ownReport, ...alternativeReports]
}

function reportOf(report: DecodedReport, order: ProbeOrder): ProbeReport {
  const callOverhead = order.alternatives ? CALL_GAS.withAlternatives : CALL_GAS.alone
  const overhead =
    order.probeLocation === 'target' ? DELEGATE_GAS : callOverhead + (order.value > 0n ? VALUE_GAS - STIPEND : 0n)
  const gasUsed = report.gasUsed - overhead
  const requestedGas = order.gas
  // A call forwards at most 63/64 of the remaining gas (EIP-150).
  const forwardedGas = (report.gasBefore * 63n) / 64n
  return {
    success: report.success,
    gasUsed,
    isOutOfGas: !report.success && gasUsed >= requestedGas,
    // A revert for another reason leaves most of the gas.
    isStarved: !report.success && forwardedGas < requestedGas && 2n * gasUsed > forwardedGas,
    balancesBefore: report.before,
    balancesAfter: report.afterwards,
    coinbase: report.coinbase,
    gasPrice: report.gasPrice,
    blockNumber: Number(report.number),
    timestamp: Number(report.timestamp),
    returnData: report.returnData,
  }
}

/**
 * Returns the overrides that install the probe at an account and move its own code to another address.
 *
 * @param code - the account's own code; `0x` for an account without code
 * @param kind - `AlternativesProbe` for orders with alternatives
 */
export function probeAt(
  account: Address,
  code: Hex,
  kind: 'SwapProbe' | 'AlternativesProbe' = 'SwapProbe',
): StateOverrides {
  const original = originalCode(code)
  return {
    [account]: { code: original === '0x' ? accountProxy : contractProxy },
    [PROBE]: { code: bytecode[kind].runtime },
    ...(original !== '0x' && { [originalAddress(account)]: { code: original } }),
  }
}

/**
 * Returns the overrides that install the probe at the target.
 *
 * @param code - code of the target
 */
export function probeAtTarget(target: Address, code: Hex): StateOverrides {
  return {
    [target]: { code: minimalProxy(TARGET_PROBE) },
    [TARGET_PROBE]: { code: bytecode.TargetProbe.runtime },
    [originalAddress(target)]: { code: originalCode(code) },
  }
}

/** Converts an EIP-7702 delegation (0xef0100 and an address) to a proxy, which works on every chain. */
function originalCode(code: Hex): Hex {
  return /^0xef0100[0-9a-f]{40}$/i.test(code) ? minimalProxy(toAddress(`0x${code.slice(8)}`)) : code
}

function originalAddress(account: Address): Address {
  return toAddress(`0x${(BigInt(account) ^ ORIGINAL_MASK).toString(16).padStart(40, '0')}`)
}

/** Returns EIP-1167 proxy code. */
function minimalProxy(target: Address, offset = 0): Hex {
  const jump = (0x2b + offset).toString(16)
  return `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d9160${jump}57fd5bf3`
}

const contractProxy = minimalProxy(PROBE)
/** Proxy that stops on a plain payment (CALLDATASIZE PUSH1 5 JUMPI STOP JUMPDEST): 15 gas, within the stipend. */
const accountProxy: Hex = `0x36600557005b${minimalProxy(PROBE, 6).slice(2)}`

function toContractToken(token: Address): Address {
  return token === NATIVE ? ZERO_ADDRESS : token
}
