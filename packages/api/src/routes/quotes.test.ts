/** Tests of the endpoints for several quotes, permits, and token lists, with the chain in memory. */
import { NATIVE } from '@sluice/chains'
import { QuotingError } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { account, errorLog, ONE, served, TWO } from '../../test/src/in-memory.ts'
import { NATIVE_TEXT } from '../requests.ts'

const GUARD = account('f')
const block = { number: 9, hash: '0x09' }
const pair = { src: ONE, dst: TWO, amount: 5 }

describe('/quotes', () => {
  type BatchRequest = { readonly amountIn: bigint; readonly withCalls: boolean; readonly sources: object } | Error
  const post = async (quotes: unknown, headers: Readonly<Record<string, string>> = {}, environment = {}) => {
    let batch: readonly BatchRequest[] = []
    const { ask } = served(
      {
        quoteAll: async (requests: readonly BatchRequest[]) => {
          batch = requests
          const results = requests.map((request) => {
            const reason = request instanceof Error ? request : new QuotingError('NO_ROUTE', 'none')
            return { status: 'rejected', reason }
          })
          return { block, results }
        },
      },
      environment,
    )
    const { status, body } = await ask('/quotes/1', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ quotes }),
    })
    return { status, body: JSON.parse(body), batch }
  }

  test('are of one block, each with its own error, in the order of the request', async () => {
    const { status, body, batch } = await post([pair, { ...pair, amount: 0 }, { ...pair, dst: ONE }, pair])
    expect(status).toBe(200)
    expect([body.simulationBlock, body.blockHash]).toEqual([9, '0x09'])
    expect(body.quotes.map(({ code }: { code: string }) => code)).toEqual([
      'NO_ROUTE',
      'INVALID_PARAMETER',
      'INVALID_PARAMETER',
      'NO_ROUTE',
    ])
    expect(body.quotes[1].error).toContain('amount')
    expect(batch.map((request) => request instanceof Error)).toEqual([false, true, true, false])
  })

  test('read flags and lists as JSON has them, and no other booleans or lists', async () => {
    const fields = { ...pair, from: account('6'), calls: true, excludeSources: ['curve', 'dodo-v2'] }
    const { batch } = await post([fields, { ...pair, amount: true }, { ...pair, src: [ONE] }])
    expect(batch[0]).toMatchObject({ amountIn: 5n, withCalls: true })
    expect((batch[0] as { readonly sources: object }).sources).toEqual({ exclude: new Set(['curve', 'dodo-v2']) })
    expect(batch.slice(1).every((request) => request instanceof Error)).toBe(true)
  })

  test('refuse past blocks and proofs one by one', async () => {
    const { body, batch } = await post([{ ...pair, block: 5 }, { ...pair, proof: '1' }, pair])
    expect(body.quotes.map(({ code }: { code: string }) => code)).toEqual([
      'INVALID_PARAMETER',
      'INVALID_PARAMETER',
      'NO_ROUTE',
    ])
    expect(batch.map((request) => request instanceof Error)).toEqual([true, true, false])
  })

  test('refuse a wrong key for the quotes that have it, or for all by the header', async () => {
    // The SHA-256 of "right".
    const environment = { FEE_EXEMPT_KEY_HASHES: '27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9' }
    const codes = async (quotes: unknown, headers = {}) =>
      (await post(quotes, headers, environment)).body.quotes.map(({ code }: { code: string }) => code)
    const wrong = { ...pair, feeExemptKey: 'wrong' }
    const right = { ...pair, feeExemptKey: 'right' }
    expect(await codes([wrong, right, pair])).toEqual(['INVALID_FEE_EXEMPT_KEY', 'NO_ROUTE', 'NO_ROUTE'])
    expect(await codes([pair, right], { 'x-fee-exempt-key': 'wrong' })).toEqual(['INVALID_FEE_EXEMPT_KEY', 'NO_ROUTE'])
    expect(await codes([pair], { 'x-fee-exempt-key': 'right' })).toEqual(['NO_ROUTE'])
  })

  test('log a bug that fails one of them, whose answer does not name it', async () => {
    const { log, lines } = errorLog()
    const results = [{ status: 'rejected', reason: new TypeError('no such field') }]
    const { ask } = served({ quoteAll: async () => ({ block, results }) }, {}, log)
    const headers = { 'content-type': 'application/json', 'x-request-id': 'id-1' }
    const { body } = await ask('/quotes/1', { method: 'POST', headers, body: JSON.stringify({ quotes: [pair] }) })
    expect(JSON.parse(body).quotes).toMatchObject([{ code: 'INTERNAL' }])
    expect(lines).toMatchObject([{ err: { message: 'no such field' }, requestId: 'id-1' }])
  })

  test('are 1 to 20 objects', async () => {
    for (const quotes of [[], Array(21).fill(pair), 'text', [5], undefined])
      expect((await post(quotes)).status).toBe(400)
    expect((await post(Array(20).fill(pair))).status).toBe(200)
  })
})

describe('/permit', () => {
  const typedData = { primaryType: 'Permit' }
  const approval = { to: ONE, data: '0xab', value: 0n, isUnlimited: true }
  const permitOf = (kind: string) => ({ kind, amount: 5n, nonce: 3n, deadline: 99n, signature: '0x' })
  const offers = [
    { permit: permitOf('dai'), typedData, approval: undefined },
    { permit: permitOf('permit2'), typedData, approval },
  ]
  const permitRequests: unknown[] = []
  const { ask } = served({
    contracts: { guard: GUARD },
    permits: async (request: unknown) => {
      permitRequests.push(request)
      return { offers, block, deadline: 99 }
    },
  })
  const owner = account('6')

  test('has what the owner may sign, and the text to which the signature is appended', async () => {
    const { body } = await ask(`/permit/1?src=${ONE}&amount=5&from=${owner}&deadline=99`)
    expect(JSON.parse(body)).toEqual({
      ...{ src: ONE, from: owner, spender: GUARD, amount: '5', deadline: 99, block: 9, blockHash: '0x09' },
      permits: [
        { kind: 'dai', unlimited: true, typedData, permit: 'dai:5:3:99:' },
        {
          ...{ kind: 'permit2', unlimited: false, typedData, permit: 'permit2:5:3:99:' },
          approval: { to: ONE, data: '0xab', value: '0', unlimited: true },
        },
      ],
    })
    expect(permitRequests).toEqual([{ token: ONE, owner, amount: 5n, deadline: 99 }])
  })

  test('is refused for the Guard, which signs nothing', async () => {
    expect((await ask(`/permit/1?src=${ONE}&amount=5&from=${GUARD}`)).status).toBe(400)
  })
})

describe('/tokenlist', () => {
  const token = (address: string, origin: string, copyOf?: string) => ({
    ...{ address, name: 'Token', symbol: 'TKN', decimals: 18, depthUsd: 1.5, origin, copyOf },
  })
  const LETTERS = `0x${'ab'.repeat(20)}`
  const searches: unknown[] = []
  const { ask } = served({
    listTokens: async (text: unknown) => {
      searches.push(text)
      const tokens = [token(NATIVE, 'native'), token(LETTERS, 'registry'), token(ONE, 'found', LETTERS)]
      return { madeAt: Date.UTC(2030, 0, 2), block: 9, tokens }
    },
  })

  test('has the form of token lists, with checksummed addresses and copies marked', async () => {
    const body = JSON.parse((await ask('/tokenlist/1')).body)
    expect(body).toMatchObject({
      ...{ name: 'Sluice 1', timestamp: '2030-01-02T00:00:00.000Z', version: { major: 1, minor: 0, patch: 9 } },
    })
    const fields = { chainId: 1, name: 'Token', symbol: 'TKN', decimals: 18 }
    const checksummed = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB'
    expect(body.tokens).toEqual([
      { ...fields, address: NATIVE_TEXT, tags: ['native'], extensions: { depthUsd: 1.5 } },
      { ...fields, address: checksummed, tags: ['registry'], extensions: { depthUsd: 1.5 } },
      { ...fields, address: ONE, tags: ['found', 'copy'], extensions: { depthUsd: 1.5, copyOf: checksummed } },
    ])
    for (const { tags } of body.tokens) for (const tag of tags) expect(body.tags[tag].description).not.toBe('')
  })

  test('has as many tokens as requested, of those that a text finds', async () => {
    searches.length = 0
    expect(JSON.parse((await ask('/tokenlist/1?q=tk&limit=2')).body).tokens).toHaveLength(2)
    expect(JSON.parse((await ask('/tokenlist/1?q=&limit=1')).body).tokens).toHaveLength(1)
    expect(searches).toEqual(['tk', undefined])
  })
})
