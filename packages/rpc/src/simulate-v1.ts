/** Encodes and decodes eth_simulateV1. @see https://github.com/ethereum/execution-apis */
import { type Hex, toAddress } from '@sluice/chains'
import { callParam, overridesParam, quantity } from './encode.ts'
import { RpcError } from './errors.ts'
import { orBadAnswer } from './results.ts'
import type { BlockOverrides, CallRequest, NativeTransfer, SimulatedTransaction, StateOverrides } from './types.ts'

/** Pseudo address that nodes use in logs of native transfers (ERC-7528). */
const NATIVE_LOG_ADDRESS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** Topic of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Encodes the first parameter of eth_simulateV1: one block with all calls, and native transfers as logs. */
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
type RawCallResult = {
  readonly status: Hex
  readonly returnData: Hex
  readonly gasUsed: Hex
  readonly maxUsedGas?: Hex
  readonly logs?: readonly RawLog[]
  readonly error?: { readonly data?: unknown }
}

/** Decodes the result of eth_simulateV1. @throws RpcError `BAD_ANSWER` if the result is malformed */
export function readSimulation(raw: unknown): readonly SimulatedTransaction[] {
  return orBadAnswer(() => {
    const [block] = raw as readonly { readonly calls: readonly RawCallResult[] }[]
    if (!block) throw new RpcError('BAD_ANSWER', 'the node answered with no block')
    return block.calls.map((call) => ({
      success: BigInt(call.status) === 1n,
      returnData: returnDataOf(call),
      gasUsed: BigInt(call.gasUsed),
      maxUsedGas: call.maxUsedGas === undefined ? undefined : BigInt(call.maxUsedGas),
      transfers: (call.logs ?? []).flatMap(nativeTransfer),
    }))
  })
}

/** Returns the return data. Some nodes put revert data only into the error. */
function returnDataOf({ returnData, error }: RawCallResult): Hex {
  if (returnData !== '0x' || typeof error?.data !== 'string') return returnData
  return /^0x[0-9a-fA-F]*$/.test(error.data) ? (error.data as Hex) : returnData
}

function nativeTransfer({ address, topics, data }: RawLog): readonly NativeTransfer[] {
  const [topic, from, to] = topics
  if (address.toLowerCase() !== NATIVE_LOG_ADDRESS || topic !== TRANSFER || !from || !to) return []
  const account = (word: string) => toAddress(`0x${word.slice(-40)}`)
  return [{ from: account(from), to: account(to), amount: BigInt(data) }]
}
