import type { Anvil } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SlotResolver } from '../src/slots/resolver.ts'
import { readMainnet, startMainnet } from './mainnet.ts'
import { type Check, checkToken, unusedAccount } from './token-check.ts'

const fixture = readMainnet()
let anvil: Anvil
beforeAll(async () => {
  anvil = await startMainnet(fixture)
})
afterAll(() => anvil?.stop())

test('of 212 real tokens at least 209 pass the full check', async () => {
  const rpc = createRpc({ chainId: fixture.chainId, urls: [anvil.url], timeoutMs: 20_000 })
  const resolver = new SlotResolver()
  const checks = new Map<string, Check>()
  for (const { token, pools } of fixture.tokens)
    checks.set(token, await checkToken(rpc, resolver, token, [unusedAccount, ...pools]))
  const failed = [...checks].filter(([, { outcome }]) => outcome !== 'passed')
  // Switches or limits of these three were not recorded: they refuse every transfer in this state.
  expect(failed.map(([token, { outcome }]) => `${token} ${outcome}`)).toEqual([
    '0x028171bca77440897b824ca71d1c56cac55b68a3 not moved',
    '0x2fbf61e5236126871018bfbf368ba4cfce0d4512 not moved',
    '0xc825ed9c8dc1b5d21c80f7f9dfe25bc73a6240ad not moved',
  ])
  expect(checks.size - failed.length).toBeGreaterThanOrEqual(209)
}, 120_000)
