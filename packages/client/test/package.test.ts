/** Tests the package from a consumer's view: packed, installed from the tarball, type-checked, run, and bundled. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { loadRegistry } from '@sluice/chains'
import { build, transform } from 'esbuild'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { type OutputChunk, rollup } from 'rollup'
import { afterAll, beforeAll, expect, test } from 'vitest'
import webpack, { type Stats } from 'webpack'

const run = promisify(execFile)
const here = join(import.meta.dirname, '..')
const modules = join(here, '../../node_modules')

const consumer = `
import { type ClientError, contractsOf, explain, fromEip1193, fromEthers, fromViem, guardOf, NATIVE, pricedBy, SluiceClient, swap, verify } from '@sluice/client'
import type { Signer } from 'ethers'
import type { Account, Chain, PublicClient, Transport, WalletClient } from 'viem'

export const client = new SluiceClient({ baseUrl: 'http://127.0.0.1:9', timeoutMs: 1000 })
export async function all(signer: Signer, wallet: WalletClient<Transport, Chain, Account>, chain: PublicClient) {
  const request = { src: NATIVE, dst: '0x', amount: 1n, from: '0x', slippage: 0.5 }
  const route = await client.getSwap(1, request)
  const { recipient, minOutput, fee, pools } = verify(1, route, request, { minToAmount: 10n, contracts: contractsOf(1) })
  const exact: bigint = minOutput
  await swap(client, await fromEthers(signer), 1, request)
  await swap(client, fromViem(wallet, chain), 1, request, { witness: pricedBy(client, 1), tolerance: 2 })
  await swap(client, fromEip1193({ request: async () => null }, '0x'), 1, request)
  // @ts-expect-error an amount as a float
  await client.getSwap(1, { ...request, amount: 1.5 })
  return [recipient, exact, fee?.ppm, pools, explain(route.tx).steps.map(({ op }) => op)]
}
const failed = await client.chains().then(() => undefined, (error: ClientError) => error)
console.log(failed?.code, failed?.retryable, guardOf(1))
`

let dir: string
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-consumer-'))
  await run('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: here })
  const [tarball] = readdirSync(dir).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module', private: true }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: dir })
  writeFileSync(join(dir, 'consumer.ts'), consumer)
  mkdirSync(join(dir, 'node_modules/@types'), { recursive: true })
  for (const name of ['viem', 'ethers', '@types/node'])
    symlinkSync(join(modules, name), join(dir, 'node_modules', name))
})
afterAll(() => rmSync(dir, { recursive: true }))

test('contains the compiled package, and no dependency, source, or test', async () => {
  const installed = join(dir, 'node_modules/@sluice/client')
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(dependencies).toBeUndefined()
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files.filter((name) => /\.test\.|(?<!\.d)\.ts$/.test(name))).toEqual([])
  expect(readdirSync(join(dir, 'node_modules/@sluice'))).toEqual(['client'])
})

test.each(['nodenext', 'bundler'])(
  'type-checks strictly for a consumer that resolves as %s does',
  { tags: 'long' },
  async (resolution) => {
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
    const compilerOptions = {
      ...{ module, moduleResolution: resolution, target: 'es2022', lib: ['es2024', 'dom'], types: ['node'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
    }
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    const { stdout } = await run(join(modules, '.bin/tsc'), ['-p', dir]).catch((error) => error)
    expect(stdout).toBe('')
  },
)

test('is typed for a consumer of CommonJS, and for one that resolves as old compilers do', {
  tags: 'long',
}, async () => {
  writeFileSync(
    join(dir, 'old.cts'),
    "import { guardOf, swap } from '@sluice/client'\nexport const guard: string | undefined = guardOf(1)\nexport const run = swap\n",
  )
  for (const options of [
    ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
    ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '5.0'],
  ]) {
    const settings = [
      '--target',
      'es2022',
      '--lib',
      'es2024,dom',
      '--types',
      'node',
      '--skipLibCheck',
      '--strict',
      '--noEmit',
      join(dir, 'old.cts'),
    ]
    const { stdout } = await run(join(modules, '.bin/tsc'), [...options, ...settings], { cwd: dir }).catch(
      (error) => error,
    )
    expect(stdout).toBe('')
  }
})

/** Paths of the Node that runs the tests and, if the machine has one, of the system's Node. */
const nodes = [process.execPath, ...['/usr/bin/node'].filter((path) => existsSync(path))]

test.each(nodes)('is required as CommonJS, and imported, by %s', async (node) => {
  const use = "console.log(typeof swap, guardOf(1), new ClientError('NETWORK', 'x').retryable)"
  writeFileSync(join(dir, 'use.cjs'), `const { ClientError, guardOf, swap } = require('@sluice/client')\n${use}`)
  writeFileSync(join(dir, 'use.mjs'), `import { ClientError, guardOf, swap } from '@sluice/client'\n${use}`)
  for (const file of ['use.cjs', 'use.mjs']) {
    const { stdout } = await run(node, [join(dir, file)])
    expect(stdout.trim()).toBe(`function ${loadRegistry().deployment(1)!.guard.address} true`)
  }
})

test('the tarball has its license', () => {
  const installed = join(dir, 'node_modules/@sluice/client')
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(here, '../../LICENSE'), 'utf8'))
})

test('runs after installation', async () => {
  const { stdout } = await run(process.execPath, [join(dir, 'consumer.ts')])
  expect(stdout.trim()).toBe(`NETWORK true ${loadRegistry().deployment(1)!.guard.address}`)
})

test('passes the checks of publint and of Are The Types Wrong', { tags: 'long' }, async () => {
  const installed = join(dir, 'node_modules/@sluice/client')
  expect((await publint({ pkgDir: installed, pack: false, strict: true })).messages).toEqual([])
  const [tarball] = readdirSync(dir).filter((name) => name.endsWith('.tgz'))
  const report = await checkPackage(createPackageFromTarballData(readFileSync(join(dir, tarball!))))
  expect(report).toMatchObject({ types: { kind: 'included' }, problems: [] })
})

/** Compressed bytes that a page loads at first, and that it may load lazily. */
type Weight = { readonly first: number; readonly later: number }

const gzipped = (codes: readonly string[]) => codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0)

type Chunk = {
  readonly code: string
  readonly isEntry: boolean
  readonly fileName: string
  readonly imports: readonly string[]
}

/** Splits chunks into the entry with its static imports, and the rest, and measures both. */
function weighed(chunks: readonly Chunk[]): Weight {
  const entry = chunks.find(({ isEntry }) => isEntry)!
  const first = chunks.filter((chunk) => chunk === entry || entry.imports.includes(chunk.fileName))
  const later = chunks.filter((chunk) => !first.includes(chunk))
  return { first: gzipped(first.map(({ code }) => code)), later: gzipped(later.map(({ code }) => code)) }
}

/** Functions that bundle an entry and measure it. Vite uses rolldown. */
const bundlers: Readonly<Record<string, (entry: string) => Promise<Weight>>> = {
  async rolldown(input) {
    const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    await bundle.close()
    return weighed(output.filter((file) => file.type === 'chunk'))
  },
  async rollup(input) {
    const bundle = await rollup({ input, logLevel: 'silent', plugins: [{ name: 'installed', resolveId: fromPackage }] })
    const { output } = await bundle.generate({ format: 'es' })
    await bundle.close()
    const minify = async (file: OutputChunk) => ({
      ...file,
      code: (await transform(file.code, { minify: true, format: 'esm' })).code,
    })
    return weighed(await Promise.all(output.filter((file) => file.type === 'chunk').map(minify)))
  },
  async esbuild(input) {
    const { outputFiles, metafile } = await build({
      ...{ entryPoints: [input], bundle: true, splitting: true, minify: true, format: 'esm', platform: 'browser' },
      ...{ outdir: join(dir, 'esbuild'), write: false, metafile: true, logLevel: 'silent' },
    })
    const nameOf = (path: string) => basename(path)
    const outputs = Object.entries(metafile.outputs).map(([path, { entryPoint, imports }]) => ({
      fileName: nameOf(path),
      isEntry: entryPoint !== undefined && !entryPoint.includes('node_modules'),
      imports: imports.flatMap(({ path, kind }) => (kind === 'import-statement' ? [nameOf(path)] : [])),
      code: outputFiles.find((file) => nameOf(file.path) === nameOf(path))!.text,
    }))
    return weighed(outputs)
  },
  async webpack(entry) {
    const path = join(dir, 'webpack')
    rmSync(path, { recursive: true, force: true })
    const settings = { mode: 'production', entry, output: { path }, target: 'web' } as const
    const library = { experiments: { outputModule: true }, output: { path, library: { type: 'module' as const } } }
    const stats = await new Promise<Stats | undefined>((resolve, reject) =>
      webpack({ ...settings, ...library, performance: false }, (error, stats) =>
        error ? reject(error) : resolve(stats),
      ),
    )
    expect(stats?.toJson({ errors: true }).errors).toEqual([])
    const read = (name: string) => readFileSync(join(path, name), 'utf8')
    const names = readdirSync(path).filter((name) => /\.m?js$/.test(name))
    return weighed(
      names.map((fileName) => ({ fileName, code: read(fileName), isEntry: /^main\./.test(fileName), imports: [] })),
    )
  },
}

/** Resolves the package for Rollup, which has no Node resolution by default. */
function fromPackage(name: string): string | null {
  return name === '@sluice/client' ? join(dir, 'node_modules/@sluice/client/dist/client/src/index.js') : null
}

async function weigh(bundler: string, names: string): Promise<Weight> {
  const entry = join(dir, 'entry.js')
  writeFileSync(entry, `export { ${names} } from '@sluice/client'`)
  return bundlers[bundler]!(entry)
}

test.each(Object.keys(bundlers))(
  'by %s, a page that swaps loads at most 24 kB, and loads the contracts of all chains at its first swap',
  { tags: 'long' },
  async (bundler) => {
    const { first, later } = await weigh(bundler, 'SluiceClient, swap, fromEip1193')
    expect(first).toBeLessThanOrEqual(24_000)
    expect(first).toBeGreaterThan(15_000)
    expect(later).toBeLessThanOrEqual(12_000)
    expect((await weigh(bundler, 'SluiceClient')).first).toBeLessThan(8_000)
    expect((await weigh(bundler, 'explain')).first).toBeLessThan(12_000)
  },
)
