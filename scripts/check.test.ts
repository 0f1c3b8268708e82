/** Tests that this repository's own checks in `npm run check` can fail. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { misleadingBeginnings } from './lib/check/comments.ts'
import { undeclaredImports } from './lib/check/declared.ts'
import { leakingMocks } from './lib/check/mocks.ts'
import { tooLong } from './lib/check/sizes.ts'
import { root } from './lib/run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-check-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the violations of the import rules in these files. */
async function cruise(files: Readonly<Record<string, string>>, config = '.dependency-cruiser.mjs'): Promise<string> {
  for (const [path, text] of Object.entries({ ...files, 'tsconfig.json': '{}' })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const name of ['.dependency-cruiser.mjs', '.dependency-cruiser.folders.mjs'])
    cpSync(join(root, name), join(folder, name))
  const args = ['--config', config, '--output-type', 'err', 'packages']
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/depcruise'), args, { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  )
  return stdout
}

test('an import against the direction, a cycle and a reach into another package are named', async () => {
  const result = await cruise({
    'packages/rpc/src/a.ts': "import { b } from '../../routing/src/b.ts'\nexport const a = b\n",
    'packages/routing/src/b.ts': "import { c } from './c.ts'\nexport const b = c\n",
    'packages/routing/src/c.ts': "import type { B } from './d.ts'\nexport const c: B = 1\n",
    'packages/routing/src/d.ts': "import { c } from './c.ts'\nexport type B = typeof c\n",
    'packages/client/src/e.ts': "import { a } from '../../rpc/src/a.ts'\nexport const e = a\n",
  })
  expect(result).toMatch(/direction-of-rpc: packages\/rpc\/src\/a\.ts → packages\/routing\/src\/b\.ts/)
  expect(result).toMatch(/by-exports: packages\/rpc\/src\/a\.ts/)
  expect(result).toMatch(/no-cycle: packages\/routing\/src\/[cd]\.ts/)
  expect(result).toMatch(/client-stands-alone: packages\/client\/src\/e\.ts/)
}, 30_000)

test('folders that import one another are named, even if no two files do', {
  tags: 'long',
  timeout: 60_000,
}, async () => {
  const files = {
    'packages/rpc/src/a/one.ts': "import type { Two } from '../b/two.ts'\nexport type One = Two\n",
    'packages/rpc/src/b/two.ts': 'export type Two = 2\n',
    'packages/rpc/src/b/three.ts': "import type { Four } from '../a/four.ts'\nexport type Three = Four\n",
    'packages/rpc/src/a/four.ts': 'export type Four = 4\n',
  }
  expect(await cruise(files)).toContain('no dependency violations')
  expect(await cruise(files, '.dependency-cruiser.folders.mjs')).toMatch(/no-folder-cycle: packages\/rpc\/src\/a/)
  const ofTest = {
    ...files,
    'packages/rpc/src/b/three.ts': '',
    'packages/rpc/src/b/b.test.ts': files['packages/rpc/src/b/three.ts'],
  }
  expect(await cruise(ofTest, '.dependency-cruiser.folders.mjs')).toContain('no dependency violations')
})

test('imports along the direction pass', async () => {
  const result = await cruise({ 'packages/rpc/src/a.ts': "import { b } from './b.ts'\n", 'packages/rpc/src/b.ts': '' })
  expect(result).toContain('no dependency violations')
}, 30_000)

test('a comment in front of a declaration begins with a verb or noun', () => {
  const faults = (comment: string) => misleadingBeginnings('a.ts', `x\n/**${comment} */\nconst y = 1`)
  expect(faults(' Price of a token.')).toEqual([])
  expect(faults(' Whatever fits.')).toEqual([])
  expect(misleadingBeginnings('a.ts', '// What is said inside is free.')).toEqual([])
  expect(faults(' What a token costs.')).toEqual([expect.stringMatching(/^a\.ts:2: .*"What"/)])
  expect(faults('\n * How long it takes,\n * in ms.\n')).toEqual([expect.stringMatching(/^a\.ts:2: .*"How"/)])
})

test('so do comments of Solidity, in their first line and behind every tag', () => {
  const faults = (...lines: string[]) => misleadingBeginnings('A.sol', ['contract A {', ...lines, '}'].join('\n'))
  expect(faults('/// Price of a token,', '/// What it is worth.', '/// @return price In USD.')).toEqual([])
  expect(faults('uint256 a; // What is said beside is free.')).toEqual([])
  for (const line of ['/// Whether it pays.', '/// @dev Whether it pays.', '/// @return Whether it pays.'])
    expect(faults(line)).toEqual([expect.stringMatching(/^A\.sol:2: .*"Whether"/)])
  expect(faults('/// @notice Price.', '  /// @param pays Whether it does.')).toEqual([
    expect.stringMatching(/^A\.sol:3: .*"Whether"/),
  ])
})

test('a long file or function needs a reason', () => {
  const body = (lines: number) => 'f()\n'.repeat(lines)
  expect(tooLong('a.ts', body(500))).toEqual([])
  expect(tooLong('a.ts', body(501))).toEqual([expect.stringContaining('501 lines')])
  expect(tooLong('a.ts', `/** Long: data. */\n${body(501)}`)).toEqual([])
  expect(tooLong('a.ts', `function g() {\n${body(78)}}\n`)).toEqual([])
  const long = `function g() {\n${body(79)}}\n`
  expect(tooLong('a.ts', `const x = 1\n${long}`)).toEqual([expect.stringMatching(/^a\.ts:2: a function of 81 lines/)])
  expect(tooLong('a.ts', `const x = 1\n/** Long: one case each. */\n${long}`)).toEqual([])
  expect(tooLong('a.test.ts', long)).toEqual([])
})

test('an import that a package.json does not declare is named', () => {
  const text = "import { a } from '@sluice/rpc'\nimport x from 'left/pad'\nimport './b.ts'\nimport 'node:fs'\n"
  const manifest = { name: '@sluice/here', dependencies: { '@sluice/rpc': '*' } }
  expect(undeclaredImports('a.ts', text, manifest)).toEqual([expect.stringContaining('imports left,')])
  expect(undeclaredImports('a.ts', text, { ...manifest, devDependencies: { left: '1.0.0' } })).toEqual([])
})

test('a module mock that reaches other test files of the worker is named', () => {
  const mock = "vi.mock('./a.ts', () => ({}))\n"
  const [before, after] = ['vi.resetModules()\n', 'afterAll(() => void vi.resetModules())\n']
  expect(leakingMocks('a.test.ts', mock + before + after)).toEqual([])
  expect(leakingMocks('a.test.ts', 'vi.fn()\n')).toEqual([])
  for (const text of [mock, mock + before, mock + after, `  ${mock.replace('mock', 'doMock')}`])
    expect(leakingMocks('a.test.ts', text)).toHaveLength(1)
})
