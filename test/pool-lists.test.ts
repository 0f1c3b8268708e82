/** Tests the pool list of the recorded Ethereum state, and the documented commands that create and use such a list. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deployContracts } from '@sluice/contracts'
import { accounts, freePort, type Mainnet, NodeProxy, readState, startMainnet } from '@sluice/devnet'
import { readPoolList } from '@sluice/liquidity'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startService } from './src/service.ts'
import { get, swapUrl } from './src/swap.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

const FILE = 'packages/devnet/mainnet/ethereum-pools.json.gz'
const AT_ONCE = 8
/** Every nth recorded pool is requested, unless the list is written. */
const SAMPLE = 12
const MAX_LOOKS = 1_800

const bytes = () => readFileSync(join(root, FILE))
const hash = () => createHash('sha256').update(bytes()).digest('hex')
const dir = mkdtempSync(join(tmpdir(), 'sluice-pool-lists-'))
const env = {
  DEPLOYMENTS_DIR: join(dir, 'deployments'),
  CHAINS: '1',
  REQUEST_TIMEOUT_MS: '120000',
  RPC_TIMEOUT_MS: '60000',
  LOG_LEVEL: 'info',
}
const query = {
  src: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  dst: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  amount: 10n ** 18n,
  from: accounts()[0]!.address,
}

let kill = () => {}
afterEach(() => kill())
afterAll(() => rmSync(dir, { recursive: true }))

type Ready = { readonly pools?: number; readonly scan?: { readonly state: string } }

async function untilScanned(url: string): Promise<Ready> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { body } = await get<Ready>(`${url}/ready/1`)
    if (body.scan?.state === 'done') return body
    await sleep(100)
  }
  throw new Error('the search of past logs has not ended')
}

/** Starts a command as a shell does, in its own process group. */
function serve(command: string, args: readonly string[], set: Readonly<Record<string, string>>) {
  const started = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env, DATA_DIR: '', ...set },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let text = ''
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk
    })
  const ended = new Promise<number | null>((resolve) => started.once('exit', resolve))
  kill = () => {
    if (started.exitCode === null && started.signalCode === null) process.kill(-started.pid!, 'SIGKILL')
  }
  return { output: () => text, ended }
}

describe('the recorded state of Ethereum', () => {
  let mainnet: Mainnet
  beforeAll(async () => {
    mainnet = await startMainnet()
    await deployContracts({ rpcUrl: mainnet.url, chainId: 1, deploymentsDir: env.DEPLOYMENTS_DIR })
  }, 300_000)
  afterAll(() => mainnet?.stop())

  test('the list in the repository equals the export of a service after requests for the recorded pairs', {
    tags: 'long',
    timeout: 600_000,
  }, async () => {
    const service = await startService({ ...env, RPC_URL_1: mainnet.url, DATA_DIR: join(dir, 'data') })
    const recorded = readState('ethereum').pools
    const sample = process.env.WRITE_POOLS ? recorded : recorded.filter((_, k) => k % SAMPLE === 0)
    const pairs = sample.map(({ tokens }) => tokens)
    for (let at = 0; at < pairs.length; at += AT_ONCE)
      await Promise.all(
        pairs.slice(at, at + AT_ONCE).map(([src, dst]) => get(swapUrl(service.url, 1, { ...query, src, dst }))),
      )
    await untilScanned(service.url)
    await service.stop()
    const file = join(dir, 'pools.json.gz')
    const exportPoolsTo = (path: string) =>
      run('npm', ['run', '--silent', 'snapshot', '--', 'pools', '1', path], {
        cwd: root,
        env: { ...process.env, ...env, DATA_DIR: join(dir, 'data') },
      })
    await exportPoolsTo(file)
    const refusal = { code: 2, stderr: expect.stringMatching(/^ENOENT: .*\n$/) }
    await expect(exportPoolsTo(join(dir, 'missing/pools.json.gz'))).rejects.toMatchObject(refusal)
    // Test data, regenerated manually after changes of the state or the families.
    if (process.env.WRITE_POOLS) writeFileSync(join(root, FILE), readFileSync(file))
    const [exportedList, recordedList] = [readPoolList(readFileSync(file)), readPoolList(bytes())]
    const idsOf = ({ deployments }: typeof exportedList) =>
      deployments.flatMap(({ family, pools }) => pools.map(({ id }) => `${family} ${id}`)).sort()
    const recordedIds = new Set(idsOf(recordedList))
    expect(idsOf(exportedList).filter((id) => !recordedIds.has(id))).toEqual([])
    const factories = new Set(recordedList.deployments.map(({ address }): string => address))
    const missing = sample.filter(
      ({ factory, family, address }) => factories.has(factory) && !recordedIds.has(`${family} ${address}`),
    )
    expect(missing).toEqual([])
    expect(recordedList.chainId).toBe(1)
    expect(recordedIds.size).toBeGreaterThan(recorded.length)
    expect(bytes().length).toBeLessThan(1_000_000)
  })

  test('npm run serve starts from the list, and does not search logs that it covers', {
    tags: 'long',
    timeout: 600_000,
  }, async () => {
    const covered = new Map(
      readPoolList(bytes()).deployments.flatMap(({ address, scannedTo }) =>
        scannedTo === undefined ? [] : [[address as string, scannedTo] as const],
      ),
    )
    expect(covered.size).toBeGreaterThan(0)
    /** Requests for logs of deployments in blocks that the list covers. */
    const scanned: string[] = []
    const node = await NodeProxy.start(mainnet.url, ({ method, params }) => {
      const { address, fromBlock } = (params[0] ?? {}) as { address?: string | string[]; fromBlock?: string }
      if (method === 'eth_getLogs' && fromBlock !== undefined)
        for (const one of [address ?? []].flat())
          if (Number(fromBlock) <= (covered.get(one.toLowerCase()) ?? -1))
            scanned.push(`${one} from ${Number(fromBlock)}`)
      return undefined
    })
    const plain = await startService({ ...env, RPC_URL_1: mainnet.url })
    await get(swapUrl(plain.url, 1, query))
    const { pools } = await untilScanned(plain.url)
    await plain.stop()

    const port = await freePort()
    const command = ['run', '--silent', 'serve', '--', '--pools', `${FILE}#sha256=${hash()}`]
    const { output } = serve('npm', command, { RPC_URL_1: node.url, PORT: String(port) })
    const url = `http://127.0.0.1:${port}`
    await expect
      .poll(
        () =>
          fetch(`${url}/health`).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 240_000 },
      )
      .toBe(true)
    expect((await get(swapUrl(url, 1, query))).status).toBe(200)
    const ready = await untilScanned(url)
    expect(ready.pools).toBeGreaterThanOrEqual(pools!)
    await expect.poll(output, { timeout: 60_000 }).toContain('the chain has all pools of the list')
    expect(scanned).toEqual([])
    await node.stop()
  })
})

test.each([
  ['a file with another hash', `${FILE}#sha256=${'0'.repeat(64)}`, 'it is not the file that was named'],
  ['a URL without a hash', 'https://example.org/pools.json.gz', 'a URL must end in #sha256='],
  ['a file that is not there', 'missing.json.gz', 'cannot be read'],
])(
  'the service refuses %s',
  async (_, source, message) => {
    const { output, ended } = serve(process.execPath, ['scripts/serve.ts', '--pools', source], { PORT: '0' })
    expect(await ended).toBe(1)
    expect(output()).toContain(message)
  },
  60_000,
)

test('the README names the list by its hash', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(readme).toContain(`--pools '${FILE}#sha256=${hash()}'`)
})
