/** The spelling of eth_simulateV1. @see https://github.com/ethereum/execution-apis */
import { type Hex, toAddress } from '@sluice/chains'
import { callParam, overridesParam, quantity } from './encode.ts'
import { RpcError } from './errors.ts'
import { readable } from './heads.ts'
import type { BlockOverrides, CallRequest, NativeTransfer, SimulatedTransaction, StateOverrides } from './types.ts'

/** Stands for the native token in logs of its transfers (ERC-7528). */
const NATIVE_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** Transfer(address,address,uint256) */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export function simulationParam(
  calls: readonly CallRequest[],
  overrides: StateOverrides,
  { coinbase, baseFeePerGas, number, timestamp, gasLimit }: BlockOverrides,
): object {
  const blockOverrides = {
    ...(coinbase !== undefined && { feeRecipient: coinbase }),
    ...(baseFeePerGas !== undefined && { baseFeePerGas: quantity(baseFeePerGas) }),
    ...(number !== undefined && { number: quantity(number) }),
    ...(timestamp !== undefined && { time: quantity(timestamp) }),
    ...(gasLimit !== undefined && { gasLimit: quantity(gasLimit) }),
  }
  const block = { blockOverrides, stateOverrides: overridesParam(overrides), calls: calls.map(callParam) }
  return { blockStateCalls: [block], traceTransfers: true, validation: false }
}

type RawLog = { readonly address: string; readonly topics: readonly string[]; readonly data: Hex }
type RawCall = {
  readonly status: Hex
  readonly returnData: Hex
  readonly gasUsed: Hex
  readonly maxUsedGas?: Hex
  readonly logs?: readonly RawLog[]
  readonly error?: { readonly data?: unknown }
}

/** @throws RpcError `BAD_ANSWER` */
export function readSimulation(raw: unknown): readonly SimulatedTransaction[] {
  return readable(() => {
    const [block] = raw as readonly { readonly calls: readonly RawCall[] }[]
    if (!block) throw new RpcError('BAD_ANSWER', 'the node answered with no block')
    return block.calls.map((call) => ({
      success: BigInt(call.status) === 1n,
      returnData: revertDataOf(call),
      gasUsed: BigInt(call.gasUsed),
      maxUsedGas: call.maxUsedGas === undefined ? undefined : BigInt(call.maxUsedGas),
      transfers: (call.logs ?? []).flatMap(nativeTransfer),
    }))
  })
}

/** Some nodes give it with the error alone. */
function revertDataOf({ returnData, error }: RawCall): Hex {
  if (returnData !== '0x' || typeof error?.data !== 'string') return returnData
  return /^0x[0-9a-fA-F]*$/.test(error.data) ? (error.data as Hex) : returnData
}

function nativeTransfer({ address, topics, data }: RawLog): readonly NativeTransfer[] {
  const [topic, from, to] = topics
  if (address.toLowerCase() !== NATIVE_LOGS || topic !== TRANSFER || !from || !to) return []
  const account = (word: string) => toAddress(`0x${word.slice(-40)}`)
  return [{ from: account(from), to: account(to), amount: BigInt(data) }]
}
