/**
 * Script that `compileStandardJson` runs in its own process. Compiles the standard JSON from stdin, and prints the
 * creation code of the contract that its argument names.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
type CompiledContract = { evm: { bytecode: { object: string } } }
const [name] = process.argv.slice(2)
const { contracts, errors } = JSON.parse(solc.compile(readFileSync(0, 'utf8')))
const failure = errors?.find(({ severity }: { severity: string }) => severity === 'error')
if (failure) throw new Error(failure.formattedMessage)
const source = Object.values(contracts as Record<string, Record<string, CompiledContract>>).find(
  (file) => name! in file,
)
process.stdout.write(`0x${source![name!]!.evm.bytecode.object}`)
