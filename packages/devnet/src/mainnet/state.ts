/** Reads the recorded state in `mainnet/`: selected accounts of live chains at one block. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'

/** Code hash of accounts without code. */
export const NO_CODE: Hex = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** Recorded accounts of a chain as of the end of block `number`. Addresses are in lower case. */
export type MainnetState = {
  readonly chainId: number
  readonly hardfork: string
  readonly number: number
  readonly timestamp: number
  readonly baseFeePerGas: Hex
  readonly gasLimit: Hex
  readonly pools: readonly MainnetPool[]
  readonly accounts: Readonly<Record<Address, MainnetAccount>>
  /** Runtime bytecode by hash. */
  readonly code: Readonly<Record<Hex, Hex>>
}

export type MainnetAccount = {
  readonly balance: Hex
  readonly nonce: Hex
  readonly codeHash: Hex
  /** Number of the block at which the account was recorded. */
  readonly since?: number
  /** Recorded slots with a value other than zero. */
  readonly storage?: Readonly<Record<Hex, Hex>>
}

/**
 * A recorded pool. `setUpFactories` makes its factory return it. `fee` (in ppm), `tickSpacing`, and `stable` are
 * present if the factory distinguishes pools of the same tokens by them.
 */
export type MainnetPool = {
  readonly family: 'uniswap-v2' | 'uniswap-v3' | 'pancake-v3' | 'ramses-cl' | 'solidly' | 'syncswap' | 'algebra-v1'
  readonly factory: Address
  readonly address: Address
  readonly tokens: readonly [Address, Address]
  readonly fee?: number
  readonly tickSpacing?: number
  readonly stable?: boolean
}

/** Chains with a stored selection of state. */
export type StateName = 'ethereum' | 'linea' | 'scroll'

/** Reads the stored state of a chain. */
export function readState(name: StateName): MainnetState {
  const file = join(import.meta.dirname, `../../mainnet/${name}.json.br`)
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as MainnetState
}
