/** Replays recorded blocks on recorded state, and checks that each transaction has the same outcome as on its chain. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'
import { DevnetError } from '../errors.ts'
import { request } from '../node.ts'
import { type MainnetAccount, type MainnetState, NO_CODE } from './state.ts'

/** A recorded block of Ethereum or a rollup. */
export type RecordedBlock = {
  readonly number: number
  readonly timestamp: number
  readonly miner: Address
  readonly baseFeePerGas: Hex
  /** Receipts root of the block's header. It commits to the status, gas, and logs of each transaction. */
  readonly receiptsRoot: Hex
  readonly transactions: readonly RecordedTransaction[]
}

export type RecordedTransaction = {
  /** The signed transaction. */
  readonly raw: Hex
  readonly status: 0 | 1
  readonly gasUsed: number
}

/** Content of `mainnet/ethereum-blocks.json.br`. */
type BlockRecording = {
  /**
   * State before the first block of the accounts that differ from `readState('ethereum')`. A slot with value 0 clears
   * the slot of that state.
   */
  readonly accounts: Readonly<Record<Address, Omit<MainnetAccount, 'codeHash'> & { readonly codeHash?: Hex }>>
  readonly code: Readonly<Record<Hex, Hex>>
  readonly blocks: readonly RecordedBlock[]
}

/** Number of unused block numbers before the first recorded block, in which tests can deploy contracts. */
const DEPLOYMENT_BLOCKS = 100
const SECONDS_PER_BLOCK = 12
const RECEIPT_TIMEOUT_MS = 10_000

function readRecording(): BlockRecording {
  const file = join(import.meta.dirname, '../../mainnet/ethereum-blocks.json.br')
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as BlockRecording
}

/** Returns the recorded blocks of Ethereum, which are consecutive. */
export const readBlocks = (): readonly RecordedBlock[] => readRecording().blocks

/**
 * Returns the state before the recorded blocks of Ethereum. Its block number and timestamp are `DEPLOYMENT_BLOCKS`
 * blocks earlier than those of the real state.
 */
export function stateBeforeBlocks(state: MainnetState): MainnetState {
  const { accounts, code, blocks } = readRecording()
  const mergedAccounts: Record<Address, MainnetAccount> = { ...state.accounts }
  for (const [address, { storage, codeHash = NO_CODE, ...account }] of Object.entries(accounts)) {
    const previous = state.accounts[address as Address]
    mergedAccounts[address as Address] = {
      ...previous,
      ...account,
      codeHash,
      storage: { ...previous?.storage, ...storage },
    }
  }
  const { number, timestamp } = blocks[0]!
  return {
    ...state,
    accounts: mergedAccounts,
    code: { ...state.code, ...code, [NO_CODE]: '0x' },
    number: number - 1 - DEPLOYMENT_BLOCKS,
    timestamp: timestamp - (1 + DEPLOYMENT_BLOCKS) * SECONDS_PER_BLOCK,
  }
}

/**
 * Mines empty blocks up to the parent of a recorded block.
 *
 * @throws DevnetError REPLAY if the node is already at the block or past it
 */
export async function mineUpTo(url: string, { number, timestamp }: RecordedBlock): Promise<void> {
  const head = Number(await request<Hex>(url, 'eth_blockNumber', []))
  if (head >= number)
    throw new DevnetError('REPLAY', `the node is at block ${head}: ${number} cannot be mined any more`)
  for (let next = head + 1; next < number; next++) {
    // Sets only the parent's timestamp: the node's clock also advances by itself, and no timestamp may be earlier than
    // the previous block's.
    if (next === number - 1) await request(url, 'evm_setNextBlockTimestamp', [timestamp - SECONDS_PER_BLOCK])
    await request(url, 'evm_mine', [])
  }
}

/**
 * Mines a recorded block from its original transactions.
 *
 * @throws DevnetError REPLAY if a transaction's status, gas, or logs differ from the recorded ones
 */
export async function replayBlock(url: string, block: RecordedBlock): Promise<void> {
  await mineUpTo(url, block)
  await request(url, 'anvil_setCoinbase', [block.miner])
  await request(url, 'evm_setNextBlockTimestamp', [block.timestamp])
  await request(url, 'anvil_setNextBlockBaseFeePerGas', [block.baseFeePerGas])
  await request(url, 'evm_setAutomine', [false])
  const hashes: Hex[] = []
  try {
    for (const { raw } of block.transactions) hashes.push(await request<Hex>(url, 'eth_sendRawTransaction', [raw]))
    await request(url, 'evm_mine', [])
  } finally {
    await request(url, 'evm_setAutomine', [true])
  }
  await compareReceipts(url, block, hashes)
}

async function compareReceipts(url: string, block: RecordedBlock, hashes: readonly Hex[]): Promise<void> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  for (const [index, hash] of hashes.entries()) {
    const { status, gasUsed } = block.transactions[index]!
    let receipt: { status: Hex; gasUsed: Hex; blockNumber: Hex } | null = null
    while (!receipt && Date.now() < deadline) receipt = await request(url, 'eth_getTransactionReceipt', [hash])
    const outcome = receipt && `status ${Number(receipt.status)}, gas ${Number(receipt.gasUsed)}`
    if (outcome !== `status ${status}, gas ${gasUsed}` || Number(receipt!.blockNumber) !== block.number)
      throw new DevnetError(
        'REPLAY',
        `transaction ${index} of block ${block.number}: ${outcome ?? 'not mined'} and not status ${status}, gas ${gasUsed}`,
      )
  }
  if (hashes.length < block.transactions.length) return
  const { receiptsRoot } = await request<{ receiptsRoot: Hex }>(url, 'eth_getBlockByNumber', ['latest', false])
  if (receiptsRoot !== block.receiptsRoot)
    throw new DevnetError('REPLAY', `block ${block.number}: receipts of ${receiptsRoot} and not ${block.receiptsRoot}`)
}
