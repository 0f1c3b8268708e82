/** Tests of the HTTP endpoints on the local chain. */
import { IERC20__factory } from '@sluice/bindings'
import { NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type System, serviceEnv, startService, startSystem } from './src/service.ts'
import { get, quote, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const erc20 = IERC20__factory.createInterface()
let system: System
let node: Node
let api: string
let chainId: number
let tokens: System['devnet']['info']['tokens']
let sender: string

beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
  api = system.api
  chainId = system.devnet.chainId
  tokens = system.devnet.info.tokens
  sender = system.devnet.info.accounts[0]!.address
})
afterAll(() => system?.stop())

type Simulation = {
  success: boolean
  amountOut: string
  gasUsed: number
  returnData: string
  revertReason?: string
  block: string
}

async function post(body: unknown) {
  const response = await fetch(`${api}/simulate/${chainId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Simulation & { error?: string } }
}

describe('simulate', () => {
  test('the transaction of a swap pays the quoted amount, for a sender without funds', async () => {
    const from = '0x00000000000000000000000000000000000b0b00'
    const amount = 10n ** 18n
    const route = await quote(api, chainId, { src: tokens.WETH!.address, dst: tokens.USDC!.address, amount, from })
    const request = {
      from,
      to: route.tx.to,
      data: route.tx.data,
      tokenIn: route.src,
      amountIn: route.fromAmount,
      tokenOut: route.dst,
    }
    const { status, body } = await post(request)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ success: true, amountOut: route.toAmount, block: 'latest' })
    expect(body.gasUsed).toBeLessThan(Number(route.gasEstimate))
    const { status: getStatus, body: byGet } = await get<Simulation>(
      `${api}/simulate/${chainId}?${new URLSearchParams(request)}`,
    )
    expect(getStatus).toBe(200)
    expect(byGet).toEqual(body)
  })

  test('a reverted call is a result, with its reason', async () => {
    const { status, body } = await post({
      from: sender,
      to: tokens.USDC!.address,
      data: erc20.encodeFunctionData('transferFrom', [system.devnet.info.accounts[5]!.address, sender, 10n ** 30n]),
      tokenIn: tokens.DAI!.address,
      amountIn: '0x64',
      tokenOut: tokens.USDC!.address,
    })
    expect(status).toBe(200)
    expect(body.success).toBe(false)
    expect(body.amountOut).toBe('0')
    expect(body.revertReason).toBeTruthy()
  })

  test('NATIVE as tokenIn is refused', async () => {
    const { status, body } = await post({
      from: sender,
      to: tokens.USDC!.address,
      data: '0x',
      tokenIn: NATIVE,
      amountIn: '1',
      tokenOut: tokens.USDC!.address,
    })
    expect(status).toBe(400)
    expect(body.error).toContain('tokenIn')
  })
})

describe('prices and liquidity', () => {
  test('stables are a dollar, the wrapped native is priced like NATIVE, the unknown is null', async () => {
    const unknown = '0x00000000000000000000000000000000DeaDBeef'
    const usdc = tokens.USDC!.address
    const weth = tokens.WETH!.address
    const { status, body } = await get<Record<string, number | null>>(
      `${api}/prices/${chainId}?token=${usdc},${weth},${NATIVE},${unknown}`,
    )
    expect(status, JSON.stringify(body)).toBe(200)
    expect(Object.keys(body)).toEqual([usdc, weth, NATIVE, unknown])
    expect(body[usdc]).toBeCloseTo(1, 1)
    expect(body[weth]).toBe(body[NATIVE])
    expect(body[weth]).toBeGreaterThan(100)
    expect(body[unknown]).toBeNull()
  })

  test('the price of a token agrees with what a small swap pays', async () => {
    const { body } = await get<Record<string, number>>(
      `${api}/prices/${chainId}?token=${tokens.WETH!.address},${tokens.DAI!.address}`,
    )
    const route = await quote(api, chainId, {
      src: tokens.WETH!.address,
      dst: tokens.DAI!.address,
      amount: 10n ** 15n,
      from: sender,
    })
    const paid = (Number(route.toAmount) / 1e18) * body[tokens.DAI!.address]!
    expect(paid / (body[tokens.WETH!.address]! / 1000)).toBeCloseTo(1, 1)
  })

  test('depth is a number of dollars, null for the unknown', async () => {
    const unknown = '0x00000000000000000000000000000000DeaDBeef'
    const { status, body } = await get<Record<string, number | null>>(
      `${api}/liquidity/${chainId}?token=${tokens.WETH!.address},${unknown}`,
    )
    expect(status).toBe(200)
    expect(body[tokens.WETH!.address]).toBeGreaterThan(1000)
    expect(body[unknown]).toBeNull()
  })

  test('names like __proto__ are not addresses', async () => {
    for (const path of ['prices', 'liquidity']) {
      expect((await get(`${api}/${path}/${chainId}?token=__proto__`)).status).toBe(400)
      expect((await get(`${api}/${path}/${chainId}`)).status).toBe(400)
      expect((await get(`${api}/${path}/abc?token=${tokens.WETH!.address}`)).status).toBe(400)
    }
  })
})

describe('chains', () => {
  test('the local chain is listed with the Guard that swaps are sent to', async () => {
    const { status, body } = await get<Record<string, Record<string, string>>>(`${api}/chains`)
    expect(status).toBe(200)
    expect(body[String(chainId)]).toMatchObject({
      ChainID: String(chainId),
      RouterAddress: expect.stringMatching(new RegExp(system.devnet.info.guard, 'i')),
      ChainName: expect.stringMatching(/^[a-z0-9-]+$/),
      TrackerName: expect.any(String),
    })
  })

  test('a chain outside the map is refused with 404 by every endpoint of a chain', async () => {
    const token = tokens.WETH!.address
    const paths = [
      `aggregator/999999999?src=${token}&dst=${tokens.USDC!.address}&amount=1&from=${sender}`,
      `prices/999999999?token=${token}`,
      `liquidity/999999999?token=${token}`,
      `simulate/999999999?from=${sender}`,
    ]
    for (const path of paths) expect((await get(`${api}/${path}`)).status, path).toBe(404)
  })
})

describe('errors', () => {
  const cases = () => {
    const { WETH, USDC } = tokens
    const good = { src: WETH!.address, dst: USDC!.address, amount: '1000', from: sender }
    return [
      [{ ...good, amount: '' }, 400, 'amount must be provided'],
      [{ ...good, amount: '1e18' }, 400, 'amount must be a base-10 integer'],
      [{ ...good, src: '0x12' }, 400, 'src and dst must be valid 0x... addresses'],
      [{ ...good, dst: good.src }, 400, undefined],
      [{ ...good, convenienceFee: '10.1', convenienceFeeRecipient: sender }, 403, undefined],
      [
        { ...good, convenienceFee: '1' },
        400,
        'convenienceFeeRecipient must be provided when convenienceFee is non-zero',
      ],
      [{ ...good, src: '0x00000000000000000000000000000000DeaDBeef' }, 422, undefined],
    ] as const
  }

  test('version B: JSON with the texts of the specification', async () => {
    for (const [query, status, text] of cases()) {
      const answer = await get<{ error: string; code: string; requestId: string }>(swapUrl(api, chainId, query))
      expect(answer.status, JSON.stringify(query)).toBe(status)
      if (text) expect(answer.body.error).toBe(text)
      expect(answer.body.code).toMatch(/^[A-Z_]+$/)
    }
  })

  test('version A: plain text, HTML for 404, and 200 with toAmount 0 when there is no route', async () => {
    const service = await startService({ ...serviceEnv(system.devnet), ERROR_VERSION: 'A' })
    try {
      for (const [query, status, text] of cases()) {
        const answer = await get<string>(swapUrl(service.url, chainId, query))
        if (status === 422) {
          expect(answer.status).toBe(200)
          expect(answer.body).toMatchObject({ toAmount: '0', swaps: null })
          expect(answer.body).not.toHaveProperty('tx')
          continue
        }
        expect(answer.status, JSON.stringify(query)).toBe(status)
        expect(answer.headers.get('content-type')).toContain('text/plain')
        if (text) expect(answer.body).toBe(text)
      }
      const missing = await get<string>(`${service.url}/prices/999999999?token=${sender}`)
      expect(missing.status).toBe(404)
      expect(missing.headers.get('content-type')).toContain('text/html')
    } finally {
      await service.stop()
    }
  })

  test('no response contains a stack trace', async () => {
    const odd = [
      '/aggregator/31337?src=%00',
      '/simulate/31337',
      '/prices/31337?token=,,,',
      '/aggregator/%F0%9F%92%A9',
      '/nothing',
      '/aggregator/31337?src[]=1',
    ]
    for (const path of odd) {
      const { status, body } = await get<unknown>(api + path)
      expect(status, path).toBeGreaterThanOrEqual(400)
      expect(status, path).toBeLessThan(500)
      expect(JSON.stringify(body)).not.toMatch(/\.(ts|js):\d+/)
    }
    expect(await node.request<string>('eth_chainId')).toBeTruthy()
  })
})
