/** Tests when the client refuses to sign, and when it requests a new quote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { loadRegistry } from '@sluice/chains'
import { request, startAnvil } from '@sluice/devnet'
import { decodeProgram, encodeProgram } from '@sluice/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knownModules } from '../scripts/known-contracts.ts'
import { encodeCall, selectors } from '../src/calls.ts'
import {
  explain,
  fromEip1193,
  guardOf,
  type Outgoing,
  type Route,
  SluiceClient,
  swap,
  type Wallet,
} from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const untrusted = `0x${'57'.repeat(20)}`
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const wanted = () => ({ src: stage.token('WETH'), dst: stage.token('USDC'), amount: 10n ** 16n })
const walletOn = (url: string): Wallet =>
  fromEip1193(
    { request: ({ method, params }) => request(url, method, params ?? []) },
    stage.devnet.info.accounts[0]!.address,
  )
/** Records the transactions that a wallet is asked to send. */
const watched = (wallet = walletOn(stage.devnet.url)) => {
  const sent: Outgoing[] = []
  const send = (transaction: Outgoing) => {
    sent.push(transaction)
    return wallet.send(transaction)
  }
  return { sent, wallet: { ...wallet, send } }
}
/** Creates a client of the real service and changes its routes. */
const behind = (change: (route: Route) => unknown) => {
  let quotes = 0
  const fetched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (!String(input).includes('/aggregator/')) return answer
    quotes++
    return Response.json(change((await answer.json()) as Route))
  }
  const client = new SluiceClient({ baseUrl: stage.server.url, timeoutMs: 30_000, fetch: fetched })
  return { client, quotes: () => quotes }
}

describe('a dishonest service', () => {
  const reorder = (route: Route, change: (order: GuardSwap) => Partial<GuardSwap>) => {
    const order = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
    return { ...route, tx: { ...route.tx, data: encodeGuardSwap({ ...order, ...change(order) }) } }
  }
  const lies: Record<string, (route: Route) => unknown> = {
    'another contract': (route) => ({ ...route, tx: { ...route.tx, to: untrusted } }),
    'another sender': (route) => ({ ...route, tx: { ...route.tx, from: untrusted } }),
    value: (route) => ({ ...route, tx: { ...route.tx, value: '1' } }),
    'an approval instead': (route) => ({ ...route, tx: { ...route.tx, data: `0x095ea7b3${'0'.repeat(128)}` } }),
    'another input token': (route) => reorder(route, () => ({ tokenIn: untrusted })),
    'another output token': (route) => reorder(route, () => ({ tokenOut: untrusted })),
    'a larger input': (route) => reorder(route, ({ amountIn }) => ({ amountIn: amountIn + 1n })),
    'a lower minimum output': (route) => reorder(route, ({ minOutput }) => ({ minOutput: minOutput - 2n })),
    'a fee': (route) => reorder(route, () => ({ recipient: route.tx.from, feePpm: 1n, feeRecipient: untrusted })),
    'another recipient': (route) => reorder(route, () => ({ recipient: untrusted })),
    'another recipient in direct mode': (route) => reorder(route, () => ({ recipient: untrusted, direct: true })),
    'a program that cannot be read': (route) =>
      reorder(route, ({ program }) => ({ program: `0xff${program.slice(4)}` })),
    'a step that pays a stranger': (route) =>
      reorder(route, ({ tokenIn, program }) => {
        const [first, ...rest] = decodeProgram(program, tokenIn as `0x${string}`)
        const paid = { ...first!, output: { kind: 'address', address: untrusted as `0x${string}` } } as const
        return { program: encodeProgram([paid, ...rest]) }
      }),
    'calldata that is cut off': (route) => ({ ...route, tx: { ...route.tx, data: route.tx.data.slice(0, -64) } }),
  }
  test.each(Object.keys(lies))('%s: nothing is signed', async (name) => {
    const { sent, wallet } = watched()
    const { client } = behind(lies[name]!)
    await expect(swap(client, wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({ code: 'UNSAFE' })
    expect(sent).toEqual([])
  })

  test.each(['the sender', 'a stranger'])('the requested recipient is not %s', async (whose) => {
    const { sent, wallet } = watched()
    const { client } = behind((route) =>
      reorder(route, () => ({ recipient: whose === 'the sender' ? route.tx.from : untrusted })),
    )
    const request = { ...wanted(), recipient: `0x${'58'.repeat(20)}` }
    await expect(swap(client, wallet, CHAIN, request, stage)).rejects.toMatchObject({
      code: 'UNSAFE',
      message: expect.stringContaining('the recipient'),
    })
    expect(sent).toEqual([])
  })

  test('calldata without a recipient does not satisfy a request with one', async () => {
    const { sent, wallet } = watched()
    const { client } = behind((route) => {
      const { recipient, ...order } = decodeGuardSwap(route.tx.data, 0n)
      return { ...route, tx: { ...route.tx, data: encodeGuardSwap(order) } }
    })
    const request = { ...wanted(), recipient: `0x${'58'.repeat(20)}` }
    await expect(swap(client, wallet, CHAIN, request, stage)).rejects.toMatchObject({ code: 'UNSAFE' })
    expect(sent).toEqual([])
  })

  test('no tx, or a toAmount of 0: there is no route', async () => {
    for (const change of [{ tx: undefined }, { toAmount: '0' }, { swaps: null }]) {
      const { client } = behind((route) => ({ ...route, ...change }))
      await expect(swap(client, watched().wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({ code: 'NO_ROUTE' })
    }
  })
})

describe('the Guard', () => {
  test('is known for every chain of deployments/, independently of the service', () => {
    const chains = Object.values(loadRegistry().chainMap())
    expect(chains.length).toBeGreaterThan(100)
    for (const { ChainID, RouterAddress } of chains) expect(guardOf(Number(ChainID)), ChainID).toBe(RouterAddress)
    for (const [name, text] of Object.entries(knownModules()))
      expect(readFileSync(join(import.meta.dirname, '../src', name), 'utf8')).toBe(text)
  })

  test('of a chain without a known deployment must be given by the caller', async () => {
    const { sent, wallet } = watched()
    await expect(swap(stage.client, wallet, CHAIN, wanted())).rejects.toMatchObject({ code: 'UNSAFE' })
    expect(sent).toEqual([])
  })

  test('gets no approval on a chain where it has no code', async () => {
    const empty = await startAnvil({ chainId: CHAIN })
    try {
      const { sent, wallet } = watched(walletOn(empty.url))
      await expect(swap(stage.client, wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({
        code: 'UNSAFE',
        message: expect.stringContaining('no code'),
      })
      expect(sent).toEqual([])
    } finally {
      await empty.stop()
    }
  })
})

test('a quote that is more than two blocks old is requested again', async () => {
  const mine = async (blocks: number) => {
    for (let i = 0; i < blocks; i++) await request(stage.devnet.url, 'evm_mine', [])
  }
  for (const [blocks, quotes] of [
    [1, 1],
    [4, 2],
  ] as const) {
    const { client, quotes: requests } = behind((route) => route)
    const { wallet } = watched()
    const confirm = async () => {
      await mine(blocks)
      return true
    }
    await wallet.succeeded(await wallet.send({ to: stage.token('WETH'), data: approveAll(), value: 0n }))
    const { route } = await swap(client, wallet, CHAIN, wanted(), { ...stage, confirm })
    expect(requests()).toBe(quotes)
    expect(BigInt(route.toAmount)).toBeGreaterThan(0n)
  }
})

test('the requested recipient receives the output, with an approval or any permit', async () => {
  const { wallet } = watched()
  const recipient = `0x${'59'.repeat(20)}`
  const balance = async () => BigInt(await wallet.call(stage.token('USDC'), encodeCall(selectors.balanceOf, recipient)))
  const before = await balance()
  const request = { ...wanted(), recipient }
  const { route } = await swap(stage.client, wallet, CHAIN, request, stage)
  expect((await balance()) - before).toBeGreaterThanOrEqual(BigInt(route.minToAmount!))
  expect(explain(route.tx).recipient).toBe(recipient)
})

test('an unconfirmed swap is not signed, and the wallet must be on the requested chain', async () => {
  const { sent, wallet } = watched()
  const options = { ...stage, confirm: () => false }
  await expect(swap(stage.client, wallet, CHAIN, wanted(), options)).rejects.toMatchObject({ code: 'WALLET' })
  await expect(swap(stage.client, wallet, 1, wanted(), options)).rejects.toMatchObject({ code: 'WALLET' })
  expect(sent).toEqual([])
})

/** Encodes approve(guard, 2^255). */
function approveAll(): `0x${string}` {
  return `0x095ea7b3${stage.guard.slice(2).padStart(64, '0')}8${'0'.repeat(63)}`
}
