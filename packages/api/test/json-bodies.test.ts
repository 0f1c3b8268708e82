/** Tests JSON bodies: numbers, booleans, lists and null are equivalent to the text of a query. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBody } from '../src/http/body.ts'
import { localService } from './src/devnet.ts'
import { ask } from './src/service.ts'

const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})

describe('a number', () => {
  const echo = express().post('/', readBody, (request, response) => {
    response.json(request.body)
  })
  let url: string
  let close: () => void
  beforeAll(async () => {
    const server = echo.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = () => server.close()
  })
  afterAll(() => close())
  const read = async (json: string) => JSON.parse((await ask(url, post(json))).text)

  test('keeps all digits in any notation', async () => {
    const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const forms = fc.tuple(amounts, fc.nat(40)).map(([amount, shift]) => {
      const digits = `${amount}`.padStart(shift + 1, '0')
      const point = digits.length - shift
      const scientific = `${digits.slice(0, point).replace(/^0+(?=.)/, '')}${shift > 0 ? `.${digits.slice(point)}` : ''}`
      return { amount, json: [`${amount}`, `${amount}.0`, `${scientific}e${shift}`, `${scientific}E+${shift}`] }
    })
    await fc.assert(
      fc.asyncProperty(forms, async ({ amount, json }) => {
        expect(await read(`{"list":[${json}]}`)).toEqual({ list: json.map(() => `${amount}`) })
      }),
      { numRuns: 50 },
    )
  })

  test('may have a redundant fraction, sign, or exponent', async () => {
    const numbers = { a: '0.5', b: '-1', c: '5e-1', d: '1.50', e: '-0.0', f: '1e101', g: '0e5' }
    const json = Object.entries(numbers).map(([name, number]) => `"${name}":${number}`)
    expect(await read(`{${json}}`)).toEqual({ a: '0.5', b: '-1', c: '0.5', d: '1.5', e: '-0', f: '1e101', g: '0' })
  })

  test('does not come from null, text, or booleans', async () => {
    expect(await read('{"a":null,"b":"1e3","c":true,"d":{"e":null}}')).toEqual({ b: '1e3', c: true, d: {} })
  })
})

describe('at every endpoint that takes a body', () => {
  const service = localService()
  const token = (symbol: string) => service.devnet.info.tokens[symbol]!.address
  const call = async (path: string, body: string) => {
    const { status, text } = await ask(`${service.server.url}${path}/31337`, post(body))
    return { status, body: JSON.parse(text) }
  }

  test('/quotes accepts JSON types and strings alike', async () => {
    const pair = { src: token('WETH'), dst: token('USDC') }
    const from = service.devnet.info.accounts[0]!.address
    const asText = [
      {
        ...pair,
        amount: '3000000000000000000',
        slippage: '0.5',
        maxHops: '2',
        includeSources: 'uniswap-v3,uniswap-v2',
      },
      { ...pair, amount: '1000000000000000001', from, calls: '1', deadline: '99999999999' },
    ]
    const asJson = `[
      {"src":"${pair.src}","dst":"${pair.dst}","amount":3e18,"slippage":0.5,"maxHops":2,"from":null,"permit":null,
       "includeSources":["uniswap-v3","uniswap-v2"],"excludePools":[],"excludeSources":null},
      {"src":"${pair.src}","dst":"${pair.dst}","amount":1000000000000000001,"from":"${from}","calls":true,
       "deadline":99999999999,"amountOut":null}]`
    // One request contains both forms, so both are quoted at the same block.
    const all = `{"quotes":[${JSON.stringify(asText).slice(1, -1)},${asJson.trim().slice(1, -1)}]}`
    const { status, body } = await call('/quotes', all)
    expect(status, JSON.stringify(body)).toBe(200)
    const essence = body.quotes.map(
      ({ error, fromAmount, toAmount, minToAmount, swaps, calls }: Record<string, unknown>) => ({
        ...{ error, fromAmount, toAmount, minToAmount, swaps, calls },
      }),
    )
    expect(essence[0].error).toBeUndefined()
    expect(essence[1].calls).toHaveLength(2)
    expect(essence.slice(2)).toEqual(essence.slice(0, 2))
  })

  test('/quotes refuses lists for single values, and other types', async () => {
    const good = { src: token('WETH'), dst: token('USDC'), amount: '1' }
    const bad = [
      { src: [good.src] },
      { amount: ['1', '2'] },
      { slippage: {} },
      { includeSources: [1.5, {}] },
      { maxHops: true },
      { amount: true },
      { slippage: false },
      { calls: 'true' },
    ]
    const quotes = bad.map((change) => ({ ...good, ...change }))
    const { body } = await call('/quotes', JSON.stringify({ quotes }))
    const errors = body.quotes.map(({ code, error }: Record<string, unknown>) => [code, error])
    expect(errors).toEqual([
      ['INVALID_PARAMETER', 'src and dst must be valid 0x... addresses'],
      ['INVALID_PARAMETER', 'amount must be given once'],
      ['INVALID_PARAMETER', 'slippage must be a string'],
      ['INVALID_PARAMETER', 'includeSources must be given once'],
      ['INVALID_PARAMETER', 'maxHops must be a string'],
      ['INVALID_PARAMETER', 'amount must be a string'],
      ['INVALID_PARAMETER', 'slippage must be a string'],
      ['INVALID_PARAMETER', 'calls must be 0 or 1'],
    ])
  })

  test('/simulate and POST /prices take numbers and null', async () => {
    const [from, to] = service.devnet.info.accounts.map(({ address }) => address)
    const fields = { from, to, data: '0x', tokenIn: token('WETH'), tokenOut: token('USDC') }
    const body = JSON.stringify(fields).replace(
      '}',
      ',"amountIn":5e17,"gas":300000,"block":null,"gasPrice":0,"balanceSlot":null}',
    )
    const simulated = await call('/simulate', body)
    expect(simulated.body).toMatchObject({ block: 'latest' })
    const asText = { ...fields, amountIn: '500000000000000000', gas: '300000', gasPrice: '0' }
    expect(simulated).toEqual(await call('/simulate', JSON.stringify(asText)))
    const list = `"token":["${token('WETH')}"]`
    for (const detail of ['1', '"1"', 'true']) {
      const prices = await call('/prices', `{${list},"detail":${detail},"block":null}`)
      expect(prices.body[token('WETH')], detail).toHaveProperty('confidence')
    }
  })
})
