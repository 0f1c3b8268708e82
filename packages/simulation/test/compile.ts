import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { compile as compileUnit } from '@sluice/devnet'
import { Interface } from 'ethers'

/** Contracts of `test/tokens/<file>`, compiled by the lockfile's solc. */
export function compile(file: string): Record<string, { readonly abi: Interface; readonly creation: Hex }> {
  const sources = { [file]: readFileSync(join(import.meta.dirname, 'tokens', file), 'utf8') }
  const artifacts = compileUnit({ compiler: 'solc', evmVersion: 'cancun', sources, packages: [] })
  return Object.fromEntries(
    Object.entries(artifacts).map(([name, { abi, bytecode }]) => [
      name,
      { abi: new Interface(abi), creation: bytecode },
    ]),
  )
}
