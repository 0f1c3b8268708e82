/** Tests that a failing Solidity test fails the command. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forge } from './lib/forge.ts'
import { root } from './lib/run.ts'

let project: string
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-forge-'))
  mkdirSync(join(project, 'test'))
  const solc = join(root, 'contracts/forge/solc.mjs')
  writeFileSync(join(project, 'foundry.toml'), `[profile.default]\nlibs = []\nsolc = "${solc}"\noffline = true\n`)
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

function write(claim: string): void {
  writeFileSync(
    join(project, 'test/Claim.t.sol'),
    `// SPDX-License-Identifier: MIT\npragma solidity 0.8.30;\ncontract ClaimTest { function test_claim() public pure { require(${claim}); } }\n`,
  )
}

test('forge exits with a nonzero code if a test fails, in a plain run and with coverage', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  write('1 == 2')
  expect(await forge(['test'], { cwd: project, quiet: true })).toMatchObject({ code: 1 })
  expect((await forge(['coverage'], { cwd: project, quiet: true })).code).not.toBe(0)
  write('1 == 1')
  const { code, output } = await forge(['test'], { cwd: project, quiet: true })
  expect(code, output).toBe(0)
})

test('nothing in the repository calls the wrapper', async () => {
  const { readFileSync, readdirSync } = await import('node:fs')
  const scripts = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('forge.test.ts'),
  )
  for (const path of scripts)
    expect(readFileSync(join(root, 'scripts', path), 'utf8'), path).not.toMatch(/(run|spawn|exec\w*)\(\s*'forge'/)
})
