import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulationContext, reportToken } from '../src/index.ts'
import { startTestChain, type TestChain } from './chain.ts'

let chain: TestChain
const context = createSimulationContext()
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.anvil.stop())

const report = (symbol: string, base?: string) => {
  const pair = chain.info.pools.find(
    ({ dex, tokens }) =>
      dex === 'Uniswap V2' && base && tokens.includes(base as never) && tokens.includes(symbol as never),
  )
  const address = (name: string) => chain.info.tokens[name]!.address
  const one = 10n ** BigInt(chain.info.tokens[base ?? symbol]!.decimals)
  const pool = pair && { pair: pair.address, base: address(base!) }
  return reportToken(
    chain.rpc,
    { token: address(symbol), block: 'latest', sizes: [one / 100n, one], ...(pool && { pool }) },
    context,
  )
}

test('a plain token takes nothing on any way', async () => {
  expect(await report('LINK', 'WETH')).toMatchObject({
    symbol: 'LINK',
    decimals: 18,
    buyTaxPpm: 0,
    transferTaxPpm: 0,
    sellTaxPpm: 0,
    rebasing: false,
    sellable: true,
    sizeLimited: false,
    needsApprovalReset: false,
  })
})

test('a tax of five percent shows on all three ways', async () => {
  expect(await report('TAXED', 'WETH')).toMatchObject({
    buyTaxPpm: 50_000,
    transferTaxPpm: 50_000,
    sellTaxPpm: 50_000,
    sellable: true,
  })
})

test('without a pool the tax of a transfer is still measured', async () => {
  expect(await report('TAXED')).toMatchObject({
    buyTaxPpm: null,
    transferTaxPpm: 50_000,
    sellTaxPpm: null,
    sellable: null,
  })
})

test('a token that keeps shares is rebasing and not taxed', async () => {
  expect(await report('STETH', 'WETH')).toMatchObject({
    buyTaxPpm: 0,
    transferTaxPpm: 0,
    sellTaxPpm: 0,
    rebasing: true,
  })
})

test('a token that returns nothing is measured like any other', async () => {
  expect(await report('USDT', 'WETH')).toMatchObject({ decimals: 6, transferTaxPpm: 0, sellable: true })
})
