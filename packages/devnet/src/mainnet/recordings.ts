/** Reads recorded blocks of rollups. A recording has consecutive blocks, and the state before the first of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'
import type { RecordedBlock } from './blocks.ts'
import { type MainnetAccount, type MainnetPool, type MainnetState, NO_CODE } from './state.ts'

type RollupBlock = RecordedBlock & { readonly gasLimit: Hex }

/** Content of `mainnet/<chain>-blocks.json.br`. */
type RecordingsFile = {
  readonly chainId: number
  /** Pools that swapped in the blocks and whose factory is in the chain's file of the registry. */
  readonly pools: readonly MainnetPool[]
  readonly code: Readonly<Record<Hex, Hex>>
  readonly recordings: readonly {
    /** Public repository that the blocks come from. */
    readonly source: { readonly repo: string; readonly commit: string; readonly path: string }
    readonly hardfork: string
    /** Accounts that the blocks touch, in their state before the first block. */
    readonly accounts: Readonly<Record<Address, Omit<MainnetAccount, 'codeHash'> & { readonly codeHash?: Hex }>>
    readonly blocks: readonly RollupBlock[]
  }[]
}

/** A recording, with the fields that all recordings of its chain share. */
export type Recording = RecordingsFile['recordings'][number] & Pick<RecordingsFile, 'chainId' | 'pools' | 'code'>

/** Chains other than Ethereum with recorded blocks. */
export type RecordedRollup = 'linea' | 'scroll'

/** Reads the recorded blocks of a rollup, oldest first. */
export function readRecordings(name: RecordedRollup): readonly Recording[] {
  const file = join(import.meta.dirname, `../../mainnet/${name}-blocks.json.br`)
  const { recordings, ...commonFields } = JSON.parse(
    brotliDecompressSync(readFileSync(file)).toString(),
  ) as RecordingsFile
  return recordings.map((recording) => ({ ...recording, ...commonFields }))
}

/** Returns the state before the recording's first block. Includes only the pools that have code in this state. */
export function recordedState({ chainId, hardfork, pools, code, accounts, blocks }: Recording): MainnetState {
  const { number, timestamp, baseFeePerGas, gasLimit } = blocks[0]!
  return {
    ...{ chainId, hardfork, baseFeePerGas, gasLimit },
    number: number - 1,
    timestamp: timestamp - 1,
    pools: pools.filter(({ address }) => accounts[address]?.codeHash),
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([address, account]) => [address, { codeHash: NO_CODE, ...account }]),
    ),
    code: { ...code, [NO_CODE]: '0x' },
  }
}
