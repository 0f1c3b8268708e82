/** The local chain as the tests need it: senders made on the spot, transactions really sent, their gross gas. */
import { createRequire } from 'node:module'
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import {
  type Anvil,
  accounts as accountsOfNode,
  type DevnetInfo,
  prepareDevnet,
  request,
  startAnvil,
} from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { Interface } from 'ethers'
import { createSimulationContext, type SimulationContext, type SimulationOptions } from '../src/context.ts'

const erc20 = IERC20__factory.createInterface()
const require = createRequire(import.meta.url)

/** The ABI that a package publishes. */
export const abiOf = (file: string): Interface => new Interface((require(file) as { abi: [] }).abi)

export type Transaction = { readonly from: Address; readonly to: Address; readonly data: Hex; readonly value?: bigint }
export type SentRequest = {
  readonly success: boolean
  readonly grossGas: bigint
  /** Gas that was charged, after refunds. */
  readonly chargedGas: bigint
  /** Wei. */
  readonly fee: bigint
}

export type TestChain = {
  readonly anvil: Anvil
  readonly info: DevnetInfo
  readonly rpc: Rpc
  readonly rich: Address
  newAccount(): Promise<Address>
  send(transaction: Transaction): Promise<SentRequest>
  deploy(creation: Hex): Promise<Address>
  balanceOf(token: Address, owner: Address): Promise<bigint>
  /** That balance (a rebasing token may round it by 2) and exactly that allowance, by real transactions. */
  fund(owner: Address, token: Address, amount: bigint, spender: Address): Promise<void>
}

/** Creates the shared state of simulations, with a deadline that a machine several times slower meets too. */
export const patientContext = (options: SimulationOptions = {}): SimulationContext =>
  createSimulationContext({ timeoutMs: 60_000, ...options })

let accounts = 0

export async function startTestChain(): Promise<TestChain> {
  const { info, stateFile } = await prepareDevnet()
  // With traces, which report gross gas.
  const anvil = await startAnvil({ args: ['--load-state', stateFile, '--steps-tracing'] })
  const rpc = createRpc({ chainId: 31337, urls: [anvil.url], timeoutMs: 30_000 })
  const head = await rpc.getBlock('latest')
  await rpc.request('anvil_setTime', [head!.timestamp])
  await rpc.request('anvil_setBlockTimestampInterval', [1])
  const rich = info.accounts[0]!.address

  const newAccount = async () => {
    const account = toAddress(`0x5e4de2${(++accounts).toString(16).padStart(34, '0')}`)
    await rpc.request('anvil_impersonateAccount', [account])
    await rpc.request('anvil_setBalance', [account, '0x3635c9adc5dea00000'])
    return account
  }
  const send = async ({ from, to, data, value = 0n }: Transaction): Promise<SentRequest> => {
    // Not with `rpc`, which would send the transaction twice if the node is slow (a hedge).
    const hash = await request<Hex>(anvil.url, 'eth_sendTransaction', [
      { from, to, data, value: `0x${value.toString(16)}`, gas: '0x1c9c380' },
    ])
    const receipt = await receiptOf(anvil.url, hash)
    const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    return {
      success: receipt.status === '0x1',
      chargedGas: BigInt(receipt.gasUsed),
      fee,
      grossGas: await grossGas((method, params) => rpc.request(method, params, { timeoutMs: 30_000 }), hash),
    }
  }
  const balanceOf = async (token: Address, owner: Address) =>
    token === NATIVE
      ? BigInt(await rpc.request<Hex>('eth_getBalance', [owner, 'latest']))
      : BigInt(await rpc.call({ to: token, data: erc20.encodeFunctionData('balanceOf', [owner]) as Hex }, 'latest'))
  const fund = async (owner: Address, token: Address, amount: bigint, spender: Address) => {
    // A token that takes its share is sent again until all has arrived; one that rounds never gets there.
    let missing = amount
    for (let rounds = 0; missing > 0n && rounds < 24; rounds++) {
      await send({ from: rich, to: token, data: erc20.encodeFunctionData('transfer', [owner, missing]) as Hex })
      missing = amount - (await balanceOf(token, owner))
    }
    await send({ from: owner, to: token, data: erc20.encodeFunctionData('approve', [spender, amount]) as Hex })
  }
  return { anvil, info, rpc, rich, newAccount, send, deploy: deployer(anvil.url), balanceOf, fund }
}

/** Deploys as the node's first account. */
export const deployer = (url: string) => async (creation: Hex) => {
  const from = accountsOfNode()[0]!.address
  const hash = await request<Hex>(url, 'eth_sendTransaction', [{ from, data: creation, gas: '0x989680' }])
  return toAddress((await receiptOf(url, hash)).contractAddress!)
}

type Receipt = {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly contractAddress: string | null
}

/** The block is mined a moment after the node has taken the transaction. */
async function receiptOf(url: string, hash: Hex): Promise<Receipt> {
  for (let tries = 0; tries < 200; tries++) {
    const receipt = await request<Receipt | null>(url, 'eth_getTransactionReceipt', [hash])
    if (receipt) return receipt
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`no receipt of ${hash}`)
}

type Step = { readonly gas: number; readonly gasCost: number; readonly depth: number }

type Request = <T>(method: string, params: readonly unknown[]) => Promise<T>

/** Gas of the execution alone and before refunds, out of the trace of a node that keeps steps. */
export async function grossGas(request: Request, hash: string): Promise<bigint> {
  const options = { disableStack: true, disableMemory: true, disableStorage: true }
  const trace = await request<{ structLogs: readonly Step[] }>('debug_traceTransaction', [hash, options])
  const top = trace.structLogs.filter(({ depth }) => depth === trace.structLogs[0]?.depth)
  const first = top[0]
  const last = top.at(-1)
  return first && last ? BigInt(first.gas - last.gas + last.gasCost) : 0n
}
