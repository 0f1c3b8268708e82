import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { Interface, type InterfaceAbi } from 'ethers'

type Compiled = { readonly abi: InterfaceAbi; readonly evm: { readonly bytecode: { readonly object: string } } }
type Output = {
  readonly contracts?: Record<string, Record<string, Compiled>>
  readonly errors?: { formattedMessage: string }[]
}

/** Contracts of `test/tokens/<file>`, compiled by the lockfile's solc. */
export function compile(file: string): Record<string, { readonly abi: Interface; readonly creation: Hex }> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const content = readFileSync(join(import.meta.dirname, 'tokens', file), 'utf8')
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const contracts = output.contracts?.[file]
  if (!contracts) throw new Error(output.errors?.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(contracts).map(([name, { abi, evm }]) => [
      name,
      { abi: new Interface(abi), creation: `0x${evm.bytecode.object}` as const },
    ]),
  )
}
