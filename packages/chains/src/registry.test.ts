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
const guard = {
  address: '0x00000000000000000000000000000000000000BB',
  salt: hash,
  initCodeHash: hash,
  codeHash: hash,
  build: 'cancun',
  status: 'predicted',
}
const deployment = (chainId: number) => JSON.stringify({ chainId, guard, executors: [] })

describe('the chain map', () => {
  test('lists exactly the chains with a registry file and a deployment, in ascending order', () => {
    const deploymentsDir = directory({
      '8453.json': deployment(8453),
      '1.json': deployment(1),
      '77.json': deployment(77),
    })
    const registry = loadRegistry({ deploymentsDir })
    expect(registry.supportedIds()).toEqual([1, 8453])
    expect(registry.chainMap()).toEqual({
      '1': {
        ChainID: '1',
        ChainName: 'ethereum',
        RouterAddress: guard.address.toLowerCase(),
        TrackerName: 'Ethereum',
        CoinsPrefix: 'ethereum',
        Status: 'predicted',
      },
      '8453': expect.objectContaining({ ChainID: '8453', ChainName: 'base', TrackerName: 'Base' }),
    })
  })

  test('leaves out chains where the EVM build cannot run, and keeps them in the registry with the reason', () => {
    const registry = loadRegistry({ deploymentsDir: directory({ '324.json': deployment(324) }) })
    expect(registry.chainMap()).toEqual({})
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
      })
    }
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
      deploymentsDir: directory({ '987654321.json': deployment(987654321) }),
    })
    expect(registry.supportedIds()).toEqual([987654321])
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
  expect(registry.deployment(1)).toBeUndefined()
})
