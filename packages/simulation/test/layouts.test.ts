import type { Hex } from '@sluice/chains'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slotSetUp } from '../src/setup.ts'
import { SLOT_PROBE, storageOverrides, TokenReader } from '../src/slots/reader.ts'
import { SlotResolver } from '../src/slots/resolver.ts'
import { deployer } from './chain.ts'
import { compile } from './compile.ts'
import { checkToken, unusedAccount } from './token-check.ts'

let anvil: Anvil
let rpc: Rpc
const contracts = compile('Layouts.sol')
beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: 31337, urls: [anvil.url] })
})
afterAll(() => anvil?.stop())

/** Most round trips until both slots are known. */
const layouts = {
  ...{ Plain: 1, WrappedNative: 1, Upgradeable: 1, Namespaced: 1, VyperOrder: 1, Seeded: 1, Barred: 1, Packed: 1 },
  ...{ Checkpoints: 1, Shifted: 2, Shares: 2, Lent: 2, Elastic: 2, Reflection: 2 },
  ...{ OwnNamespace: 5, Stored: 5, Proxied: 5 },
}
const creationOf = (name: string): Hex => {
  const args = name === 'Packed' ? AbiCoder.defaultAbiCoder().encode(['address'], [unusedAccount]).slice(2) : ''
  return `${contracts[name]!.creation}${args}`
}

test.each(Object.entries(layouts))(
  '%s is resolved in at most %i round trips and passes the full check',
  async (name, trips) => {
    const token = await deployer(anvil.url)(creationOf(name))
    const { outcome, calls } = await checkToken(rpc, new SlotResolver(), token, [unusedAccount])
    expect(outcome).toBe('passed')
    expect(calls).toBeLessThanOrEqual(trips)
  },
)

test('bits next to a packed balance do not change', async () => {
  const token = await deployer(anvil.url)(creationOf('Packed'))
  const reader = new TokenReader({ rpc, token, block: 'latest', request: {} })
  const layout = await new SlotResolver().layout(reader)
  const setUp = (await slotSetUp(reader, layout, { from: unusedAccount, spender: SLOT_PROBE, amountIn: 5n }))!
  const data = contracts.Packed!.abi.encodeFunctionData('upper', [unusedAccount]) as Hex
  const answer = await rpc.call({ to: token, data }, 'latest', { overrides: storageOverrides(setUp.writes) })
  expect(BigInt(answer)).toBe(77n)
})
