/** Tests the published package: its contents, and that it runs by itself, also on an old Node. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../scripts/bundle.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '..')
const dir = mkdtempSync(join(tmpdir(), 'sluice-mcp-pack-'))
const installed = join(dir, 'node_modules/@sluice/mcp')
const bin = join(installed, 'bin/sluice-mcp.mjs')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
let packed: readonly string[]

/** Path of an old Node (20 or 21) that must run the command, too; skipped if the machine has none. */
const OLD_NODE = process.env.OLD_NODE ?? '/usr/bin/node'
const hasOld = existsSync(OLD_NODE) && /^v2[01]\./.test(execFileSync(OLD_NODE, ['--version'], { encoding: 'utf8' }))
const nodes = [
  ['this Node', process.execPath, true],
  ['an old Node', OLD_NODE, hasOld],
] as const

beforeAll(async () => {
  // Skip the build scripts, because other tests run `dist` at the same time.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dir], {
    cwd: folder,
  })
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ]
  packed = files.map(({ path }) => path)
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(dir, filename), '-C', installed, '--strip-components=1'])
  // Link the dependencies from the repository to where npm would install them.
  const require = createRequire(import.meta.url)
  const scope = join(dir, 'node_modules/@modelcontextprotocol')
  mkdirSync(scope)
  const sdk = dirname(dirname(dirname(require.resolve('@modelcontextprotocol/sdk/server/mcp.js'))))
  symlinkSync(realpathSync(sdk.slice(0, sdk.lastIndexOf('/dist'))), join(scope, 'sdk'))
  symlinkSync(realpathSync(dirname(require.resolve('zod/package.json'))), join(dir, 'node_modules/zod'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('`dist` is built from these sources', async () => {
  const fresh = join(dir, 'fresh')
  await bundle(fresh)
  const textOf = (path: string) => readFileSync(path, 'utf8')
  const isSame = textOf(join(fresh, 'main.js')) === textOf(join(folder, 'dist/main.js'))
  expect(isSame, 'run `node scripts/build.ts` in packages/mcp').toBe(true)
})

test('holds the command, one file of code, and nothing else', () => {
  expect([...packed].sort()).toEqual([
    ...['README.md', 'bin/sluice-mcp.mjs', 'dist/LICENSE', 'dist/main.js', 'package.json'],
  ])
})

test('imports nothing but what it depends on', () => {
  const code = readFileSync(join(installed, 'dist/main.js'), 'utf8')
  const imported = [...code.matchAll(/^import\b(?:.* from)? ?"([^"]+)"/gm)].map(([, name]) => name!)
  const packages = imported
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  expect([...new Set(packages)].sort()).toEqual(Object.keys(manifest.dependencies).sort())
})

test.each(nodes)('runs under %s', async (_, node, isHere) => {
  if (!isHere) return
  expect((await run(node, [bin, '--version'])).stdout).toBe(`${manifest.version}\n`)
  expect((await run(node, [bin, '--help'])).stdout).toContain('--service <url>')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: node, args: [bin], stderr: 'ignore' }))
  expect((await client.listTools()).tools).toHaveLength(7)
  const explanation = await client.callTool({
    name: 'explain',
    arguments: { chainId: 1, to: `0x${'57'.repeat(20)}`, data: '0x2dfcad76' },
  })
  expect(explanation).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^UNSAFE: /) }] })
  await client.close()
})
