/** The package as a consumer gets it: packed, installed from the tarball, type-checked and run. */
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
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { loadRegistry } from '@sluice/chains'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const here = join(import.meta.dirname, '..')
const modules = join(here, '../../node_modules')

const consumer = `
import { type ClientError, contractsOf, explain, fromEip1193, fromEthers, fromViem, guardOf, NATIVE, pricedBy, SluiceClient, swap, verify } from '@sluice/client'
import type { Signer } from 'ethers'
import type { Account, Chain, PublicClient, Transport, WalletClient } from 'viem'

export const client = new SluiceClient({ baseUrl: 'http://127.0.0.1:9', timeoutMs: 1000 })
export async function all(signer: Signer, wallet: WalletClient<Transport, Chain, Account>, chain: PublicClient) {
  const asked = { src: NATIVE, dst: '0x', amount: 1n, from: '0x', slippage: 0.5 }
  const route = await client.getSwap(1, asked)
  const { recipient, minOutput, fee, pools } = verify(1, route, asked, { minToAmount: 10n, contracts: contractsOf(1) })
  const exact: bigint = minOutput
  await swap(client, await fromEthers(signer), 1, asked)
  await swap(client, fromViem(wallet, chain), 1, asked, { witness: pricedBy(client, 1), tolerance: 2 })
  await swap(client, fromEip1193({ request: async () => null }, '0x'), 1, asked)
  // @ts-expect-error an amount as a float
  await client.getSwap(1, { ...asked, amount: 1.5 })
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

test('holds the compiled package and no dependency, source or test', async () => {
  const installed = join(dir, 'node_modules/@sluice/client')
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(dependencies).toBeUndefined()
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files.filter((name) => /\.test\.|(?<!\.d)\.ts$/.test(name))).toEqual([])
  expect(readdirSync(join(dir, 'node_modules/@sluice'))).toEqual(['client'])
})

test.each(['nodenext', 'bundler'])(
  'type-checks strictly for a consumer that resolves as %s does',
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

test('is typed for a consumer of CommonJS, and for one that resolves as old compilers do', async () => {
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

/** The Node that runs the tests, and an older one where this machine has it. */
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

test('every export that is a value has an example, and the tarball its license', () => {
  const installed = join(dir, 'node_modules/@sluice/client')
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(here, '../../LICENSE'), 'utf8'))
  const source = readFileSync(join(here, 'src/index.ts'), 'utf8')
  const missing = [...source.matchAll(/export \{([^}]+)\} from '\.\/([\w-]+)\.ts'/g)].flatMap(([, names, file]) => {
    const code = readFileSync(join(here, 'src', `${file}.ts`), 'utf8')
    return names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .filter(
        (name) =>
          !new RegExp(`@example(?:(?!\\*/)[\\s\\S])*\\*/\\nexport (async )?(function|class|const) ${name}\\b`).test(
            code,
          ),
      )
  })
  expect(missing).toEqual([])
})

test('runs where it is installed', async () => {
  const { stdout } = await run(process.execPath, [join(dir, 'consumer.ts')])
  expect(stdout.trim()).toBe(`NETWORK true ${loadRegistry().deployment(1)!.guard.address}`)
})

/** Bytes, compressed, of what a page loads that imports these names. */
async function weigh(names: string): Promise<number> {
  writeFileSync(join(dir, 'entry.js'), `export { ${names} } from '@sluice/client'`)
  const bundle = await rolldown({ input: join(dir, 'entry.js'), platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  expect(output[0].imports).toEqual([])
  return gzipSync(output[0].code, { level: 9 }).length
}

test('a page that swaps loads at most 33 kB of it, and one that only asks for prices a fraction', async () => {
  const all = await weigh('SluiceClient, swap, fromEip1193')
  expect(all).toBeLessThanOrEqual(33_000)
  expect(await weigh('SluiceClient')).toBeLessThan(6_000)
  expect(await weigh('explain')).toBeLessThan(all / 2)
})
