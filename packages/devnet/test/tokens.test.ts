/** Tests of the tokens' special behavior. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEPLOYER } from '../src/accounts.ts'
import { request } from '../src/node.ts'
import { TOKENS, type TokenSpec, type TokenSymbol } from '../src/tokens.ts'
import { approve, startView, view } from './fixture.ts'

let devnet: Awaited<ReturnType<typeof startView>>
beforeAll(async () => {
  devnet = await startView()
})
afterAll(() => devnet.stop())

const symbols = Object.keys(TOKENS) as TokenSymbol[]
const other = () => devnet.info.accounts[5]!.address

describe('tokens', () => {
  it.each(symbols)('%s returns its decimals, and account 0 holds at least 1,000 of it', async (symbol) => {
    const { decimals } = TOKENS[symbol]
    expect(Number(await devnet.token(symbol).read('decimals'))).toBe(decimals)
    expect(await devnet.balance(symbol)).toBeGreaterThanOrEqual(1_000n * 10n ** BigInt(decimals))
  })

  it('are of 18, 8, 6 and 2 decimals and at least twelve', () => {
    expect(symbols.length).toBeGreaterThanOrEqual(12)
    expect(new Set(Object.values(TOKENS).map(({ decimals }) => decimals))).toEqual(new Set([18, 8, 6, 2]))
  })

  const plain = symbols.filter((symbol) => !('kind' in TOKENS[symbol]) || TOKENS[symbol].kind === 'WETH9')
  it.each(plain)('%s arrives in full, by transfer and by transferFrom', async (symbol) => {
    const unit = 10n ** BigInt(TOKENS[symbol].decimals)
    await devnet.token(symbol).send('transfer', [other(), unit])
    expect(await devnet.balance(symbol, other())).toBe(unit)
    const spender = view(devnet.url, devnet.info, other())
    await approve(devnet.token(symbol), other())
    await spender.token(symbol).send('transferFrom', [devnet.me, other(), unit])
    expect(await devnet.balance(symbol, other())).toBe(2n * unit)
  })

  it.each(symbols)('%s refuses to move more than the balance or the allowance', async (symbol) => {
    const spender = view(devnet.url, devnet.info, devnet.info.accounts[6]!.address)
    await expect(spender.token(symbol).call('transfer', [devnet.me, 1n << 100n])).rejects.toThrow(/revert/)
    await expect(spender.token(symbol).call('transferFrom', [devnet.me, spender.me, 1n << 60n])).rejects.toThrow(
      /revert/,
    )
  })

  it('USDT returns nothing, and requires an allowance of zero before a change', async () => {
    const usdt = devnet.token('USDT')
    expect(await usdt.call('transfer', [other(), 1n])).toBe('0x')
    expect(await usdt.call('approve', [other(), 1n])).toBe('0x')
    await usdt.send('approve', [other(), 1n])
    expect(
      await view(devnet.url, devnet.info, other()).token('USDT').call('transferFrom', [devnet.me, other(), 1n]),
    ).toBe('0x')
    await expect(usdt.call('approve', [other(), 2n])).rejects.toThrow(/revert/)
  })

  it('TAXED keeps 5 % of every transfer for its collector', async () => {
    const before = await devnet.balance('TAXED')
    const collected = await devnet.balance('TAXED', DEPLOYER)
    await devnet.token('TAXED').send('transfer', [other(), 1_000n])
    expect(before - (await devnet.balance('TAXED'))).toBe(1_000n)
    expect(await devnet.balance('TAXED', other())).toBe(950n)
    expect((await devnet.balance('TAXED', DEPLOYER)) - collected).toBe(50n)
  })

  it('STETH grows every balance in proportion at a rebase and moves whole shares', async () => {
    const steth = devnet.token('STETH')
    expect(await steth.read('totalShares')).not.toBe(await steth.read('totalSupply'))
    const before = await devnet.balance('STETH')
    await steth.send('rebase', [10_000n])
    const grown = (before * 1_010_000n) / 1_000_000n
    const after = await devnet.balance('STETH')
    expect(after).toBeGreaterThanOrEqual(grown - 2n)
    expect(after).toBeLessThanOrEqual(grown + 2n)
    await steth.send('rebase', [-20_000n])
    expect(await devnet.balance('STETH')).toBeLessThan(before)

    let short = 0
    for (let amount = 1_000_000_007n; amount < 1_000_000_027n; amount += 1n) {
      const balanceBefore = await devnet.balance('STETH', other())
      await steth.send('transfer', [other(), amount])
      const received = (await devnet.balance('STETH', other())) - balanceBefore
      expect(amount - received).toBeLessThanOrEqual(2n)
      if (received < amount) short += 1
    }
    expect(short).toBeGreaterThan(0)
  })

  it('WETH is the genuine one and holds a wei for each of its own', async () => {
    await devnet.token('WETH').send('deposit', [], 5n)
    await devnet.token('WETH').send('withdraw', [2n])
    const balance = await request<string>(devnet.url, 'eth_getBalance', [devnet.info.tokens.WETH.address, 'latest'])
    expect(BigInt(balance)).toBe(await devnet.token('WETH').read<bigint>('totalSupply'))
  })
})

describe('token kinds', () => {
  it('cover one without return values, one taxed and one rebasing', () => {
    const kinds = Object.values<TokenSpec>(TOKENS).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['NoReturnToken', 'TaxedToken', 'RebasingToken', 'WETH9']))
  })
})
