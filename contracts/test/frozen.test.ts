/** The Guards are frozen: users approve them for good, so their code may not change by so much as a comment. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Build } from '@sluice/chains'
import { expect, test } from 'vitest'
import { currentPlan } from '../deploy/index.ts'

const frozen = JSON.parse(readFileSync(join(import.meta.dirname, '../frozen-guards.json'), 'utf8')) as Record<
  Build,
  { readonly address: string; readonly initCodeHash: string }
>

test.each(['cancun', 'london'] as const)('the %s Guard compiles to the frozen code', async (build) => {
  const { address, initCodeHash } = (await currentPlan(build)).guard
  const why = 'a Guard is frozen; CONTRIBUTING.md, "Another generation of the Guard", tells what a change takes'
  expect({ address, initCodeHash }, why).toEqual(frozen[build])
})

test('its sources pin the compiler version that compiles them', () => {
  const compiler = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).dependencies.solc
  for (const name of ['Guard', 'GuardLondon', 'Executor.v1', 'ExecutorLondon.v1']) {
    const file = join(import.meta.dirname, `../../deployments/standard-json/${name}.json`)
    const { sources } = JSON.parse(readFileSync(file, 'utf8')) as { sources: Record<string, { content: string }> }
    for (const [path, { content }] of Object.entries(sources))
      expect(content, path).toContain(`pragma solidity ${compiler};`)
  }
})
