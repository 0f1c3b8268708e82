/** Tests how results of the redemption lens are read. */
import { RedemptionLens__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { readRedemptions, UNREADABLE } from './read.ts'

const lens = RedemptionLens__factory.createInterface()
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [SHARE, TOKEN, OTHER, HOLDER] = [at(1), at(2), at(3), at(4)]
const VAULT = 1
const PAIR = 5

/** A vault whose 1,000 shares redeem for 2,000 units of a token; a sample of 10 shares redeems for 20. */
const vault = {
  ...{ kind: VAULT, supply: 1_000n, sample: 10n, redeemed: 20n, limit: 2_000n },
  ...{ tokens: [TOKEN], held: [2_000n], scales: [10n ** 18n] },
}
function read(state: Partial<Omit<typeof vault, 'tokens'>> & { readonly tokens?: readonly Address[] } = {}) {
  const reads = readRedemptions([SHARE], [HOLDER])
  const { value } = reads.next([])
  const [{ data }] = value as unknown as [{ data: Hex }]
  expect([...lens.decodeFunctionData('read', data)]).toEqual([SHARE, HOLDER, ZERO_ADDRESS])
  const answer = lens.encodeFunctionResult('read', [{ ...vault, ...state } as never]) as Hex
  return (reads.next([answer]).value as readonly unknown[])[0]
}

test('a vault redeems at its rate, all of its balance or up to a limit', () => {
  expect(read()).toEqual({
    ...{ share: SHARE, kind: 'vault', supply: 1_000n, rate: 2, maxRedeemable: null },
    parts: [{ token: TOKEN, balance: 2_000n, scale: 1 }],
  })
  expect(read({ limit: 1_999n })).toMatchObject({ maxRedeemable: 1_999n })
})

test('shares of several tokens have no limit, and a pair needs no rate', () => {
  const parts = { tokens: [TOKEN, toAddress(NATIVE)], held: [5n, 6n], scales: [] }
  expect(read({ ...parts, kind: PAIR, redeemed: 0n, limit: 0n })).toMatchObject({
    ...{ kind: 'pair', maxRedeemable: null },
    parts: [
      { token: TOKEN, balance: 5n, scale: 0 },
      { token: ZERO_ADDRESS, balance: 6n, scale: 0 },
    ],
  })
})

test.each([
  ['that is no share', { kind: 0 }],
  ['without a sample', { sample: 0n }],
  ['without parts', { tokens: [], held: [], scales: [] }],
  ['that redeems for itself', { tokens: [SHARE] }],
  ['of which one part is itself', { kind: PAIR, tokens: [OTHER, SHARE], held: [1n, 1n], scales: [] }],
])('a token %s has no value by redemption', (_, state) => {
  expect(read(state)).toBeNull()
})

test('a share without a supply is unknown; one without a rate, and a failed read, are unreadable', () => {
  expect(read({ supply: 0n })).toBeUndefined()
  expect(read({ redeemed: 0n })).toBe(UNREADABLE)
  const reads = readRedemptions([SHARE], [])
  reads.next([])
  expect(reads.next([null]).value).toEqual([UNREADABLE])
})
