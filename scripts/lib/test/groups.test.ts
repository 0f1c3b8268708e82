/** Checks on a copy of the repository which groups of tests a change affects. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { copyRepository } from './copy.ts'
import { groupKeys } from './groups.ts'

const copy = copyRepository()
const tools = mkdtempSync(join(tmpdir(), 'sluice-tools-'))
const ENV = { ...process.env, PATH: `${tools}:${process.env.PATH}` }
const start = groupKeys(copy, ENV)
afterAll(() => {
  rmSync(copy, { recursive: true, force: true })
  rmSync(tools, { recursive: true, force: true })
})

/** Returns the groups whose keys differ from those of the unchanged copy. */
function changedGroups(env: NodeJS.ProcessEnv = ENV): readonly string[] {
  const keys = groupKeys(copy, env)
  return [...start.keys()].filter((group) => keys.get(group) !== start.get(group)).sort()
}

/** Changes a file of the copy, restores it, and returns the groups that the change affected. */
function changedBy(path: string, change: (path: string) => void): readonly string[] {
  const file = join(copy, path)
  const before = readFileSync(file)
  change(file)
  try {
    return changedGroups()
  } finally {
    writeFileSync(file, before)
  }
}
const edit = (path: string) => changedBy(path, (file) => appendFileSync(file, '\n'))

const ALL = [...start.keys()].sort()
/** Workspaces whose tests read or list all files. */
const WHOLE_TREE = ['scripts', 'test']
/** Workspaces whose tests start the service, which serves the page and the documentation. */
const SERVICE = ['api', 'client', 'docs', 'mcp', 'react', 'server', 'web'].map((name) => `packages/${name}`)

describe('a change affects the groups that can depend on it', () => {
  test('none without a change', () => expect(changedGroups()).toEqual([]))

  test('a package that nobody imports: itself, and the tests of the whole tree', () => {
    expect(edit('packages/mcp/src/main.ts')).toEqual(['packages/mcp', 'scripts', 'test'])
  })

  test('tests of the whole system, and measurements: only those of the whole tree', () => {
    expect(edit('test/swap.test.ts')).toEqual(WHOLE_TREE)
    expect(edit('bench/README.md')).toEqual(WHOLE_TREE)
  })

  test('documents: tests that read them', () => {
    expect(edit('docs/errors.md')).toEqual([...WHOLE_TREE, ...SERVICE].sort())
  })

  test('a package that others import: all of those, and not the others', () => {
    const changed = edit('packages/liquidity/src/family.ts')
    expect(changed).toEqual(expect.arrayContaining(['packages/pricing', 'packages/api', 'packages/client', 'scripts']))
    expect(changed).not.toContain('packages/rpc')
    expect(changed).not.toContain('contracts')
    expect(edit('packages/devnet/src/anvil.ts')).toContain('contracts')
  })

  test('a source that another package reads as text', () => {
    expect(edit('contracts/src/libraries/Program.sol')).toContain('packages/program')
  })

  const expectAll = (path: string) => expect(edit(path)).toEqual(ALL)
  test.each(['package-lock.json', 'deployments/releases.json'])('%s: all', expectAll)
  test.each(['vitest.config.ts', 'test/src/cpu-time.ts', 'scripts/test.ts'])('%s: all', { tags: 'long' }, expectAll)

  test('a deleted file with data, and a new file that is not in git', () => {
    const data = changedBy('packages/solver/test/fixtures/cases-bal_liquidity-23-auction.json', (file) => rmSync(file))
    expect(data).toContain('packages/solver')
    const added = join(copy, 'packages/mcp/src/new.ts')
    writeFileSync(added, '')
    expect(changedGroups()).toContain('packages/mcp')
    rmSync(added)
  })

  test('an environment variable, and the file that one names: all', () => {
    expect(changedGroups({ ...ENV, RPC_URL_1: 'http://127.0.0.1:1' })).toEqual(ALL)
    expect(changedGroups({ ...ENV, SHLVL: '99', npm_command: 'run-script' })).toEqual([])
    const state = join(tools, '../', `${basename(tools)}.json`)
    const env = { ...ENV, AMBIENT_STATE: state }
    const absent = groupKeys(copy, env).get('packages/liquidity')
    writeFileSync(state, '{}')
    expect(groupKeys(copy, env).get('packages/liquidity')).not.toBe(absent)
    rmSync(state)
  })

  test('a tool that was installed: all', () => {
    mkdirSync(join(tools, 'nginx'))
    expect(changedGroups()).toEqual(ALL)
  })
})
