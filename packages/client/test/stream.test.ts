/** Tests quote streams from a real service. */
import { request } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type QuoteEvent, SluiceClient } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const wanted = () => ({ src: stage.token('WETH'), dst: stage.token('USDC'), amount: 10n ** 18n })

test('the first event is the quote, an unchanged block has its own event, and the loop can be left', async () => {
  const events: QuoteEvent[] = []
  for await (const event of stage.client.streamQuote(CHAIN, wanted())) {
    events.push(event)
    if (events.length === 2) break
    await request(stage.devnet.url, 'evm_mine', [])
  }
  expect(events.map(({ event }) => event)).toEqual(['quote', 'block'])
  expect(events[0]!.data).toMatchObject({ toAmount: (await stage.client.getQuote(CHAIN, wanted())).toAmount })
})

test('a sender gets the transaction, a signal ends the loop, and a refusal is an event', async () => {
  const controller = new AbortController()
  const from = stage.devnet.info.accounts[0]!.address
  const events: QuoteEvent[] = []
  for await (const event of stage.client.streamQuote(CHAIN, { ...wanted(), from }, controller.signal)) {
    events.push(event)
    controller.abort()
  }
  expect(events).toMatchObject([{ event: 'quote', data: { tx: { from } } }])
  for await (const event of stage.client.streamQuote(CHAIN, { ...wanted(), includeSources: ['nothing'] })) {
    expect(event).toMatchObject({ event: 'refused', data: { code: 'NO_ROUTE' } })
    break
  }
})

test('a response that is not a stream is an error of the client', async () => {
  const first = async (client: SluiceClient, amount: string) => {
    for await (const event of client.streamQuote(CHAIN, { ...wanted(), amount })) return event
  }
  await expect(first(stage.client, '1e18')).rejects.toMatchObject({ code: 'HTTP', details: { status: 400 } })
  const nowhere = new SluiceClient({ baseUrl: 'http://127.0.0.1:9' })
  await expect(first(nowhere, '1')).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
})
