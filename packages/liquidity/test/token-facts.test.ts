/** Tests decimals that change after they were read, as those of a proxy do when it is initialized or upgraded. */
import { type Chain, toAddress } from '@sluice/chains'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TokenFacts } from '../src/index.ts'

const [LISTED, OTHER, SAME, GONE] = ['1', '2', '3', '4'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  never,
  never,
  never,
  never,
]
const chain = {
  ...{ hubs: [], stables: [], dexes: [], wrappedNative: null, nativeCurrency: { decimals: 18 } },
  tokens: [{ address: LISTED, decimals: 8 }],
} as unknown as Chain
/** Milliseconds after which decimals are read again. */
const AGE = 600_000

let anvil: Anvil
let rpc: Rpc
beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: 31337, urls: [anvil.url] })
})
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

/** Sets code that answers every call with a number. */
const answerWith = (token: string, value: number) =>
  rpc.request('anvil_setCode', [token, `0x60${value.toString(16).padStart(2, '0')}5f5260205ff3`])

test('are read again after ten minutes, and reported if they differ', async () => {
  for (const token of [LISTED, OTHER, SAME, GONE]) await answerWith(token, 18)
  const facts = new TokenFacts(chain)
  await facts.check([LISTED, OTHER, SAME, GONE], rpc)
  const decimals = () => [LISTED, OTHER, SAME, GONE].map((token) => facts.decimals(token))
  expect(decimals()).toEqual([8, 18, 18, 18])

  const learned: unknown[] = []
  facts.onChecked = (...fact) => learned.push(fact)
  await answerWith(OTHER, 6)
  await rpc.request('anvil_setCode', [GONE, '0x'])
  // A whole number, so that differences are exact.
  const now = Math.ceil(performance.now())
  await facts.refresh(rpc, now + AGE / 2)
  expect(decimals()).toEqual([8, 18, 18, 18])
  await facts.refresh(rpc, now + AGE)
  // The chain's file decides for its tokens, and a token that does not answer keeps its decimals.
  expect(decimals()).toEqual([8, 6, 18, 18])
  expect(learned).toEqual([[OTHER, 6]])

  await answerWith(OTHER, 9)
  await facts.refresh(rpc, now + AGE + 1)
  expect(facts.decimals(OTHER)).toBe(6)
  await facts.refresh(rpc, now + 2 * AGE)
  expect(facts.decimals(OTHER)).toBe(9)
})
