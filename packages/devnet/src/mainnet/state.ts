import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'

/** Real accounts of a chain as they stood before one block. Numbers are hex, addresses lower case. */
export type MainnetState = {
  readonly chainId: number
  readonly hardfork: string
  readonly number: number
  readonly timestamp: number
  readonly baseFeePerGas: Hex
  readonly gasLimit: Hex
  readonly pools: readonly MainnetPool[]
  readonly accounts: Readonly<Record<Address, MainnetAccount>>
  /** Runtime bytecode by its hash. */
  readonly code: Readonly<Record<Hex, Hex>>
}

export type MainnetAccount = {
  readonly balance: Hex
  readonly nonce: Hex
  readonly codeHash: Hex
  /** The block the account is taken from. */
  readonly since?: number
  /** Only what is known and not zero. */
  readonly storage?: Readonly<Record<Hex, Hex>>
}

/** A pool that its factory has to tell of, or on a rollup one that a test may use; `fee` in ppm and `tickSpacing` where the factory knows its pools by them. */
export type MainnetPool = {
  readonly family: 'uniswap-v2' | 'uniswap-v3' | 'pancake-v3' | 'ramses-cl' | 'solidly'
  readonly factory: Address
  readonly address: Address
  readonly tokens: readonly [Address, Address]
  readonly fee?: number
  readonly tickSpacing?: number
}

/** Chains of which a selection of state is kept. */
export type StateName = 'ethereum' | 'linea' | 'scroll'

export function readState(name: StateName): MainnetState {
  const file = join(import.meta.dirname, `../../mainnet/${name}.json.br`)
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as MainnetState
}
