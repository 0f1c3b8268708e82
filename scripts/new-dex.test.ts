/** A family made in a copy of the tree: its Solidity is analysed by solc, its TypeScript by tsc, and its tests run. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { families } from '@sluice/liquidity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './lib/run.ts'
import { namesOf } from './new-dex/names.ts'
import { planDex, writeFiles } from './new-dex/plan.ts'

const NAME = 'made-up-dex-v2'
/** Written by commands, or a row of a chain. */
const GENERATED = /gas\.generated\.json$|^packages\/chains\/data\//
/** Runs its step against a model of the module, which npm carries no bytecode of. */
const STEP_TEST = ['packages/liquidity/test/push-pools.test.ts']
/** Pools of deployed code that a file brings, for the fuzz: a family whose code npm carries has them on the local chain. */
const DEPLOYED = /^packages\/liquidity\/test\/(fuzz|deployed)/
const PACKAGES = ['bindings', 'chains', 'liquidity', 'program', 'rpc', 'simulation', 'tracing']
const CONTRACTS = ['contracts/src', 'contracts/test', 'contracts/deploy']
const names = namesOf(NAME)

describe('a name', () => {
  test.each(['', 'Some', 'some_dex', '-dex', 'dex-', 'a--b', '2pool', '../dex', 'some dex', 'x'.repeat(33)])(
    '%j is none',
    (name) => {
      expect(() => planDex(name, root)).toThrow(/^name: must be/)
    },
  )

  test.each([...families.map(({ id }) => id), 'curve', 'common', 'guard', 'program', 'families', 'family-of', 'class'])(
    '%s is taken',
    (name) => {
      expect(() => planDex(name, root)).toThrow(/^name: .* is taken/)
    },
  )
})

test('a new family costs at most seven files and six changed ones', () => {
  const paths = [...planDex(NAME, root).keys()]
  const added = paths.filter((path) => !existsSync(join(root, path)))
  expect(added.length).toBeLessThanOrEqual(7)
  expect(paths.length - added.length).toBeLessThanOrEqual(6)
})

test('the smallest whole family is eight files, known answers and lens among them, and named by hand in six', () => {
  const smallest = namesOf('lite-psm')
  const spelled = (spellings: readonly string[]) => new RegExp(spellings.join('|'))
  const { name, Name, camel, snake } = smallest
  const listed = execFileSync('git', ['ls-files', 'contracts/src', 'contracts/test', 'packages'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => !DEPLOYED.test(path))
  const own = listed.filter((path) => spelled([name, Name]).test(path))
  expect(own).toHaveLength(8)
  expect(own.filter((path) => /lens|genuine|README/i.test(path))).toHaveLength(3)
  const named = listed.filter(
    (path) =>
      /\.(ts|sol|json)$/.test(path) &&
      !own.includes(path) &&
      !GENERATED.test(path) &&
      existsSync(join(root, path)) &&
      spelled([name, Name, camel, snake.toUpperCase()]).test(readFileSync(join(root, path), 'utf8')),
  )
  expect(named.filter((path) => !STEP_TEST.includes(path)).sort()).toEqual(
    [...planDex(NAME, root).keys()].filter((path) => existsSync(join(root, path))).sort(),
  )
})

describe('a new family', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-new-dex-'))
  /** Fails with what the command said. */
  const run = (command: string, args: readonly string[]) => {
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin', command), args, {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(status, `${command} ${args.join(' ')}\n${stdout}`).toBe(0)
  }

  type Report = {
    readonly numPassedTests: number
    readonly numTodoTests: number
    readonly testResults: readonly {
      readonly name: string
      readonly message: string
      readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages: readonly string[] }[]
    }[]
  }
  const testReport = (): Report => {
    const args = ['run', '--reporter=json', '--outputFile=report.json', 'packages/program', NAME]
    spawnSync(join(root, 'node_modules/.bin/vitest'), args, { cwd: copy })
    return JSON.parse(readFileSync(join(copy, 'report.json'), 'utf8'))
  }

  beforeAll(() => {
    copyTree(copy)
    const files = planDex(NAME, copy)
    writeFiles(files, copy)
    // One more, to see that the first has not hidden the places where the next one goes.
    writeFiles(planDex('secondary', copy), copy)
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  test('compiles on both sides, passes the golden programs, and reports what is left to do', () => {
    writeAbis(copy, analyse(join(copy, 'contracts')))
    const target = ['--target', 'ethers-v6', '--node16-modules', '--out-dir', 'contracts/types']
    run('typechain', [...target, 'abi/**/*.json'])
    nameIndexFiles(join(copy, 'contracts/types'))
    run('tsc', ['-p', 'packages/bindings/tsconfig.build.json'])
    run('tsc', ['--noEmit', '-p', 'packages/program'])
    run('node', ['packages/program/scripts/format.ts'])
    run('tsc', ['--noEmit', '-p', 'packages/liquidity'])
    const report = testReport()
    const failed = report.testResults.flatMap(({ name, message, assertionResults }) => [
      ...(message ? [`${name}: ${message}`] : []),
      ...assertionResults.flatMap(({ fullName, failureMessages }) =>
        failureMessages.map((why) => `${fullName}: ${why}`),
      ),
    ])
    expect(failed).toEqual([])
    expect(report.numPassedTests).toBeGreaterThan(10)
    expect(report.numTodoTests, 'tests left to write are reported').toBe(5)
  }, 180_000)

  test('is one that cannot be made twice', () => {
    expect(() => planDex(NAME, copy)).toThrow(`packages/liquidity/src/dexes/${NAME} exists`)
  })
})

/** Copies what a family needs of the tree, with the packages of npm linked and those of the tree in their places. */
function copyTree(to: string): void {
  for (const part of ['tsconfig.base.json', 'package.json', ...CONTRACTS])
    cpSync(join(root, part), join(to, part), { recursive: true })
  mkdirSync(join(to, 'node_modules/@sluice'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@sluice') symlinkSync(join(root, 'node_modules', name), join(to, 'node_modules', name))
  for (const name of PACKAGES) {
    for (const part of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'scripts', 'golden', 'dist']) {
      const from = join(root, 'packages', name, part)
      if (existsSync(from)) cpSync(from, join(to, 'packages', name, part), { recursive: true })
    }
    symlinkSync(join(to, 'packages', name), join(to, 'node_modules/@sluice', name))
  }
  // Without what the tests of the tree set up first.
  writeFileSync(join(to, 'vitest.config.ts'), 'export default {}\n')
  // Its tests need the local chain, which is not copied.
  const source = { extends: '../../tsconfig.base.json', include: ['src'] }
  writeFileSync(join(to, 'packages/liquidity/tsconfig.json'), JSON.stringify(source))
}

type Abis = Readonly<Record<string, Readonly<Record<string, { readonly abi: unknown }>>>>

/** Every source below `contracts/src`, checked but not turned into bytecode. */
function analyse(contracts: string): Abis {
  const solc = createRequire(join(root, 'contracts/package.json'))('solc') as {
    compile(input: string, callbacks: { import(path: string): { contents: string } }): string
  }
  const paths = readdirSync(join(contracts, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.sol'),
  )
  const load = (path: string) => readFileSync(join(contracts, path), 'utf8')
  const sources = Object.fromEntries(paths.map((path) => [`src/${path}`, { content: load(`src/${path}`) }]))
  const input = { language: 'Solidity', sources, settings: { outputSelection: { '*': { '*': ['abi'] } } } }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: (path) => ({ contents: load(path) }) }))
  expect((output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
  expect(output.contracts[`src/dexes/${NAME}/${names.Name}.sol`]).toHaveProperty(names.Name)
  return output.contracts
}

function writeAbis(to: string, contracts: Abis): void {
  for (const [path, byName] of Object.entries(contracts)) {
    for (const [contractName, { abi }] of Object.entries(byName)) {
      const file = join(to, 'abi', path, `${contractName}.json`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify({ contractName, abi }))
    }
  }
}

/** Names index files in imports of folders, as the build does: Node would not guess them. */
function nameIndexFiles(types: string): void {
  for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const file = join(types, path)
    const code = readFileSync(file, 'utf8')
    writeFileSync(file, code.replace(/from "(\.[^"]*)(?<!\.js)"/g, 'from "$1/index.js"'))
  }
}
