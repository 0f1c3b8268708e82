import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Address, Hex } from '@sluice/chains'

/** Real accounts of Ethereum as they stood before one block. Numbers are hex, addresses lower case. */
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

/** A pool that its factory has to tell of; `fee` in ppm and `tickSpacing` where the factory knows its pools by them. */
export type MainnetPool = {
  readonly family: 'uniswap-v2' | 'uniswap-v3' | 'pancake-v3'
  readonly factory: Address
  readonly address: Address
  readonly tokens: readonly [Address, Address]
  readonly fee?: number
  readonly tickSpacing?: number
}

const file = join(import.meta.dirname, '../../mainnet/state.json.br')

export function readMainnetState(): MainnetState {
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as MainnetState
}
