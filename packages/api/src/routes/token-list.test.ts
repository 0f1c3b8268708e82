/** Tests of `/tokenlist`. */
import { NATIVE } from '@sluice/chains'
import { expect, test } from 'vitest'
import { account, ONE, served } from '../../test/src/in-memory.ts'
import { NATIVE_TEXT } from '../requests.ts'

const MIXED = account('a')
const token = (address: string, origin: string, copyOf?: string) => ({
  ...{ address, origin, name: `Name of ${origin}`, symbol: origin.toUpperCase(), decimals: 6, depthUsd: 12.5 },
  ...(copyOf && { copyOf }),
})
const all = [token(NATIVE, 'native'), token(ONE, 'registry'), token(MIXED, 'found', ONE)]

async function listOf(query = '') {
  const searches: unknown[] = []
  const { ask } = served({
    listTokens: async (search: unknown) => {
      searches.push(search)
      return { madeAt: 1_700_000_000_000, block: 77, tokens: all }
    },
  })
  const { status, body } = await ask(`/tokenlist/1${query}`)
  return { status, list: JSON.parse(body), searches }
}

test('the list has a version by its block, and names each tag of its tokens', async () => {
  const { list, searches } = await listOf()
  expect(list).toMatchObject({
    ...{ name: 'Sluice 1', timestamp: '2023-11-14T22:13:20.000Z', version: { major: 1, minor: 0, patch: 77 } },
  })
  expect(Object.keys(list.tags)).toEqual(['native', 'registry', 'found', 'unlisted', 'copy'])
  expect(searches).toEqual([undefined])
})

test('a token has its checksum address, its origin, and the token that it copies', async () => {
  const { tokens } = (await listOf()).list
  const common = { chainId: 1, decimals: 6 }
  expect(tokens).toEqual([
    {
      ...{ ...common, address: NATIVE_TEXT, name: 'Name of native', symbol: 'NATIVE', tags: ['native'] },
      extensions: { depthUsd: 12.5 },
    },
    {
      ...{ ...common, address: ONE, name: 'Name of registry', symbol: 'REGISTRY', tags: ['registry'] },
      extensions: { depthUsd: 12.5 },
    },
    {
      ...{ ...common, address: '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa', name: 'Name of found', symbol: 'FOUND' },
      ...{ tags: ['found', 'copy'], extensions: { depthUsd: 12.5, copyOf: ONE } },
    },
  ])
})

test('a search is passed on, unless it is empty, and the list may be shorter', async () => {
  const { list, searches } = await listOf('?q=weth&limit=2')
  expect([list.tokens.length, searches]).toEqual([2, ['weth']])
  expect((await listOf('?q=')).searches).toEqual([undefined])
  expect((await listOf(`?q=${'x'.repeat(100)}`)).status).toBe(200)
  for (const query of ['?limit=0', '?limit=1001', `?q=${'x'.repeat(101)}`])
    expect((await listOf(query)).status).toBe(400)
})
