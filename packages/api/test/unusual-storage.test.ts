/** Tests quotes of tokens with unusual storage layouts of balances and allowances. */
import { toAddress } from '@sluice/chains'
import { createBuilder } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const local = localService()
const WHOLE = 10n ** 18n
const ERC20 = ['function approve(address,uint256)', 'function balanceOf(address) view returns (uint256)']

test.each(['StructMember', 'Numbered', 'HashedAllowances', 'LendingMarket', 'AToken', 'Eternal'])(
  '%s',
  async (name) => {
    const { devnet, server } = local
    const from = devnet.info.accounts[2]!.address
    const weth = devnet.info.tokens.WETH!.address
    const token = await deployToken(devnet, name)
    const mine = createBuilder(devnet.url, toAddress(from)).contractAt(ERC20, token.address)
    await token.send('mint', [from, 3n * WHOLE])
    const query = { src: token.address, dst: weth, amount: `${WHOLE}`, from }
    const quote = async (overrides: Record<string, string> = {}) => {
      const { status, text } = await ask(
        `${server.url}/aggregator/31337?${new URLSearchParams({ ...query, ...overrides })}`,
      )
      return { status, body: JSON.parse(text) }
    }
    // The quote also works before the approval.
    expect(await quote()).toMatchObject({ status: 200 })
    await mine.send('approve', [devnet.info.guard, 2n ** 256n - 1n])
    const { status, body } = await quote()
    expect(status, JSON.stringify(body)).toBe(200)
    const { tx, toAmount, gasEstimate } = body
    const received = createBuilder(devnet.url, toAddress(from)).contractAt(ERC20, weth)
    const before = await received.read<bigint>('balanceOf', [from])
    const gas = `0x${((BigInt(gasEstimate) * 12n + 9n) / 10n).toString(16)}`
    const receipt = await request(devnet.url, 'eth_sendTransactionSync', { from, to: tx.to, data: tx.data, gas })
    expect(receipt).toMatchObject({ status: '0x1' })
    expect((await received.read<bigint>('balanceOf', [from])) - before).toBe(BigInt(toAmount))
  },
)

test('the error for a sender without the token names no parameter that a quote lacks', async () => {
  const token = await deployToken(local.devnet, 'Numbered')
  // If the sender has no balance, the simulation borrows the tokens from a pool.
  const query = { src: token.address, dst: local.devnet.info.tokens.WETH!.address, amount: `${WHOLE}` }
  const from = `0x${'fb'.repeat(20)}`
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams({ ...query, from })}`)
  expect(text).not.toMatch(/balanceSlot|allowanceSlot/)
  expect([200, 422]).toContain(status)
})
