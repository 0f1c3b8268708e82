/** Tests of `/aggregator` and `/quote` without a route, in both error versions. */
import { createHash } from 'node:crypto'
import { QuotingError } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { account, ONE, served, TWO } from '../../test/src/in-memory.ts'

const query = `src=${ONE}&dst=${TWO}&amount=1000`
const from = `&from=${account('6')}`

/** Serves a chain that refuses each quote with `error`. */
function refused(error: Error, environment: Readonly<Record<string, string>> = {}) {
  const quotedBlocks: unknown[] = []
  const app = served(
    {
      quote: () => Promise.reject(error),
      quoteAtBlock: (block: unknown) => {
        quotedBlocks.push(block)
        return Promise.reject(error)
      },
    },
    environment,
  )
  return { ...app, quotedBlocks }
}

describe('error version A', () => {
  const version = { ERROR_VERSION: 'A' }

  test.each(['NO_ROUTE', 'INSUFFICIENT_LIQUIDITY', 'ROUTE_REVERTED'] as const)(
    'answers %s with 200 and no transaction, and counts the code',
    async (code) => {
      const { ask, metrics } = refused(new QuotingError(code, 'none', { block: 9 }), version)
      const { status, body } = await ask(`/aggregator/1?${query}${from}`)
      expect([status, JSON.parse(body)]).toMatchObject([
        200,
        { src: ONE, fromAmount: '1000', toAmount: '0', simulationBlock: 9, swaps: null },
      ])
      expect(JSON.parse(body)).not.toHaveProperty('tx')
      metrics.backgroundQueue.flush()
      expect((await metrics.requests.get()).values).toMatchObject([{ labels: { status: 200, code } }])
    },
  )

  test('answers other errors as text', async () => {
    const { status, body } = await refused(new QuotingError('BEHIND', 'the chain is behind'), version).ask(
      `/quote/1?${query}`,
    )
    expect([status >= 400, body]).toEqual([true, 'the chain is behind'])
  })
})

test('error version B answers a missing route with an error', async () => {
  const { status, body } = await refused(new QuotingError('NO_ROUTE', 'none')).ask(`/quote/1?${query}`)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(JSON.parse(body)).toMatchObject({ code: 'NO_ROUTE' })
})

test('a block in the request is quoted at that block', async () => {
  const { ask, quotedBlocks } = refused(new QuotingError('NO_ROUTE', 'none'))
  await ask(`/quote/1?${query}&block=7`)
  expect(quotedBlocks).toEqual([7])
})

test('the key of a request is in its query or its header', async () => {
  const environment = { FEE_EXEMPT_KEY_HASHES: createHash('sha256').update('mine').digest('hex') }
  const codeOf = async (more: string, headers: Readonly<Record<string, string>> = {}) =>
    JSON.parse(
      (await refused(new QuotingError('NO_ROUTE', 'none'), environment).ask(`/quote/1?${query}${more}`, { headers }))
        .body,
    ).code
  expect(await codeOf('&feeExemptKey=mine')).toBe('NO_ROUTE')
  expect(await codeOf('', { 'x-fee-exempt-key': 'mine' })).toBe('NO_ROUTE')
  expect(await codeOf('', { 'x-fee-exempt-key': 'other' })).not.toBe('NO_ROUTE')
  expect(await codeOf('&feeExemptKey=other', { 'x-fee-exempt-key': 'mine' })).not.toBe('NO_ROUTE')
})
