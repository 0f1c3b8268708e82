/**
 * Tests tokens that charge their sender in addition to the sent amount. No swap can guarantee the charged or remaining
 * amount (SECURITY.md), so the service rejects both directions with BAD_TOKEN, independent of the pools.
 */
import type { Contract } from '@sluice/devnet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { get, quote, swapUrl } from './src/swap.ts'
import { Attacker, tokenUnits } from './src/traps/attacker.ts'
import { Node } from './src/wallet.ts'

type Refusal = { readonly code: string; readonly error: string }

let system: System
let attacker: Attacker
let token: Contract
let user: string
beforeEach(async () => {
  system = await startSystem({ ERROR_VERSION: 'B' })
  attacker = new Attacker(system.devnet)
  token = await attacker.deploy('SurchargingToken')
  user = system.devnet.info.accounts[0]!.address
  await token.send('mint', [user, tokenUnits(1_000)])
  // Creating its pools is charged too.
  await token.send('mint', [attacker.address, tokenUnits(100_000)])
})
afterEach(() => system?.stop())

const usdc = () => system.devnet.info.tokens.USDC!.address
// The attacker's Balancer pool, whose fee the owner may set, takes part only with `any`.
const intermediates = 'any'
const sold = () => ({ src: token.address, dst: usdc(), amount: tokenUnits(10), from: user, intermediates })
const bought = () => ({ src: usdc(), dst: token.address, amount: 10_000_000n, from: user, intermediates })
const sides = () =>
  [
    { token, wholeTokens: 100_000 },
    { token: attacker.token('DAI'), wholeTokens: 100_000 },
  ] as const

async function expectRefused(query: ReturnType<typeof sold>): Promise<void> {
  const { status, body } = await get<Refusal>(swapUrl(system.api, system.devnet.chainId, query))
  expect({ status, code: body.code }, JSON.stringify(body)).toEqual({ status: 400, code: 'BAD_TOKEN' })
  expect(body.error).toContain(token.address)
  expect(body.error).toMatch(/charges its sender on top/)
}

test.each(['a pair of Uniswap V2', 'a weighted pool of Balancer'])(
  'is refused in %s, sold and bought',
  async (venue) => {
    if (venue.includes('Balancer')) await attacker.weightedPool(sides())
    else await attacker.pair(...sides())
    await expectRefused(sold())
    await expectRefused(bought())
    // The second request checks that the result is remembered.
    await expectRefused(bought())
  },
)

test('is quoted to the wei while it charges nothing, and refused once it does', async () => {
  await token.send('setSurcharge', [0])
  await attacker.pair(...sides())
  const { chainId, url } = system.devnet
  const { tx, toAmount } = await quote(system.api, chainId, sold())
  const node = new Node(url)
  await node.approve(token.address, user, tx.to, tokenUnits(10))
  const before = await node.balance(usdc(), user)
  expect((await node.send(tx)).status).toBe(true)
  expect((await node.balance(usdc(), user)) - before).toBe(BigInt(toAmount))
  expect(await node.balance(token.address, user)).toBe(tokenUnits(990))

  await token.send('setSurcharge', [300])
  await expectRefused(sold())
  await expectRefused(bought())
})
