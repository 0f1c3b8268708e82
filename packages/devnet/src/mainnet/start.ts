/** Starts anvil nodes on recorded state of live chains, for tests and benchmarks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBeHex } from 'ethers'
import { type Anvil, startAnvil } from '../anvil.ts'
import { stateBeforeBlocks } from './blocks.ts'
import { setUpFactories } from './factories.ts'
import { type Recording, recordedState } from './recordings.ts'
import { type MainnetPool, type MainnetState, readState } from './state.ts'

/** A node on real Ethereum state. */
export type Mainnet = Anvil & {
  readonly chainId: number
  /** Returns true if the recorded state contains the account. */
  readonly hasAccount: (account: string) => boolean
}

export type MainnetOptions = {
  readonly port?: number
  /** True to start before the recorded blocks, so that `replayBlock` can mine them. */
  readonly replay?: boolean
}

/**
 * Arguments with which anvil mines transactions in the order in which they were sent, and accepts all transactions of a
 * recorded block: without them its transaction pool refuses some.
 */
const REPLAY_ARGS = ['--order', 'fifo', '--disable-pool-balance-checks']

/**
 * Starts a node on a selection of Ethereum's state: original tokens, pools, and routers at their own addresses. The
 * node also unlocks the ten accounts of the test mnemonic, which hold ether. Accounts and slots that the selection
 * lacks read as zero.
 */
export async function startMainnet({ port, replay = false }: MainnetOptions = {}): Promise<Mainnet> {
  const savedState = readState('ethereum')
  const state = replay ? stateBeforeBlocks(savedState) : savedState
  const anvil = await startWithState(state, port, replay ? REPLAY_ARGS : [])
  await setUpFactories(anvil.url, state.pools).catch(async (error: unknown) => {
    await anvil.stop()
    throw error
  })
  return { ...anvil, chainId: state.chainId, hasAccount: (account) => account.toLowerCase() in state.accounts }
}

/**
 * Starts a node with a few pools of a rollup. Their families are missing from the recorded state of Ethereum. Their
 * factories are not restored.
 */
export async function startRollup(
  name: 'linea' | 'scroll',
): Promise<Anvil & { readonly pools: readonly MainnetPool[] }> {
  const state = readState(name)
  return { ...(await startWithState(state)), pools: state.pools }
}

/** Arguments to replay blocks of a rollup, whose sequencer accepts code of any size and transactions without a tip. */
const ROLLUP_REPLAY_ARGS = [
  ...REPLAY_ARGS,
  '--disable-code-size-limit',
  '--disable-min-priority-fee',
  '--gas-price',
  '0',
]

/**
 * Starts a node on the state before the recorded blocks of a rollup, so that `replayBlock` can mine them. Restores the
 * factories of the recorded pools (see `setUpFactories`).
 */
export async function startRecording(recording: Recording): Promise<Anvil> {
  const state = recordedState(recording)
  const anvil = await startWithState(state, undefined, ROLLUP_REPLAY_ARGS)
  await setUpFactories(anvil.url, state.pools).catch(async (error: unknown) => {
    await anvil.stop()
    throw error
  })
  return anvil
}

async function startWithState(
  state: MainnetState,
  port?: number,
  extraArguments: readonly string[] = [],
): Promise<Anvil> {
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
        ...['--block-base-fee-per-gas', String(BigInt(state.baseFeePerGas)), ...extraArguments],
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
