import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type ChainFile, ChainsError, formatChainFile, loadRegistry } from './index.ts'

const directories: string[] = []
function directory(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-chains-'))
  directories.push(dir)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}
afterEach(() => {
  for (const dir of directories.splice(0)) rmSync(dir, { recursive: true })
})

const token = '0x00000000000000000000000000000000000000AA'
const madeUp: ChainFile = {
  chainId: 987654321,
  name: 'made-up',
  displayName: 'Made Up',
  trackerName: 'Made Up Chain',
  coinsPrefix: null,
  nativeCurrency: { symbol: 'MADE', name: 'Made', decimals: 18 },
  wrappedNative: { address: token, symbol: 'WMADE', decimals: 18 },
  stables: [],
  hubs: [token],
  tokens: [],
  rpcUrls: ['https://rpc.example.org'],
  blockTimeMs: null,
  l1FeeModel: 'none',
  evm: {},
  dexes: [
    { family: 'uniswap-v2', brand: 'Made Swap', role: 'factory', address: token, feePpm: 3000, feeBasis: 'assumed' },
  ],
}
const hash = `0x${'11'.repeat(32)}`
const code = (address: string) => ({ address, salt: hash, initCodeHash: hash, codeHash: hash })
const guard = code('0x00000000000000000000000000000000000000bb')
const executor = (version: number) => ({
  ...code(`0x${String(version).repeat(40)}`),
  version,
  families: ['uniswap-v2'],
})
const releases = (...executors: object[]) => JSON.stringify({ cancun: { guard, executors } })
const deploymentJson = (chainId: number, ...addresses: string[]) =>
  JSON.stringify({ chainId, build: 'cancun', deployed: Object.fromEntries(addresses.map((at) => [at, { block: 7 }])) })

describe('the chain map', () => {
  test('lists the chains of the registry in ascending order, each with the Guard of its build and whether it was seen', () => {
    const deploymentsDir = directory({
      'releases.json': releases(executor(1)),
      '8453.json': deploymentJson(8453, guard.address),
      '77.json': deploymentJson(77),
    })
    const registry = loadRegistry({ deploymentsDir })
    const ids = registry.supportedIds()
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(ids).not.toContain(77)
    expect(registry.chainMap()[8453]).toEqual({
      ChainID: '8453',
      ChainName: 'base',
      RouterAddress: guard.address,
      TrackerName: 'Base',
      CoinsPrefix: 'base',
      Status: 'deployed',
      L1FeeModel: 'op-stack',
    })
    expect(registry.chainMap()[1]).toEqual(loadRegistry().chainMap()[1])
  })

  test('expects the build for newer EVMs except where one of their opcodes is known to lack', () => {
    const old = JSON.stringify({ ...madeUp, evm: { push0: true, transientStorage: false } })
    const registry = loadRegistry({ chainsDir: directory({ [`${madeUp.chainId}.json`]: old }) })
    expect(registry.deployment(madeUp.chainId)?.guard.build).toBe('london')
    expect(registry.deployment(1)?.guard.build).toBe('cancun')
  })

  test('knows older Executors where they were seen, and the newest everywhere', () => {
    const deploymentsDir = directory({
      'releases.json': releases(executor(1), executor(2), executor(3)),
      '1.json': deploymentJson(1, executor(1).address),
      '10.json': deploymentJson(10, executor(3).address),
    })
    const { deployment } = loadRegistry({ deploymentsDir })
    const generations = (id: number) => deployment(id)!.executors.map(({ version, status }) => [version, status])
    expect(generations(1)).toEqual([
      [1, 'deployed'],
      [3, 'predicted'],
    ])
    expect(generations(10)).toEqual([[3, 'deployed']])
  })

  test('leaves out chains where the EVM build cannot run, and keeps them in the registry with the reason', () => {
    const registry = loadRegistry({ deploymentsDir: directory({ '324.json': deploymentJson(324) }) })
    expect(registry.supportedIds()).not.toContain(324)
    expect(registry.chain(324)?.unsupported).toMatch(/EraVM/)
    expect(registry.knownIds()).toContain(324)
  })
})

describe("the repository's own chain map", () => {
  const registry = loadRegistry()
  const entries = Object.entries(registry.chainMap())

  test('has at least 150 chains, each with the fields of the interface', () => {
    expect(entries.length).toBeGreaterThanOrEqual(150)
    for (const [id, entry] of entries) {
      expect(entry).toEqual({
        ChainID: id,
        ChainName: expect.stringMatching(/^[a-z0-9-]+$/),
        RouterAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        TrackerName: expect.stringMatching(/\S/),
        CoinsPrefix: entry.CoinsPrefix === null ? null : expect.stringMatching(/\S/),
        Status: expect.stringMatching(/^(deployed|predicted)$/),
        L1FeeModel: registry.chain(Number(id))!.l1FeeModel,
      })
    }
  })

  test('says of each chain whether it charges for publishing below, and of those where nobody knows that', () => {
    const models = Object.fromEntries(entries.map(([id, { L1FeeModel }]) => [id, L1FeeModel]))
    expect(models).toMatchObject({ 1: 'none', 10: 'op-stack', 5000: 'mantle', 42161: 'arbitrum', 4153: 'unknown' })
  })

  test('leaves out exactly the chains that cannot run the build, each of which says why', () => {
    const out = registry.knownIds().filter((id) => !registry.supportedIds().includes(id))
    expect(out).toContain(324)
    for (const id of out) expect(registry.chain(id)!.unsupported, `chain ${id}`).toMatch(/\w+ \w+/)
  })
})

describe('the overlay', () => {
  test('adds a chain', () => {
    const registry = loadRegistry({
      chainsDir: directory({ '987654321.json': formatChainFile(madeUp), 'README.md': 'not a chain' }),
      deploymentsDir: directory({
        '987654321.json': deploymentJson(987654321, loadRegistry().deployment(1)!.guard.address),
      }),
    })
    expect(new Set(registry.supportedIds())).toEqual(new Set([...loadRegistry().supportedIds(), 987654321]))
    expect(registry.chainMap()[987654321]).toMatchObject({ ChainName: 'made-up', Status: 'deployed' })
    expect(registry.chain(987654321)?.hubs).toEqual([token.toLowerCase()])
    expect(registry.chain(1)?.name).toBe('ethereum')
  })

  test('replaces a chain of the registry as a whole', () => {
    const chainsDir = directory({ '1.json': formatChainFile({ ...madeUp, chainId: 1, name: 'other' }) })
    const registry = loadRegistry({ chainsDir, deploymentsDir: directory() })
    expect(registry.chain(1)?.name).toBe('other')
    expect(registry.chain(1)?.dexes).toHaveLength(1)
  })
})

describe('a file that breaks the schema', () => {
  const open = (text: string) => {
    const registry = loadRegistry({ chainsDir: directory({ '5.json': text }), deploymentsDir: directory() })
    return () => registry.chain(5)
  }
  test.each<[field: string, change: object]>([
    ['dexes[0].address', { dexes: [{ family: 'uniswap-v2', brand: 'x', role: 'factory', address: '0x12' }] }],
    ['dexes[0].feeBasis', { dexes: [{ ...madeUp.dexes[0], feeBasis: undefined }] }],
    ['wrappedNative.decimals', { wrappedNative: { address: token, symbol: 'W', decimals: 1.5 } }],
    ['nativeErc20', { nativeErc20: { address: token, symbol: 'W', decimals: 18 } }],
    ['rpcUrls[0]', { rpcUrls: ['rpc.example.org'] }],
    ['hubs[0]', { hubs: ['0x0000000000000000000000000000000000000000'] }],
    ['the whole file', { wrapedNative: null }],
    ['chainId', {}],
  ])('is refused by name of file and of %s', (field, change) => {
    const read = open(JSON.stringify({ ...madeUp, ...(Object.keys(change).length ? { chainId: 5 } : {}), ...change }))
    expect(read).toThrow(ChainsError)
    expect(read).toThrow('5.json: ')
    expect(read).toThrow(`${field}: `)
  })

  test('is refused when it is not JSON', () => {
    expect(open('{')).toThrow(/5\.json: .*JSON/)
  })

  test('does no harm to the other chains', () => {
    const registry = loadRegistry({ chainsDir: directory({ '5.json': '{' }), deploymentsDir: directory() })
    expect(registry.chain(1)?.name).toBe('ethereum')
  })
})

test('a directory that is not there is named', () => {
  expect(() => loadRegistry({ deploymentsDir: '/nowhere/deployments' })).toThrow(/\/nowhere\/deployments/)
})

test('an unknown chain is undefined, not an error', () => {
  const registry = loadRegistry({ deploymentsDir: directory() })
  expect(registry.chain(4)).toBeUndefined()
  expect(registry.deployment(4)).toBeUndefined()
})

test('a registry of some chains knows no others, and refuses one that it cannot know', () => {
  const registry = loadRegistry({ allowedIds: [8453, 1] })
  expect(registry.supportedIds()).toEqual([1, 8453])
  expect(registry.knownIds()).toEqual([1, 8453])
  expect(registry.chain(10)).toBeUndefined()
  expect(() => loadRegistry({ allowedIds: [1, 999_999_999] })).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_CHAIN' }),
  )
})
