import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBeHex } from 'ethers'
import { type Anvil, startAnvil } from '../anvil.ts'
import { beforeBlocks } from './blocks.ts'
import { setUpFactories } from './factories.ts'
import { type MainnetPool, type MainnetState, readState } from './state.ts'

export type Mainnet = Anvil & {
  readonly chainId: number
  /** True for an account that the state has. */
  readonly knows: (account: string) => boolean
}

export type MainnetOptions = {
  readonly port?: number
  /** Begins before the recorded blocks, so that `replayBlock` can mine them. */
  readonly replay?: boolean
}

/** Transactions in the order they are sent in, under the rules of Ethereum and not of a node's pool. */
const AS_ON_CHAIN = ['--order', 'fifo', '--disable-pool-balance-checks']

/**
 * A node on a selection of Ethereum's real state: genuine tokens, pools and routers under their own addresses. The ten
 * accounts of the test mnemonic are unlocked and hold ether. What the state does not know reads as zero.
 */
export async function startMainnet({ port, replay = false }: MainnetOptions = {}): Promise<Mainnet> {
  const kept = readState('ethereum')
  const state = replay ? beforeBlocks(kept) : kept
  const anvil = await start(state, port, replay ? AS_ON_CHAIN : [])
  await setUpFactories(anvil.url, state.pools).catch(async (error: unknown) => {
    await anvil.stop()
    throw error
  })
  return { ...anvil, chainId: state.chainId, knows: (account) => account.toLowerCase() in state.accounts }
}

/** A few pools of a rollup with all they need, of families that Ethereum's state has not. Their factories know little. */
export async function startRollup(
  name: 'linea' | 'scroll',
): Promise<Anvil & { readonly pools: readonly MainnetPool[] }> {
  const state = readState(name)
  return { ...(await start(state)), pools: state.pools }
}

async function start(state: MainnetState, port?: number, more: readonly string[] = []): Promise<Anvil> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mainnet-'))
  const file = join(folder, 'genesis.json')
  writeFileSync(file, JSON.stringify(genesis(state)))
  try {
    return await startAnvil({
      chainId: state.chainId,
      ...(port !== undefined && { port }),
      args: [
        ...['--init', file, '--hardfork', state.hardfork, '--number', String(state.number)],
        ...['--timestamp', String(state.timestamp), '--gas-limit', String(BigInt(state.gasLimit))],
        ...['--block-base-fee-per-gas', String(BigInt(state.baseFeePerGas)), ...more],
      ],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function genesis({ chainId, accounts, code, number, timestamp, baseFeePerGas, gasLimit }: MainnetState) {
  const alloc = Object.fromEntries(
    Object.entries(accounts).map(([address, { balance, nonce, codeHash, storage = {} }]) => [
      address,
      {
        balance,
        nonce,
        code: code[codeHash],
        storage: Object.fromEntries(
          Object.entries(storage).map(([slot, value]) => [toBeHex(slot, 32), toBeHex(value, 32)]),
        ),
      },
    ]),
  )
  const head = { number: toBeHex(number), timestamp: toBeHex(timestamp), baseFeePerGas, gasLimit, difficulty: '0x0' }
  return { config: { chainId }, alloc, ...head }
}
