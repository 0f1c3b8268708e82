/**
 * Runs a transaction by eth_simulateV1, with no probe (a contract that measures balances) at the sender. Tokens, hooks,
 * and routers that inspect the code of the sender may behave differently if there is a probe. A setup gives the sender
 * the input, for example by storage overrides, a loan, or an approval.
 */
import { BalanceProbe__factory, IERC20__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type CallRequest, type RequestOptions, type Rpc, RpcError, type SimulatedTransaction } from '@sluice/rpc'
import { type CallEnvironment, codeOverrides, mergeOverrides } from './attempt.ts'
import { intrinsicGas } from './gas.ts'
import type { Balances } from './probe.ts'
import type { SetUp } from './setup.ts'
import { storageOverrides } from './slots/reader.ts'
import type { SimulationRequest } from './types.ts'

const balanceProbe = callCodec<
  [sender: Address, tokenIn: Address, tokenOut: Address, spender: Address, recipient: Address],
  [balances: Balances]
>(BalanceProbe__factory.createInterface(), 'read')
const erc20 = IERC20__factory.createInterface()
/** Address of the contract that reads balances. */
const BALANCE_PROBE = toAddress('0x5177ce0000000000000000000000000000000006')
/** Gas limit of reading balances: three readings of up to a million each. */
const READ_GAS = 4_000_000n
/** Gas limit of each setup transaction. */
const SET_UP_GAS = 1_000_000n

/** Result of a bare run. */
export type BareReport = {
  readonly success: boolean
  readonly returnData: Hex
  readonly gasLimit: bigint
  /** Gas of the whole transaction after refunds. */
  readonly chargedGas: number
  /** Gas of the target before refunds, if the node reports it. */
  readonly gasUsed: number | undefined
  readonly balancesBefore: Balances
  readonly amountOut: bigint
}

type BareRun = {
  readonly rpc: Rpc
  readonly request: SimulationRequest
  readonly environment: CallEnvironment
  readonly setUp: SetUp
  readonly options: RequestOptions
}

/**
 * Runs setup transactions, balance readings, and the transaction in one simulated block.
 *
 * @throws RpcError `REJECTED` if no endpoint has the method
 */
export async function runBare({ rpc, request, environment, setUp, options }: BareRun): Promise<BareReport> {
  const { from, to, data, tokenIn, tokenOut, recipient = from, coinbase } = request
  const { block, gasPriceWei, targetGas, blockOverrides, header } = environment
  const value = setUp.ways.balance === 'native' ? setUp.balance : 0n
  const gas = targetGas + intrinsicGas(data)
  const balanceRead = balanceReadCall(request)
  const transaction: CallRequest = { from, to, data, value, gas, ...(gasPriceWei > 0n && { gasPrice: gasPriceWei }) }
  const setUpTransactions = setUpCalls(request, setUp)
  const overrides = mergeOverrides(codeOverrides(request.codes), storageOverrides(setUp.writes), {
    [BALANCE_PROBE]: { code: bytecode.BalanceProbe.runtime },
    // The node requires the sender to afford the whole gas limit.
    [from]: { balance: value + gas * gasPriceWei },
  })
  const coinbaseOverride = coinbase && coinbase !== header.miner ? { coinbase } : {}
  const results = await rpc.simulateV1([...setUpTransactions, balanceRead, transaction, balanceRead], block, {
    ...{ ...options, overrides, blockOverrides: { ...blockOverrides, ...coinbaseOverride } },
  })
  const [readBefore, swapResult, readAfter] = results.slice(setUpTransactions.length)
  const balancesBefore = balancesOf(readBefore)
  const balancesAfter = balancesOf(readAfter)
  if (!swapResult || !balancesBefore || !balancesAfter)
    throw new RpcError('REJECTED', 'eth_simulateV1: balances cannot be read')
  const { success, returnData, gasUsed, maxUsedGas } = swapResult
  const gain =
    tokenOut === NATIVE
      ? nativeGain(swapResult, recipient)
      : balancesAfter.tokenOut.amount - balancesBefore.tokenOut.amount
  return {
    success,
    returnData,
    gasLimit: gas,
    chargedGas: Number(gasUsed),
    gasUsed: maxUsedGas === undefined ? undefined : Number(maxUsedGas - intrinsicGas(data)),
    balancesBefore: tokenIn === NATIVE ? { ...balancesBefore, tokenIn: { ok: true, amount: value } } : balancesBefore,
    amountOut: success && gain > 0n ? gain : 0n,
  }
}

function balanceReadCall(request: SimulationRequest): CallRequest {
  const { from, to, tokenIn, tokenOut, spender = to, recipient = from } = request
  const erc20Of = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)
  const data = balanceProbe.encode(from, erc20Of(tokenIn), erc20Of(tokenOut), spender, recipient)
  return { from: BALANCE_PROBE, to: BALANCE_PROBE, data, gas: READ_GAS }
}

/**
 * Returns the transactions for loan and approval. A reset to zero precedes the approval, because some tokens require it
 * to change an allowance.
 */
function setUpCalls(
  { from, to, tokenIn, spender = to }: SimulationRequest,
  { loan, approvalAmount }: SetUp,
): readonly CallRequest[] {
  const call = (sender: Address, data: string): CallRequest => {
    return { from: sender, to: tokenIn, data: data as Hex, gas: SET_UP_GAS }
  }
  const approvalCall = (units: bigint) => call(from, erc20.encodeFunctionData('approve', [spender, units]))
  return [
    ...(loan ? [call(loan.holder, erc20.encodeFunctionData('transfer', [from, loan.amount]))] : []),
    ...(approvalAmount > 0n ? [approvalCall(0n), approvalCall(approvalAmount)] : []),
  ]
}

/** Decodes balances; undefined if they were not read, for example by a node that ignores code overrides. */
function balancesOf(balanceRead: SimulatedTransaction | undefined): Balances | undefined {
  if (!balanceRead?.success) return undefined
  try {
    return balanceProbe.decode(balanceRead.returnData)[0]
  } catch {
    return undefined
  }
}

/** Sums an account's native transfers. Its balance would also contain the cost of gas. */
function nativeGain({ transfers }: SimulatedTransaction, account: Address): bigint {
  return transfers.reduce((sum, { from, to, amount }) => {
    const receivedAmount = to === account ? sum + amount : sum
    return from === account ? receivedAmount - amount : receivedAmount
  }, 0n)
}
