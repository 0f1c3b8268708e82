import { type Hex, toAddress } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportToken } from '../src/index.ts'
import { patientContext, startTestChain, type TestChain } from './chain.ts'
import { compile } from './compile.ts'

let chain: TestChain
const context = patientContext()
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.anvil.stop())

const report = (symbol: string, dex?: string) => {
  const { address, decimals } = chain.info.tokens[symbol]!
  const pool = dex && poolOf(symbol, dex).address
  const one = 10n ** BigInt(decimals)
  return reportToken(
    chain.rpc,
    { token: address, block: 'latest', sizes: [one / 100n, one], ...(pool && { pool }) },
    context,
  )
}
const poolOf = (symbol: string, dex: string) => {
  const pool = chain.info.pools.find((pool) => pool.dex === dex && pool.tokens.includes(symbol as never))
  if (!pool) throw new Error(`no pool of ${symbol} on ${dex}`)
  return pool
}

test('a plain token has no tax in any direction', async () => {
  expect(await report('LINK', 'Uniswap V2')).toMatchObject({
    symbol: 'LINK',
    decimals: 18,
    buyTaxPpm: 0,
    transferTaxPpm: 0,
    sellTaxPpm: 0,
    surchargePpm: 0,
    rebasing: false,
    sellable: true,
    sizeLimited: false,
    needsApprovalReset: false,
  })
})

test('a tax of five percent is measured in all three directions', async () => {
  expect(await report('TAXED', 'Uniswap V2')).toMatchObject({
    buyTaxPpm: 50_000,
    transferTaxPpm: 50_000,
    sellTaxPpm: 50_000,
    surchargePpm: 0,
    sellable: true,
  })
})

test.each(['Uniswap V3', 'PancakeSwap V3', 'Curve'])('a token is measured in pools of %s too', async (dex) => {
  const symbol = chain.info.pools.find((pool) => pool.dex === dex)!.tokens[0]!
  expect(await report(symbol, dex)).toMatchObject({ buyTaxPpm: 0, transferTaxPpm: 0, sellTaxPpm: 0, sellable: true })
})

test('without a pool the tax of a transfer is still measured', async () => {
  expect(await report('TAXED')).toMatchObject({
    buyTaxPpm: null,
    transferTaxPpm: 50_000,
    sellTaxPpm: null,
    sellable: null,
  })
})

test('a token with shares is rebasing and not taxed', async () => {
  expect(await report('STETH', 'Uniswap V2')).toMatchObject({
    buyTaxPpm: 0,
    transferTaxPpm: 0,
    sellTaxPpm: 0,
    surchargePpm: 0,
    rebasing: true,
  })
})

test('a token that returns nothing is measured like any other', async () => {
  expect(await report('USDT', 'Uniswap V2')).toMatchObject({ decimals: 6, transferTaxPpm: 0, sellable: true })
})

test('taxes are measured per pool and direction', async () => {
  const { PoolTaxed } = compile('PoolTaxed.sol')
  const token = await chain.deploy(PoolTaxed!.creation)
  const inPool = async (name: string) => {
    const answer = await chain.rpc.call({ to: token, data: PoolTaxed!.abi.encodeFunctionData(name) as Hex }, 'latest')
    const pool = toAddress(`0x${answer.slice(-40)}`)
    return reportToken(chain.rpc, { token, pool, block: 'latest', sizes: [10n ** 15n, 10n ** 18n] }, context)
  }
  expect(await inPool('TAXED_POOL')).toMatchObject({ buyTaxPpm: 30_000, transferTaxPpm: 0, sellTaxPpm: 70_000 })
  expect(await inPool('FREE_POOL')).toMatchObject({ buyTaxPpm: 0, transferTaxPpm: 0, sellTaxPpm: 0 })
})

test('an additional charge to the sender is measured, in a pool and without one', async () => {
  const { Surcharging } = compile('Surcharging.sol')
  const token = await chain.deploy(Surcharging!.creation)
  const pool = chain.info.pools[0]!.address
  const data = Surcharging!.abi.encodeFunctionData('mint', [pool, 10n ** 20n]) as Hex
  await chain.send({ from: chain.rich, to: token, data })
  const of = { token, block: 'latest', sizes: [10n ** 15n, 10n ** 18n] } as const
  expect(await reportToken(chain.rpc, { ...of, pool }, context)).toMatchObject({
    surchargePpm: 50_000,
    transferTaxPpm: 0,
    buyTaxPpm: 0,
  })
  expect(await reportToken(chain.rpc, of, context)).toMatchObject({ surchargePpm: 50_000, transferTaxPpm: 0 })
})
