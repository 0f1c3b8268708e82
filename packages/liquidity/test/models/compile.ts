/** Models of contracts whose own code cannot be had here, compiled when a test needs them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'

export type Compiled = { readonly abi: readonly object[]; readonly bytecode: Hex }

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly abi: readonly object[]; readonly evm: { readonly bytecode: { readonly object: string } } }
        >
      >
    >
  >
}

const COIN = 'Coin.sol'

/** Compiles the contracts of a file in this folder, by name, and the coins that all of them trade. @throws Error with what the compiler says */
export function compileModels(file = COIN): Readonly<Record<string, Compiled>> {
  const solc = createRequire(join(import.meta.dirname, '../../../../contracts/package.json'))('solc') as {
    compile(input: string): string
  }
  const content = (name: string) => ({ content: readFileSync(join(import.meta.dirname, name), 'utf8') })
  const sources = { [COIN]: content(COIN), [file]: content(file) }
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as Output
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = Object.values(output.contracts).flatMap((contracts) => Object.entries(contracts))
  return Object.fromEntries(
    compiled.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  )
}
