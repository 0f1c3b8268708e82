import { type Address, type Chain, toAddress } from '@sluice/chains'
import { TokenFacts } from '@sluice/liquidity'
import { createSimulationContext } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { applyFact, publishFacts, type SharedFact } from './shared-facts.ts'
import { TaxRecords } from './taxes.ts'

const TOKEN = toAddress(`0x${'12'.repeat(20)}`)
const chain = {
  ...{ hubs: [], stables: [], tokens: [], dexes: [], wrappedNative: null },
  nativeCurrency: { decimals: 18 },
}
const createStores = () => ({
  facts: new TokenFacts(chain as unknown as Chain),
  taxes: new TaxRecords(),
  slots: createSimulationContext({ maxGas: 1n, timeoutMs: 1 }).slots,
})
const TAX = { buyPpm: 1, sellPpm: 20_000, transferPpm: 3, surchargePpm: 0 }

test('facts that one process measures reach another', async () => {
  const [one, other] = [createStores(), createStores()]
  const facts: SharedFact[] = []
  publishFacts(one, (fact) => facts.push(fact))
  publishFacts(other, () => expect.unreachable('applied facts are not published again'))
  one.facts.onChecked(TOKEN, 6)
  one.taxes.onMeasured(TOKEN, 'pool', TAX, 7)
  const mapping = { order: 'vyper', base: 2n ** 200n, contract: TOKEN } as const
  one.slots.onLayoutComplete(TOKEN, { allowance: mapping })
  for (const fact of facts) applyFact(other, fact)
  expect(other.facts.decimals(TOKEN)).toBe(6)
  expect(other.facts.isToken(TOKEN)).toBe(true)
  expect(other.taxes.taxedTokens.get(TOKEN)).toEqual({ usual: TAX, inPool: new Map([['pool', TAX]]) })
  expect(await other.slots.layout({ token: TOKEN } as never)).toEqual({ allowance: mapping })
})

test('the newer of two measurements counts, in any order of arrival', () => {
  const { taxes } = createStores()
  const of = (sellPpm: number) => ({ ...TAX, sellPpm })
  taxes.record(TOKEN, 'a', of(2), 20)
  taxes.record(TOKEN, 'a', of(1), 10)
  taxes.record(TOKEN, 'b', of(3), 15)
  expect(taxes.taxedTokens.get(TOKEN)?.usual).toEqual(of(2))
  expect(taxes.taxedTokens.get(TOKEN)?.inPool).toEqual(new Map(Object.entries({ a: of(2), b: of(3) })))
})

test.each([
  { key: 'tax', text: '{}' },
  { key: `tax ${TOKEN} pool`, text: '{"buyPpm":1e9}' },
  { key: `tax ${TOKEN} pool`, text: 'null' },
  { key: `slots ${TOKEN}`, text: '"#zz"' },
  { key: `slots ${TOKEN}`, text: '7' },
  { key: `decimals ${TOKEN}`, text: '"six"' },
  { key: 'decimals 0x12', text: '6' },
  { key: `unheard ${TOKEN}`, text: '{' },
])('the invalid fact $key $text is ignored', (fact) => {
  const all = createStores()
  applyFact(all, { ...fact, measuredMs: 1 })
  expect([...all.taxes.taxedTokens]).toEqual([])
  expect(all.facts.isToken(TOKEN as Address)).toBeUndefined()
  expect(all.slots.statistics.remembered).toBe(0)
})
