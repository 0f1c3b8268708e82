/**
 * Tests every command in README.md and docs/commands.md: here, or by naming the test or CI step that runs it. CI tests
 * a fresh checkout, like that of a new user.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { root, run } from './lib/run.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const documented = readme + readFileSync(join(root, 'docs/commands.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const dir = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

type Trial = {
  /** Arguments of `scripts/<task>.ts`. */
  readonly args?: readonly string[]
  readonly code?: number
  readonly prints?: string | RegExp
  /** File that runs the command, and the text that does so. */
  readonly in?: readonly [file: string, text: string]
}

/** Trials by script name in package.json. */
const TRIALS: Readonly<Record<string, Trial>> = {
  start: { in: ['test/start.test.ts', "command: ['start']"] },
  mainnet: { in: ['test/start.test.ts', "command: ['run', 'mainnet']"] },
  test: { in: ['.github/workflows/ci.yml', 'run: npm test'] },
  check: { in: ['.github/workflows/ci.yml', 'run: npm run check'] },
  language: { args: ['bench'], prints: /^bench\/\S+:\d+: "/m },
  audit: { in: ['.github/workflows/ci.yml', 'run: npm run audit'] },
  format: { in: ['scripts/new-dex.test.ts', 'format'] },
  send: { args: ['http://127.0.0.1:9/aggregator/31337'], code: 1, prints: 'no service of this folder answers' },
  serve: { in: ['test/pool-lists.test.ts', "'--silent', 'serve', '--', '--pools'"] },
  pack: { args: [], prints: /npx \.\/sluice-server-[\d.]+\.tgz --rpc 1=/ },
  indexer: { in: ['test/scale-out.test.ts', 'indexer'] },
  solver: { args: ['--chain', 'mainnet'], code: 1, prints: 'SOLVER_CHAIN: must be a chain id' },
  deploy: { in: ['scripts/deploy.test.ts', 'deploy'] },
  predict: { in: ['scripts/deploy.test.ts', 'predictReleases'] },
  'verify-deployment': { args: ['1'], prints: /^same /m },
  'check:chain': { in: ['scripts/check-chain/all.test.ts', 'check-chain'] },
  'coverage:pools': { in: ['scripts/coverage-pools.test.ts', 'scripts/coverage-pools.ts'] },
  vectors: { args: [join(root, 'packages/liquidity/vectors/genuine/dodo-v2.json.gz')], prints: /\d/ },
  'measure:gas': { in: ['bench/README.md', '| `gas hop` |'] },
  'new:dex': { in: ['scripts/new-dex.test.ts', 'new-dex'] },
  snapshot: { in: ['test/pool-lists.test.ts', "'snapshot', '--', 'pools', '1'"] },
  quote: { in: ['scripts/quote.test.ts', 'quote'] },
  prices: { in: ['scripts/quote.test.ts', 'prices'] },
  referee: { in: ['scripts/referee.test.ts', 'referee'] },
  replay: { in: ['scripts/replay.test.ts', 'replay'] },
  route: { args: [], code: 1, prints: 'usage: npm run -s route' },
  bench: { args: [], prints: 'cold-start' },
  docs: { in: ['packages/api/test/examples.test.ts', 'docs'] },
}

/** Commands that run only in the long profile. */
const SLOW = ['language', 'pack', 'vectors', 'solver']

/** npm's own words after `npm`. */
const OWN = ['run', 'install']
const commands = [
  ...new Set([...documented.matchAll(/\bnpm (?:run (?:-s )?)?([a-z][\w:-]*)/g)].map(([, name]) => name!)),
].filter((name) => !OWN.includes(name))

test('every documented npm command is a script, and every named script is tested', () => {
  expect(commands.length).toBeGreaterThan(20)
  for (const command of commands) {
    const task = /^node scripts\/bootstrap\.mjs ([\w-]+)/.exec(scripts[command] ?? '')?.[1]
    expect(task, command).toBeDefined()
    expect(existsSync(join(root, `scripts/${task}.ts`)), command).toBe(true)
  }
  expect(commands.toSorted()).toEqual(Object.keys(TRIALS).toSorted())
})

describe('commands that are run elsewhere', () => {
  const elsewhere = Object.entries(TRIALS).flatMap(([name, trial]) => (trial.in ? [[name, ...trial.in] as const] : []))
  test.each(elsewhere)('%s in %s', (_, file, text) => expect(readFileSync(join(root, file), 'utf8')).toContain(text))
})

describe('commands that are run here', () => {
  const here = Object.entries(TRIALS).flatMap(([name, trial]) => (trial.args ? [[name, trial] as const] : []))
  async function expectTrial(name: string, { args, code = 0, prints }: Trial): Promise<void> {
    const task = /bootstrap\.mjs ([\w-]+)/.exec(scripts[name]!)![1]!
    const env = { ...process.env, INIT_CWD: dir }
    const done = await run(process.execPath, [`scripts/${task}.ts`, ...args!], { quiet: true, env })
    expect(done.code, done.output).toBe(code)
    expect(done.output).toMatch(prints!)
  }
  const isSlow = (name: string) => SLOW.includes(name)
  test.each(here.filter(([name]) => !isSlow(name)))('%s', expectTrial, 300_000)
  test.each(here.filter(([name]) => isSlow(name)))('%s', { tags: 'long', timeout: 300_000 }, expectTrial)

  test('the README names the file that npm pack creates', { tags: 'long' }, () => {
    const [archive] = readdirSync(dir).filter((name) => name.endsWith('.tgz'))
    expect(readme).toContain(`npx ./${archive} --rpc 1=`)
  })
})

test('other commands of the README name existing profiles, charts, and files', () => {
  const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')
  const profiles = [...readme.matchAll(/--profile (\w+)/g)].map(([, name]) => name!)
  expect(profiles.length).toBeGreaterThan(1)
  for (const profile of profiles) expect(compose).toContain(`profiles: [${profile}]`)
  const charts = [...readme.matchAll(/helm install \w+ (\S+)/g)].map(([, chart]) => chart!)
  expect(charts).not.toEqual([])
  for (const chart of charts) expect(existsSync(join(root, chart))).toBe(true)
  const links = [...documented.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path!)
  expect(links.length).toBeGreaterThan(20)
  for (const link of links)
    expect(existsSync(join(root, link)) || existsSync(join(root, 'docs', link)), link).toBe(true)
})

test('no page installs a package by its name, since none is on npm', () => {
  const folders = ['docs', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)]
  const pages = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(root, folder, file)),
  )
  expect(pages.length).toBeGreaterThan(30)
  const installation = /\b(npx|npm install)\b[^`\n]*(?<!-w) "?@sluice\//
  expect([join(root, 'README.md'), ...pages].filter((page) => installation.test(readFileSync(page, 'utf8')))).toEqual(
    [],
  )
})

test('commands for operators install no packages of tests into the folder of a running service', () => {
  const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const names = [...new Set([...operations.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name]) => name!))]
  expect(names.length).toBeGreaterThan(5)
  const bootstrap = readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')
  const [, list = ''] = /tasksWithoutDevDependencies = \[([^\]]*)\]/.exec(bootstrap) ?? []
  const tasks = names
    .filter((name) => name !== 'bench')
    .map((name) => /bootstrap\.mjs ([\w-]+)/.exec(scripts[name]!)![1]!)
  expect(tasks.filter((task) => !list.includes(`'${task}'`))).toEqual([])
})
