/** `npm run smt`: what solc's SMTChecker asks about the Guard, and whether a solver here can answer it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './lib/run.ts'

type Output = { readonly errors?: readonly { readonly formattedMessage: string }[] }

const solc = createRequire(join(root, 'contracts/package.json'))('solc') as { compile(input: string): string }
const standard = JSON.parse(readFileSync(join(root, 'deployments/standard-json/Guard.json'), 'utf8'))
for (const solvers of [['z3'], ['smtlib2']]) {
  const started = performance.now()
  const modelChecker = { engine: 'chc', contracts: { 'project/src/Guard.sol': ['Guard'] }, solvers, timeout: 20_000 }
  const settings = { ...standard.settings, viaIR: false, modelChecker }
  const { errors = [] } = JSON.parse(solc.compile(JSON.stringify({ ...standard, settings }))) as Output
  console.log(`${solvers}, ${Math.round(performance.now() - started)} ms`)
  const counted = new Map<string, number>()
  for (const { formattedMessage } of errors) {
    const [line = ''] = formattedMessage.split('\n')
    counted.set(line, (counted.get(line) ?? 0) + 1)
  }
  for (const [line, times] of counted) console.log(`  ${times} × ${line.slice(0, 140)}`)
}
