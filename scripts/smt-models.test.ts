/** Tests that the models of the Guard prove their properties, and that each mutation makes one false. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './lib/run.ts'
import { models, verdictOf } from './smt/models.ts'
import { cvc5, type Solver, z3 } from './smt/solvers.ts'

const TIMEOUT_MS = 300_000
const second = cvc5()

function expectVerdicts(solver: Solver): void {
  for (const model of models) {
    const { properties, mutations } = verdictOf(model, solver)
    expect(properties.filter(({ isProven }) => !isProven)).toEqual([])
    expect(mutations.filter(({ refutedProperty }) => refutedProperty === undefined)).toEqual([])
    expect(mutations.length).toBeGreaterThan(2)
  }
}

describe('the models', () => {
  test('hold by Z3, and no mutation does', { tags: 'long', timeout: TIMEOUT_MS }, () => expectVerdicts(z3()))

  test.skipIf(!second)(
    `hold by cvc5, and no mutation does${second ? '' : ' (cvc5 is not installed)'}`,
    () => expectVerdicts(second!),
    TIMEOUT_MS,
  )

  test('are refused if a modeled line is missing', () => {
    const [model] = models
    const changed = { ...model!, linesByFile: { 'core/Loan.sol': ['_set(PAYER, LOCKED | 1);'] } }
    expect(() => verdictOf(changed, z3())).toThrow('has no line "_set(PAYER, LOCKED | 1);"')
  })

  test('are all documented', () => {
    const text = readFileSync(join(root, 'docs/audit/smt-models.md'), 'utf8')
    for (const { name, mutations } of models) {
      expect(text).toContain(`\n## ${name}\n`)
      for (const mutation of mutations) expect(text).toContain(`\n| ${mutation.name} |`)
    }
    expect(text).not.toMatch(/not proven|not refutedProperty/)
  })
})
