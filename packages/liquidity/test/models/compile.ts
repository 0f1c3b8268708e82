/** Compiles models of contracts whose own code is not available, when a test needs them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { compile } from '@sluice/devnet'

export type Compiled = { readonly abi: readonly object[]; readonly bytecode: Hex }

const COIN = 'Coin.sol'

/**
 * Returns the contracts of a file in this folder by name, with the coins that all of them trade.
 *
 * @throws DevnetError COMPILE with solc's own messages
 */
export function compileModels(file = COIN): Readonly<Record<string, Compiled>> {
  const content = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
  const sources = { [COIN]: content(COIN), [file]: content(file) }
  const artifacts = compile({ compiler: 'solc', evmVersion: 'cancun', sources, packages: [] })
  return artifacts as Readonly<Record<string, Compiled>>
}

/** Returns the contracts of a file for solc 0.7.6, which imports libraries of Uniswap V3. */
export function compileUniswapV3Model(file: string): Readonly<Record<string, Compiled>> {
  const sources = { [file]: readFileSync(join(import.meta.dirname, file), 'utf8') }
  const artifacts = compile({
    compiler: 'solc-0.7.6',
    evmVersion: 'istanbul',
    runs: 200,
    sources,
    packages: ['@uniswap/v3-core'],
  })
  return artifacts as Readonly<Record<string, Compiled>>
}
