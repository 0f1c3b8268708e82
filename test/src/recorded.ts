/** Recorded swaps that users sent through routers on Ethereum, each with the state directly before it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { loadRegistry, NATIVE, toAddress } from '@sluice/chains'
import { type Anvil, findCreate2Pools, setUpFactories, startAnvil } from '@sluice/devnet'
import { grossGas } from '@sluice/simulation/testing'
import { AbiCoder, getBytes, keccak256, Transaction, toBeHex, toUtf8Bytes } from 'ethers'
import type { Node } from './wallet.ts'

type Account = {
  readonly balance: string
  readonly nonce?: number
  /** Index of the runtime code in `RecordingFile.code`; absent for an account without code. */
  readonly code?: number
  readonly storage?: Readonly<Record<string, string>>
}

export type RecordedSwap = {
  /** Name of the router. */
  readonly router: string
  readonly hash: string
  /** The signed transaction. */
  readonly raw: string
  readonly hardfork: string
  readonly block: {
    readonly number: number
    readonly timestamp: number
    readonly miner: string
    readonly gasLimit: string
    readonly baseFeePerGas: string
  }
  readonly tokenIn: string
  /** Input in the calldata, in base units. */
  readonly amountIn: string
  readonly tokenOut: string
  /** Contract that the sender allowed to transfer `tokenIn`. */
  readonly spender: string
  readonly gasUsed: number
  /** keccak256 of a JSON list with [address, topics, data] of each log that the transaction emitted on Ethereum. */
  readonly logsHash: string
  readonly accounts: Readonly<Record<string, Account>>
}

type RecordingFile = { readonly transactions: readonly RecordedSwap[]; readonly code: readonly string[] }

const FILE = join(import.meta.dirname, '../fixtures/router-transactions.json.br')
const readRecordingFile = (): RecordingFile =>
  JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as RecordingFile

export const readRecordedSwaps = (): readonly RecordedSwap[] => readRecordingFile().transactions

/** Seconds between Ethereum blocks. */
const BLOCK_SECONDS = 12

/**
 * Starts a node whose head is the parent of the transaction's block, with the state directly before the transaction.
 */
export async function startBefore({ block, hardfork, accounts }: RecordedSwap): Promise<Anvil> {
  const { code } = readRecordingFile()
  const alloc = Object.fromEntries(
    Object.entries(accounts).map(([address, { balance, nonce = 0, code: index, storage = {} }]) => {
      const words = Object.entries(storage).map(([slot, value]) => [toBeHex(slot, 32), toBeHex(value, 32)])
      const account = { balance, nonce: toBeHex(nonce), ...(index !== undefined && { code: code[index] }) }
      return [address, { ...account, storage: Object.fromEntries(words) }]
    }),
  )
  const [number, timestamp] = [block.number - 1, block.timestamp - BLOCK_SECONDS]
  const head = { number: toBeHex(number), timestamp: toBeHex(timestamp), gasLimit: block.gasLimit, difficulty: '0x0' }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-recorded-'))
  const file = join(folder, 'genesis.json')
  writeFileSync(file, JSON.stringify({ config: { chainId: 1 }, alloc, ...head, baseFeePerGas: block.baseFeePerGas }))
  try {
    const args = ['--init', file, '--hardfork', hardfork, '--number', String(number), '--timestamp', String(timestamp)]
    const anvilOptions = [
      '--gas-limit',
      String(BigInt(block.gasLimit)),
      '--disable-pool-balance-checks',
      '--steps-tracing',
    ]
    return await startAnvil({ chainId: 1, args: [...args, ...anvilOptions, '--no-mining'] })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Makes factories return the pools of the recorded state. The state lacks the storage of factories, because no swap
 * reads it. The CREATE2 address of a pool shows which factory of the chain's file created it.
 *
 * @returns the number of pools
 */
export async function setUpRecordedFactories(url: string, { accounts }: RecordedSwap): Promise<number> {
  const contracts = Object.entries(accounts).flatMap(([address, { code }]) =>
    code === undefined ? [] : [toAddress(address)],
  )
  const pools = await findCreate2Pools(url, contracts, loadRegistry().chain(1)!.dexes)
  await setUpFactories(url, pools)
  return pools.length
}

/** Mines a block with the timestamp, base fee, and author of the block in which the swap was recorded. */
export async function mineAs(node: Node, { block }: RecordedSwap): Promise<void> {
  await node.request('anvil_setCoinbase', [block.miner])
  await node.request('evm_setNextBlockTimestamp', [block.timestamp])
  await node.request('anvil_setNextBlockBaseFeePerGas', [block.baseFeePerGas])
  await node.request('evm_mine')
}

export type ReplayedSwap = {
  /** Increase of the sender's balance of `tokenOut`, without the fee of the transaction. */
  readonly received: bigint
  /** Gas that the transaction executed, before refunds. */
  readonly grossGas: number
  /** True if status, gas, and every log equal those on Ethereum. */
  readonly matchesChain: boolean
}

/** Mines the signed transaction in a block like the recorded block, and then reverts the chain to its previous state. */
export async function sendRecorded(node: Node, recorded: RecordedSwap): Promise<ReplayedSwap> {
  const snapshotId = await node.request<string>('evm_snapshot')
  const from = senderOf(recorded)
  const balanceBefore = await node.balance(recorded.tokenOut, from)
  const hash = await node.request<string>('eth_sendRawTransaction', [recorded.raw])
  await mineAs(node, recorded)
  const { status, gasUsed, effectiveGasPrice, logs } = await node.receipt(hash)
  const fee = recorded.tokenOut === NATIVE ? BigInt(gasUsed) * BigInt(effectiveGasPrice) : 0n
  const received = (await node.balance(recorded.tokenOut, from)) - balanceBefore + fee
  const executedGas = await grossGas((method, params) => node.request(method, params), hash)
  await node.undo(snapshotId)
  const logsHash = keccak256(
    toUtf8Bytes(JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data]))),
  )
  const matchesChain = status === '0x1' && Number(gasUsed) === recorded.gasUsed && logsHash === recorded.logsHash
  return { received, grossGas: Number(executedGas), matchesChain }
}

/**
 * Like `sendRecorded`, but first sets the sender's balance and the spender's allowance to exactly `amountIn`, like
 * `/simulate`. The real values change the gas: for example, many tokens do not update an unlimited allowance.
 *
 * @returns undefined if the token's balances or allowances cannot be set
 */
export async function sendWithExactInput(node: Node, recorded: RecordedSwap): Promise<ReplayedSwap | undefined> {
  const { tokenIn, spender, amountIn } = recorded
  const snapshotId = await node.request<string>('evm_snapshot')
  const amount = toBeHex(BigInt(amountIn))
  try {
    await node.request('anvil_dealERC20', [senderOf(recorded), tokenIn, amount])
    await node.request('anvil_setERC20Allowance', [senderOf(recorded), spender, tokenIn, amount])
    return await sendRecorded(node, recorded)
  } catch {
    return undefined
  } finally {
    await node.undo(snapshotId)
  }
}

export type SimulatedAnswer = {
  readonly success: boolean
  readonly amountOut: string
  readonly gasUsed: number
  readonly revertReason?: string
}

/** Simulates the transaction with `/simulate` on the parent block. The service simulates it as in the next block. */
export async function simulateRecorded(api: string, recorded: RecordedSwap): Promise<SimulatedAnswer> {
  const { to, data, gasLimit, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(recorded.raw)
  const { tokenIn, amountIn, tokenOut, spender, block } = recorded
  const baseFeeWithTip = BigInt(block.baseFeePerGas) + (maxPriorityFeePerGas ?? 0n)
  const effectiveGasPrice = gasPrice ?? (maxFeePerGas! < baseFeeWithTip ? maxFeePerGas! : baseFeeWithTip)
  const call = { from: senderOf(recorded), to, data, gas: String(gasLimit), gasPrice: String(effectiveGasPrice) }
  const request = { ...call, tokenIn, amountIn, tokenOut, spender, block: String(block.number - 1) }
  const answer = await fetch(`${api}/simulate/1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const body = (await answer.json()) as SimulatedAnswer
  if (!answer.ok) throw new Error(`${recorded.hash}: ${answer.status} ${JSON.stringify(body)}`)
  return body
}

const senderOf = ({ raw }: RecordedSwap) => Transaction.from(raw).from!.toLowerCase()

/**
 * Gas of receiving the native token in a simulation. `/simulate` puts code at the sender, which in reality has no code.
 */
const RECEIVING_GAS = 15
/**
 * Gas of the check of a Permit2 signature by the code that `/simulate` puts at the sender. For an account without code,
 * Permit2 itself recovers the signer.
 */
const SIGNATURE_GAS = 4_093
/** Command of UniversalRouter that submits a permit to Permit2. */
const PERMIT2_PERMIT = 0x0a

/**
 * Returns the gas that a simulation uses more than `sendWithExactInput`: the gas of the code that `/simulate` puts at
 * the sender.
 */
export function gasOfSenderCode({ router, raw, tokenOut }: RecordedSwap): number {
  const { data } = Transaction.from(raw)
  const commands = router.startsWith('UniversalRouter')
    ? AbiCoder.defaultAbiCoder().decode(['bytes'], `0x${data.slice(10)}`)
    : ['0x']
  const hasPermit = getBytes(commands[0] as string).includes(PERMIT2_PERMIT)
  return (tokenOut === NATIVE ? RECEIVING_GAS : 0) + (hasPermit ? SIGNATURE_GAS : 0)
}
