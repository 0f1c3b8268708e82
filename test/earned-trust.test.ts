/**
 * Tests that an untrusted token that behaves correctly for long enough becomes an intermediate, and loses this status
 * at its first fault.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { get, quote } from './src/swap.ts'
import { Attacker } from './src/traps/attacker.ts'
import { Node } from './src/wallet.ts'

/** Number of consecutive blocks. */
const EARN_BLOCKS = 8

let system: System
let node: Node
beforeAll(async () => {
  system = await startSystem({ EARN_BLOCKS: String(EARN_BLOCKS) })
  node = new Node(system.devnet.url)
})
afterAll(() => system?.stop())

type Standings = Readonly<Record<string, { readonly standing: string; readonly reason: string }>>

test('a token becomes an intermediate after enough blocks, pools, depth, and a clean report, until it takes a tax', async () => {
  const { devnet, api } = system
  const { tokens, accounts } = devnet.info
  const attacker = new Attacker(devnet)
  const [LINK, UNI, DAI] = ['LINK', 'UNI', 'DAI'].map((symbol) => attacker.token(symbol)) as [never, never, never]
  const token = await attacker.deploy('PatientToken')
  const swap = { src: tokens.LINK!.address, dst: tokens.UNI!.address, amount: 4_000n * 10n ** 18n }
  const ask = (over = {}) => quote(api, devnet.chainId, { ...swap, from: accounts[0]!.address, ...over })
  const standing = async () => {
    const url = `${api}/tokens/${devnet.chainId}?token=${token.address},${tokens.LINK!.address}`
    const { body } = await get<Standings>(url)
    expect(body[tokens.LINK!.address]!.standing).toBe('named')
    return body[token.address]!
  }
  const passes = async (over = {}) => {
    const { swaps } = await ask(over)
    return swaps.some(({ tokenOut }) => tokenOut.toLowerCase() === token.address)
  }

  // The first quote starts the loading of prices.
  await ask()
  await attacker.pair({ token: LINK, wholeTokens: 200_000 }, { token, wholeTokens: 3_000_000 })
  await attacker.pair({ token, wholeTokens: 3_000_000 }, { token: UNI, wholeTokens: 390_000 })
  await attacker.pair({ token, wholeTokens: 1_000_000 }, { token: DAI, wholeTokens: 1_000_000 })
  await ask()
  await quote(api, devnet.chainId, { ...swap, dst: token.address, from: attacker.address })
  await get(`${api}/prices/${devnet.chainId}?token=${token.address}`)
  expect(await passes({ intermediates: 'any' })).toBe(true)
  expect(await passes()).toBe(false)
  expect((await standing()).standing).toBe('stranger')

  const deadline = Date.now() + 40_000
  while ((await standing()).standing !== 'earned') {
    expect(Date.now(), `still a stranger: ${(await standing()).reason}`).toBeLessThan(deadline)
    await node.request('evm_mine')
    await ask()
  }
  expect(await passes()).toBe(true)
  expect(await passes({ intermediates: 'named' })).toBe(false)
  const metrics = await (await fetch(`${api}/metrics`)).text()
  expect(metrics).toMatch(/sluice_trust\{chain="31337",kind="earnedTokens"\} 1/)

  // A tax of ten percent: the next quote through the token fails in simulation and is repeated without it.
  await token.send('setTax', [1_000])
  const after = await ask()
  expect(after.swaps.some(({ tokenOut }) => tokenOut.toLowerCase() === token.address)).toBe(false)
  expect(await standing()).toMatchObject({ standing: 'stranger' })
})
