/** The swap probe seen from outside: what an eth_call puts in place for it, what it is asked, what it answers. */
import { RivalsProbe__factory, type SwapProbe, SwapProbe__factory, TargetProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { StateOverrides } from '@sluice/rpc'
import { mostIntrinsicGas } from './gas.ts'

type Values = [order: SwapProbe.OrderStruct, data: Hex]
/** With what the codec reads in the place of what ethers does. */
type Report = Omit<SwapProbe.ReportStructOutput, 'coinbase' | 'returnData'> & { coinbase: Address; returnData: Hex }
type Results = [report: Report]

const swapProbe = callCodec<Values, Results>(SwapProbe__factory.createInterface(), 'run')
const rivalsProbe = callCodec<[order: SwapProbe.OrderStruct, datas: readonly Hex[]], [reports: Report[]]>(
  RivalsProbe__factory.createInterface(),
  'runEach',
)
const targetProbe = callCodec<Values, Results>(TargetProbe__factory.createInterface(), 'runHere')

/** Address of the probe's code during the call. */
const PROBE = toAddress('0x5177cE0000000000000000000000000000000001')
const TARGET_PROBE = toAddress('0x5177ce0000000000000000000000000000000005')
/** As in SwapProbe.sol. */
const ORIGINAL_MASK = 0x00517cc1b727220a94fe13abe8fa9a6ee0n
/** Gas of one CALL to a warm account, and what a probe's two GAS readings cost between themselves; a test holds it. */
const CALL_GAS = { alone: 123n, amongRivals: 132n }
/** The same of a DELEGATECALL. */
const DELEGATE_GAS = 120n
/** Gas that sending native adds to a CALL, less the stipend that its target gets for nothing. */
const VALUE_GAS = 9_000n
const STIPEND = 2_300n
/** Five readings of up to a million each, setting up, and reporting 64 kB. */
const PROBE_GAS = 8_000_000n

export type ProbeOrder = {
  /** Whose code the probe stands before. At the target it leaves the sender as it is: without code. */
  readonly at: 'sender' | 'target'
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** Further calldata that the target is tried with, each from the same state; only at the sender. */
  readonly others?: readonly Hex[]
  /** Gas that the target gets. */
  readonly gas: bigint
  readonly value: bigint
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly recipient: Address
  readonly spender: Address
  /** Base units that the sender approves by itself; 0n where an override sets the allowance. */
  readonly approve: bigint
  readonly lend?: { readonly holder: Address; readonly amount: bigint }
  /** Bytes. */
  readonly maxReturn: number
}

export type Reading = { readonly ok: boolean; readonly amount: bigint }
export type Balances = { readonly tokenIn: Reading; readonly allowance: Reading; readonly tokenOut: Reading }
export type ProbeReport = {
  readonly success: boolean
  /** Gas that the target used: gross, nothing of the transaction's own. */
  readonly gasUsed: bigint
  /** The target failed with nothing left. */
  readonly outOfGas: boolean
  /** The node gave the target less gas than was asked for, and that may be why it failed. */
  readonly starved: boolean
  readonly before: Balances
  /** All zero and not ok unless successful. */
  readonly after: Balances
  readonly coinbase: Address
  readonly gasPrice: bigint
  readonly blockNumber: number
  readonly timestamp: number
  readonly returnData: Hex
}

export function encodeOrder(order: ProbeOrder): Hex {
  // The stipend comes on top of what a CALL with value is given.
  const gas = order.gas - (order.value > 0n && order.at === 'sender' ? STIPEND : 0n)
  const input: SwapProbe.OrderStruct = {
    target: order.to,
    gas: gas > 0n ? gas : 0n,
    value: order.value,
    tokenIn: contractSpelling(order.tokenIn),
    tokenOut: contractSpelling(order.tokenOut),
    recipient: order.recipient,
    spender: order.spender,
    approve: order.approve,
    lender: order.lend?.holder ?? ZERO_ADDRESS,
    lend: order.lend?.amount ?? 0n,
    maxReturn: order.maxReturn,
  }
  if (order.others) return rivalsProbe.encode(input, [order.data, ...order.others])
  return (order.at === 'sender' ? swapProbe : targetProbe).encode(input, order.data)
}

/** Gas limit of the eth_call: the target gets all of what it was promised, the probe its own on top. */
export function callGas(order: ProbeOrder, input: Hex): bigint {
  // A call may hand on 63/64 of what is left, EIP-150. Those tried beside it share what it leaves.
  const framed = order.others ? (order.gas * 64n) / 63n : order.gas
  return (framed * 64n) / 63n + mostIntrinsicGas(input) + PROBE_GAS
}

/**
 * The report of the order's own calldata first, then those of the others.
 *
 * @throws Error when the answer is not the probe's, which no node that runs overrides gives
 */
export function decodeReports(answer: Hex, order: ProbeOrder): readonly [ProbeReport, ...ProbeReport[]] {
  // All probes report alike.
  const reports = order.others ? rivalsProbe.decode(answer)[0] : swapProbe.decode(answer)
  const [first, ...others] = reports.map((report) => reportOf(report, order))
  if (!first) throw new Error('the probe reported nothing')
  return [first, ...others]
}

function reportOf(report: Report, order: ProbeOrder): ProbeReport {
  const call = order.others ? CALL_GAS.amongRivals : CALL_GAS.alone
  const overhead = order.at === 'target' ? DELEGATE_GAS : call + (order.value > 0n ? VALUE_GAS - STIPEND : 0n)
  const gasUsed = report.gasUsed - overhead
  const wanted = order.gas
  // A call may hand on 63/64 of what is left, EIP-150.
  const given = (report.gasBefore * 63n) / 64n
  return {
    success: report.success,
    gasUsed,
    outOfGas: !report.success && gasUsed >= wanted,
    // One that reverts for a reason of its own has most of its gas left.
    starved: !report.success && given < wanted && 2n * gasUsed > given,
    before: report.before,
    after: report.afterwards,
    coinbase: report.coinbase,
    gasPrice: report.gasPrice,
    blockNumber: Number(report.number),
    timestamp: Number(report.timestamp),
    returnData: report.returnData,
  }
}

/**
 * The probe at `account`, whose own code moves to where the probe finds it.
 *
 * @param code - '0x' for an account without
 * @param kind - `RivalsProbe` for orders with others
 */
export function probeAt(account: Address, code: Hex, kind: 'SwapProbe' | 'RivalsProbe' = 'SwapProbe'): StateOverrides {
  const original = originalCode(code)
  return {
    [account]: { code: original === '0x' ? accountProxy : contractProxy },
    [PROBE]: { code: bytecode[kind].runtime },
    ...(original !== '0x' && { [originalAddress(account)]: { code: original } }),
  }
}

/** The probe at the target. @param code - of the target */
export function probeAtTarget(target: Address, code: Hex): StateOverrides {
  return {
    [target]: { code: minimalProxy(TARGET_PROBE) },
    [TARGET_PROBE]: { code: bytecode.TargetProbe.runtime },
    [originalAddress(target)]: { code: originalCode(code) },
  }
}

/** An account under EIP-7702 holds 0xef0100 and an address; a proxy to that address does the same on every chain. */
function originalCode(code: Hex): Hex {
  return /^0xef0100[0-9a-f]{40}$/i.test(code) ? minimalProxy(toAddress(`0x${code.slice(8)}`)) : code
}

function originalAddress(account: Address): Address {
  return toAddress(`0x${(BigInt(account) ^ ORIGINAL_MASK).toString(16).padStart(40, '0')}`)
}

/** EIP-1167. */
function minimalProxy(target: Address, offset = 0): Hex {
  const jump = (0x2b + offset).toString(16)
  return `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d9160${jump}57fd5bf3`
}

const contractProxy = minimalProxy(PROBE)
/** Stops at once on a plain payment (CALLDATASIZE PUSH1 5 JUMPI STOP JUMPDEST): 15 gas, well within a stipend. */
const accountProxy: Hex = `0x36600557005b${minimalProxy(PROBE, 6).slice(2)}`

function contractSpelling(token: Address): Address {
  return token === NATIVE ? ZERO_ADDRESS : token
}
