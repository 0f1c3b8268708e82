import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'ethers'
import { describe, expect, test } from 'vitest'
import { CHAIN_DATA_DIR, type ChainFile, chainFileSchema, formatChainFile } from './index.ts'

const names = readdirSync(CHAIN_DATA_DIR).filter((name) => name.endsWith('.json'))
const files = names.map((name) => {
  const text = readFileSync(join(CHAIN_DATA_DIR, name), 'utf8')
  return { name, text, file: JSON.parse(text) as ChainFile }
})
const sourceIds = new Set(
  readFileSync(join(CHAIN_DATA_DIR, 'README.md'), 'utf8')
    .split('\n')
    .flatMap((line) => line.match(/^\| `([^`]+)` \|/)?.[1] ?? []),
)

test('the registry has at least 150 chains that can run the EVM build', () => {
  expect(files.filter(({ file }) => file.unsupported === undefined).length).toBeGreaterThanOrEqual(150)
})

test.each(['chainId', 'name', 'trackerName', 'coinsPrefix'] as const)('no two chains share a %s', (field) => {
  const values = files.map(({ file }) => file[field]).filter((value) => value !== null)
  expect(values.filter((value, i) => values.indexOf(value) !== i)).toEqual([])
})

describe.each(files)('$name', ({ name, text, file }) => {
  test('holds to the schema, its file name and the layout of one entry per line', () => {
    const result = chainFileSchema.safeParse(file)
    expect(result.error?.issues).toBeUndefined()
    expect(`${file.chainId}.json`).toBe(name)
    expect(text).toBe(formatChainFile(file))
  })

  test('writes every address with its checksum', () => {
    const addresses = text.match(/(?<=")0x[0-9a-fA-F]{40}(?=")/g) ?? []
    expect(addresses.filter((address) => getAddress(address.toLowerCase()) !== address)).toEqual([])
  })

  test('lists nothing twice and names only sources that are explained', () => {
    const twice = (list: readonly { address: string }[]) =>
      list.map((entry) => entry.address).filter((address, i, all) => all.indexOf(address) !== i)
    expect([...twice(file.stables), ...twice(file.tokens), ...twice(file.dexes)]).toEqual([])
    expect(file.tokens.filter((token) => file.stables.some((stable) => stable.address === token.address))).toEqual([])
    const claims = [...file.stables, ...file.tokens, ...file.dexes].flatMap((entry) => entry.sources ?? [])
    expect(claims.filter((source) => !sourceIds.has(source))).toEqual([])
  })

  test('draws its hubs from the tokens it knows, the native one first', () => {
    const native = file.wrappedNative ?? file.nativeErc20
    const addresses = [native, ...file.stables, ...file.tokens].map((token) => token?.address)
    expect(file.hubs.filter((hub) => !addresses.includes(hub))).toEqual([])
    expect(file.hubs[0]).toBe(native?.address)
  })

  test('prices gas in 10^-18 of the native currency', () => {
    expect(file.nativeCurrency.decimals).toBe(18)
  })

  test('explains a native asset that nothing wraps', () => {
    if (file.wrappedNative === null) expect(file.notes ?? []).not.toEqual([])
  })

  test('has an endpoint to ask and a DEX to trade on', () => {
    expect(file.rpcUrls.length).toBeGreaterThan(0)
    expect(file.dexes.length).toBeGreaterThan(0)
  })
})

test('of all chains, only Monad charges the gas limit', () => {
  expect(files.filter(({ file }) => file.chargesGasLimit).map(({ name }) => name)).toEqual(['143.json'])
})

test('Ethereum has every pool factory of Curve', () => {
  // Numbers 3, 6, 8, 11, 12, and 13 of Curve's address provider 0x5ffe7FB82894076ECB99A30D6A32e969e6e35E98.
  const factories = [
    '0xB9fC157394Af804a3578134A6585C0dc9cc990d4',
    '0xF18056Bbd320E96A48e3Fbf8bC061322531aac99',
    '0x4F8846Ae9380B90d2E71D5e3D042dff3E7ebb40d',
    '0x0c0e5f2fF0ff18a3be9b835635039256dC4B4963',
    '0x6A8cbed756804B16E05E741eDaBd5cB544AE21bf',
    '0x98EE851a00abeE0d95D08cF4CA2BdCE32aeaAF7F',
  ]
  const { dexes } = files.find(({ name }) => name === '1.json')!.file
  const listed = dexes.filter(({ family, role }) => family === 'curve' && role === 'factory')
  expect(listed.map(({ address }) => address).sort()).toEqual(factories.sort())
})

test('BSC has both factories of PancakeSwap stable pools', () => {
  const { dexes } = files.find(({ name }) => name === '56.json')!.file
  expect(dexes.filter(({ family }) => family === 'pancake-stable').map(({ address }) => address)).toEqual([
    '0x25a55f9f2279A54951133D503490342b50E5cd15',
    '0x36bBb126e75351C0DfB651e39b38fe0BC436FFD2',
  ])
})

test('every chain that DODO deployed to has its factories', () => {
  // The chains of the registry in @dodoex/dodo-contract-request, and ZetaChain.
  const chainIds = [1, 10, 56, 137, 196, 1030, 2818, 5000, 7000, 8453, 42161, 43114, 47763, 48900, 59144, 167000]
  const withDodo = files
    .filter(({ file }) => file.dexes.some(({ family }) => family === 'dodo-v2'))
    .map(({ file }) => file.chainId)
  expect(withDodo).toEqual(expect.arrayContaining([...chainIds, 200901, 534352, 11155111, 1313161554]))
})

describe('Slipstream', () => {
  const factoriesOf = (chainId: number, brand: RegExp) =>
    files
      .find(({ file }) => file.chainId === chainId)!
      .file.dexes.filter((row) => row.family === 'slipstream' && brand.test(row.brand))
      .map(({ address }) => address)

  test.each([
    [
      10,
      /^Velodrome/,
      [
        '0x548118C7E0B865C2CfA94D15EC86B666468ac758',
        '0xCc0bDDB707055e04e497aB22a59c2aF4391cd12F',
        '0xe13Dd1fbA721Aa81a1826D9523AC9BC7d260c879',
      ],
    ],
    [
      8453,
      /^Aerodrome/,
      [
        '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
        '0x9592CD9B267748cbfBDe90Ac9F7DF3c437A6d51B',
        '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
        '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
      ],
    ],
  ] as const)('chain %d has every factory of its deployer', (chainId, brand, addresses) => {
    expect(factoriesOf(chainId, brand).sort()).toEqual([...addresses].sort())
  })

  test('chains with the first factory of the Superchain have the second', () => {
    const chainIds = files
      .filter(({ text }) => text.includes('0x04625B046C69577EfC40e6c0Bb83CDBAfab5a55F'))
      .map(({ file }) => file.chainId)
    expect(chainIds.length).toBeGreaterThanOrEqual(8)
    for (const chainId of chainIds)
      expect(factoriesOf(chainId, /^Velodrome/), `${chainId}`).toContain('0x718E46d0962A66942E233760a8bd6038Ce54EdCD')
  })
})
