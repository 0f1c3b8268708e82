/**
 * The transaction as its sender sends it: nothing stands at the sender, which keeps its own code or none. Tokens, hooks and routers
 * that ask for the code of those they deal with may treat a proxy at the sender otherwise.
 */
import { BalanceProbe__factory, IERC20__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type CallRequest, type RequestOptions, type Rpc, RpcError, type SimulatedTransaction } from '@sluice/rpc'
import { type CallEnvironment, codeOverrides, merge } from './attempt.ts'
import { intrinsicGas } from './gas.ts'
import type { Balances } from './probe.ts'
import type { SetUp } from './setup.ts'
import { storageOverrides } from './slots/reader.ts'
import type { SimulationRequest } from './types.ts'

const probeAbi = BalanceProbe__factory.createInterface()
const erc20 = IERC20__factory.createInterface()
/** Address of the code that reads balances. */
const PROBE = toAddress('0x5177ce0000000000000000000000000000000006')
/** Three readings of up to a million each. */
const READ_GAS = 4_000_000n
const SET_UP_GAS = 1_000_000n

export type BareReport = {
  readonly success: boolean
  readonly returnData: Hex
  readonly gasLimit: bigint
  /** Gas of the whole transaction after refunds. */
  readonly chargedGas: number
  /** Gas of the target alone before refunds, where the node tells it. */
  readonly gasUsed: number | undefined
  readonly before: Balances
  readonly amountOut: bigint
}

type Bare = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly environment: CallEnvironment
  readonly setUp: SetUp
  readonly options: RequestOptions
}

/**
 * Runs it by eth_simulateV1: what sets the input up are transactions of their own before it.
 *
 * @throws RpcError `REJECTED` where no node of the chain has the method
 */
export async function runBare({ rpc, request, environment, setUp, options }: Bare): Promise<BareReport> {
  const { from, to, data, tokenIn, tokenOut, recipient = from, coinbase } = request
  const { block, gasPriceWei, targetGas, runsIn, header } = environment
  const value = setUp.ways.balance === 'native' ? setUp.balance : 0n
  const gas = targetGas + intrinsicGas(data)
  const read = readBalances(request)
  const transaction: CallRequest = { from, to, data, value, gas, ...(gasPriceWei > 0n && { gasPrice: gasPriceWei }) }
  const prepared = preparation(request, setUp)
  const overrides = merge(codeOverrides(request.codes), storageOverrides(setUp.writes), {
    [PROBE]: { code: bytecode.BalanceProbe.runtime },
    // The node takes the price of all the gas from the sender before it starts.
    [from]: { balance: value + gas * gasPriceWei },
  })
  const author = coinbase && coinbase !== header.miner ? { coinbase } : {}
  const results = await rpc.simulateV1([...prepared, read, transaction, read], block, {
    ...{ ...options, overrides, blockOverrides: { ...runsIn, ...author } },
  })
  const [readBefore, main, readAfter] = results.slice(prepared.length)
  const before = balancesOf(readBefore)
  const after = balancesOf(readAfter)
  if (!main || !before || !after) throw new RpcError('REJECTED', 'eth_simulateV1: balances cannot be read')
  const { success, returnData, gasUsed, maxUsedGas } = main
  const grown = tokenOut === NATIVE ? nativeGrowth(main, recipient) : after.tokenOut.amount - before.tokenOut.amount
  return {
    success,
    returnData,
    gasLimit: gas,
    chargedGas: Number(gasUsed),
    gasUsed: maxUsedGas === undefined ? undefined : Number(maxUsedGas - intrinsicGas(data)),
    before: tokenIn === NATIVE ? { ...before, tokenIn: { ok: true, amount: value } } : before,
    amountOut: success && grown > 0n ? grown : 0n,
  }
}

function readBalances(request: SimulationRequest): CallRequest {
  const { from, to, tokenIn, tokenOut, spender = to, recipient = from } = request
  const erc20Of = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)
  const input = [from, erc20Of(tokenIn), erc20Of(tokenOut), spender, recipient]
  return { from: PROBE, to: PROBE, data: probeAbi.encodeFunctionData('read', input as never) as Hex, gas: READ_GAS }
}

/** Loan and approval, as far as the set-up has them. A token may insist on a reset before it changes an allowance. */
function preparation(
  { from, to, tokenIn, spender = to }: SimulationRequest,
  { lend, approve }: SetUp,
): readonly CallRequest[] {
  const call = (sender: Address, data: string): CallRequest => {
    return { from: sender, to: tokenIn, data: data as Hex, gas: SET_UP_GAS }
  }
  const approving = (units: bigint) => call(from, erc20.encodeFunctionData('approve', [spender, units]))
  return [
    ...(lend ? [call(lend.holder, erc20.encodeFunctionData('transfer', [from, lend.amount]))] : []),
    ...(approve > 0n ? [approving(0n), approving(approve)] : []),
  ]
}

function balancesOf(read: SimulatedTransaction | undefined): Balances | undefined {
  if (!read?.success) return undefined
  const [balances] = probeAbi.decodeFunctionResult('read', read.returnData)
  return balances as unknown as Balances
}

/** By transfers, since the price of the gas leaves the same account. */
function nativeGrowth({ transfers }: SimulatedTransaction, account: Address): bigint {
  return transfers.reduce((sum, { from, to, amount }) => {
    const received = to === account ? sum + amount : sum
    return from === account ? received - amount : received
  }, 0n)
}
