/**
 * Tests attacks of a hostile service on a user's funds, end to end on the local chain. Each attack first succeeds against a
 * caller without the protection, which shows that the protection is the reason of the refusal.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeGuardSwap, encodeGuardSwap } from '@sluice/bindings/guard'
import { compile, request } from '@sluice/devnet'
import { encodeProgram, type Step } from '@sluice/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ClientError,
  explain,
  fromEip1193,
  NATIVE,
  type Outgoing,
  type PermitOffer,
  privately,
  type Route,
  SluiceClient,
  type SwapOptions,
  type SwapParameters,
  swap,
  verify,
  type Wallet,
} from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

type Hex = `0x${string}`
const untrusted: Hex = `0x${'57'.repeat(20)}`
const amount = 10n ** 18n

/** Sources of a vault that keeps all payments, and of a WETH9 with a fallback function, as on Ethereum. */
const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Thief { function deposit(address, address) external payable returns (uint256) { return 0; } }
contract Weth9 {
    string name; string symbol; uint8 public decimals;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    event Deposit(address indexed dst, uint256 wad);
    fallback() external payable { deposit(); }
    receive() external payable { deposit(); }
    function deposit() public payable { balanceOf[msg.sender] += msg.value; emit Deposit(msg.sender, msg.value); }
    function withdraw(uint256 wad) public { balanceOf[msg.sender] -= wad; payable(msg.sender).transfer(wad); }
    function totalSupply() public view returns (uint256) { return address(this).balance; }
    function approve(address guy, uint256 wad) public returns (bool) { allowance[msg.sender][guy] = wad; return true; }
    function transfer(address dst, uint256 wad) public returns (bool) { return transferFrom(msg.sender, dst, wad); }
    function transferFrom(address src, address dst, uint256 wad) public returns (bool) {
        if (src != msg.sender && allowance[src][msg.sender] != type(uint256).max) allowance[src][msg.sender] -= wad;
        balanceOf[src] -= wad;
        balanceOf[dst] += wad;
        return true;
    }
}`

let stage: Stage
let thief: Hex
const servers: Server[] = []
beforeAll(async () => {
  stage = await startStage()
  const { Thief, Weth9 } = compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: [] },
    sources: { 'Thief.sol': source },
  })
  const from = stage.devnet.info.accounts[0]!.address
  const code = await request<string>(stage.devnet.url, 'eth_call', [{ from, data: Weth9!.bytecode }, 'latest'])
  await request(stage.devnet.url, 'anvil_setCode', [stage.token('WETH'), code])
  const hash = await request<string>(stage.devnet.url, 'eth_sendTransaction', [{ from, data: Thief!.bytecode }])
  await fromEip1193(providerOf(), from).succeeded(hash)
  const { contractAddress } = await request<{ contractAddress: Hex }>(stage.devnet.url, 'eth_getTransactionReceipt', [
    hash,
  ])
  thief = contractAddress.toLowerCase() as Hex
})
afterAll(async () => {
  for (const server of servers) server.close()
  await stage?.stop()
})

const providerOf = () => ({
  request: ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    request<unknown>(stage.devnet.url, method, params ?? []),
})

/** Creates a wallet that records what it sends. Resets its WETH allowance, so that each test starts from the same state. */
async function walletOf(index: number, change: Partial<Wallet> = {}): Promise<{ sent: Outgoing[]; wallet: Wallet }> {
  const sent: Outgoing[] = []
  const wallet = { ...fromEip1193(providerOf(), stage.devnet.info.accounts[index]!.address), ...change }
  // approve(guard, 0)
  const data: Hex = `0x095ea7b3${stage.guard.slice(2).padStart(64, '0')}${'0'.repeat(64)}`
  await wallet.succeeded(
    await fromEip1193(providerOf(), wallet.address).send({ to: stage.token('WETH'), data, value: 0n }),
  )
  const send = (transaction: Outgoing) => {
    sent.push(transaction)
    return fromEip1193(providerOf(), wallet.address).send(transaction)
  }
  return { sent, wallet: { ...wallet, send } }
}

const wanted = () => ({ src: stage.token('WETH'), dst: stage.token('USDC'), amount })

/** Creates a client of the real service and changes its responses at one path. */
function behind<T = Route>(change: (answer: T) => unknown, path = '/aggregator/'): SluiceClient {
  const fetched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    return String(input).includes(path) ? Response.json(change((await answer.json()) as T)) : answer
  }
  return new SluiceClient({ baseUrl: stage.server.url, timeoutMs: 30_000, fetch: fetched })
}

/** Replaces the steps and legs of a route, and sets its output to `toAmount`. */
function replaced(route: Route, steps: readonly Step[], legs: readonly object[], toAmount: bigint): Route {
  const order = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
  const minOutput = (toAmount * 995_000n) / 1_000_000n
  const data = encodeGuardSwap({ ...order, minOutput, program: encodeProgram(steps) })
  return { ...route, toAmount: String(toAmount), swaps: legs as Route['swaps'], tx: { ...route.tx, data } }
}

/** Returns the genuine Uniswap V2 pair of WETH and USDC. */
const pairOf = () => {
  const { pools } = stage.devnet.info
  const pool = pools.find(({ family, tokens }) => family === 'uniswap-v2' && tokens.join() === 'WETH,USDC')!
  return pool.address as Hex
}
const pairStep = (input: Step['input'], feePpm: number): Step => {
  const [tokenIn, tokenOut] = [stage.token('WETH'), stage.token('USDC')] as [Hex, Hex]
  return {
    ...{ op: 'uniswap-v2', tokenIn: tokenIn.toLowerCase() as Hex, pool: pairOf(), feePpm, input },
    ...{ zeroForOne: tokenIn.toLowerCase() < tokenOut.toLowerCase(), output: { kind: 'recipient' } },
  }
}
const leg = (pool: string, share: bigint) => ({
  ...{ pool, protocol: 'uniswap-v2', dex: 'x', tokenIn: stage.token('WETH'), tokenOut: stage.token('USDC') },
  ...{ amountIn: String((amount * share) / 10n), amountOut: '1', share: 50, gas: '1' },
})

/** Sends a tenth through a genuine pair and the rest to the thief's vault, disguised as a swap in the wrapper. */
function theft(route: Route): Route {
  const weth = stage.token('WETH').toLowerCase() as Hex
  const steps: readonly Step[] = [
    {
      ...{ op: 'syncswap', tokenIn: weth, pool: weth, vault: thief },
      ...{ input: { kind: 'pull', amount: (amount * 9n) / 10n }, output: { kind: 'recipient' } },
    },
    pairStep({ kind: 'pull', amount: amount / 10n }, 3_000),
  ]
  return replaced(route, steps, [leg(weth, 9n), leg(pairOf(), 1n)], (BigInt(route.toAmount) * 99n) / 1_000n)
}

/** Trades through the genuine pair with a fee of 90 % in the step. */
const overcharged = (route: Route): Route =>
  replaced(
    route,
    [pairStep({ kind: 'pullAll' }, 900_000)],
    [leg(pairOf(), 10n)],
    (BigInt(route.toAmount) * 99n) / 1_000n,
  )

const refused = async (client: SluiceClient, index: number, message: RegExp, options: SwapOptions = {}) => {
  const { sent, wallet } = await walletOf(index)
  await expect(
    swap(client, wallet, CHAIN, wanted(), { ...stage, ways: ['approve'], ...options }),
  ).rejects.toMatchObject({
    code: 'UNSAFE',
    message: expect.stringMatching(message),
  })
  expect(sent.filter(({ to }) => to === stage.guard)).toEqual([])
}

describe('a pool that trades the wrapper for an untrusted vault share', () => {
  test('takes nine tenths of the amount of a caller that trusts it', async () => {
    const { wallet } = await walletOf(0)
    const before = await stage.balance(stage.token('WETH'), thief)
    await swap(behind(theft), wallet, CHAIN, wanted(), { ...stage, knownPools: false, trustQuote: true })
    expect((await stage.balance(stage.token('WETH'), thief)) - before).toBe((amount * 9n) / 10n)
  })

  test('is refused with knownPools, without it, and by the amount only', async () => {
    await refused(behind(theft), 0, /syncswap\.pool .*syncswap\.vault/)
    await refused(behind(theft), 0, /syncswap\.vault/, { knownPools: true })
    await refused(behind(theft), 0, /syncswap\.vault/, { trustQuote: true, accept: ['syncswap.pool'] })
    await refused(behind(theft), 0, /a known pool brings/, { knownPools: false })
  })

  test('is listed, and can be excluded by its address', async () => {
    const request: SwapParameters = { ...wanted(), from: stage.devnet.info.accounts[0]!.address }
    const route = theft(await stage.client.getSwap(CHAIN, request))
    expect(explain(route.tx).contracts).toContain(thief)
    expect(explain(route.tx).singletons).toContain(thief)
    const terms = { ...stage, knownPools: false }
    expect(verify(CHAIN, route, request, terms).unknownPools).toEqual([stage.token('WETH').toLowerCase(), thief])
    for (const excluded of [thief, thief.toUpperCase().replace('X', 'x'), pairOf()])
      expect(() => verify(CHAIN, route, { ...request, excludePools: [excluded] }, terms)).toThrow(/was excluded/)
  })
})

describe('a fee other than that of the pair', () => {
  test('takes nine tenths of the amount of a caller that accepts it', async () => {
    const { wallet } = await walletOf(1)
    const fair = BigInt((await stage.client.getSwap(CHAIN, { ...wanted(), from: wallet.address })).toAmount)
    const before = await stage.balance(stage.token('USDC'), wallet.address)
    const terms = { accept: ['uniswap-v2.feePpm'], trustQuote: true }
    await swap(behind(overcharged), wallet, CHAIN, wanted(), { ...stage, ...terms })
    expect((await stage.balance(stage.token('USDC'), wallet.address)) - before).toBeLessThan(fair / 9n)
  })

  test('is refused by the table row, and by the amount', async () => {
    await refused(behind(overcharged), 1, /uniswap-v2\.feePpm 900000/)
    await refused(behind(overcharged), 1, /uniswap-v2\.feePpm 900000/, { knownPools: false })
    await refused(behind(overcharged), 1, /a known pool brings/, { accept: ['uniswap-v2.feePpm'] })
  })
})

describe('an amount that only the service confirms', () => {
  test('is refused if no known pool trades the tokens', async () => {
    const contracts = {
      ...stage.contracts,
      factories: [],
      pools: stage.devnet.info.pools.map(({ id, address }) => id ?? address),
    }
    await refused(stage.client, 0, /name `minToAmount`/, { contracts })
  })
})

describe('calls and permits', () => {
  const from = () => stage.devnet.info.accounts[2]!.address
  const approval = (spender: string, value: bigint, to = stage.token('WETH')) => ({
    to,
    data: `0x095ea7b3${spender.slice(2).toLowerCase().padStart(64, '0')}${value.toString(16).padStart(64, '0')}` as Hex,
    value: '0',
  })

  test('calls contain only a reset, an exact approval of the Guard, and the transaction', async () => {
    const request: SwapParameters = { ...wanted(), from: from(), calls: 1 }
    const route = await stage.client.getSwap(CHAIN, request)
    expect(route.calls!.length).toBeGreaterThan(1)
    verify(CHAIN, route, request, stage)
    const calls = [
      approval(stage.guard, 0n),
      approval(stage.guard, amount),
      { to: route.tx.to, data: route.tx.data, value: '0' },
    ]
    verify(CHAIN, { ...route, calls }, request, stage)
    const evil: readonly (readonly object[])[] = [
      [approval(untrusted, 2n ** 256n - 1n), ...calls],
      [approval(untrusted, amount), calls[2]!],
      [approval(stage.guard, amount + 1n), calls[2]!],
      [approval(stage.guard, amount, stage.token('DAI')), calls[2]!],
      [calls[2]!, calls[1]!],
      [...calls, approval(untrusted, amount)],
      [calls[1]!, { ...calls[2]!, data: `${route.tx.data}00` }],
      [calls[1]!, { ...calls[2]!, to: untrusted }],
      [calls[1]!, { ...calls[2]!, value: '1' }],
      [],
    ]
    for (const list of evil) {
      const changed = { ...route, calls: list as unknown as NonNullable<Route['calls']> }
      expect(() => verify(CHAIN, changed, request, stage)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
      await expect(behind(() => changed).getSwap(CHAIN, request)).rejects.toMatchObject({ code: 'UNSAFE' })
    }
  })

  test('an offered permit is for the Guard, with the owner, token, amount, and chain of the request', async () => {
    const wallet = fromEip1193(providerOf(), from())
    const dai = stage.token('DAI')
    const request = { src: dai, from: from(), amount: 10n ** 18n }
    type Offers = { readonly permits: PermitOffer[]; readonly deadline: number }
    const { permits, deadline } = await stage.client.get<Offers>(`/permit/${CHAIN}`, { ...request })
    expect(permits.map(({ kind }) => kind)).toContain('permit2')
    // Without a deadline, the second request would get that of its own second.
    expect(await stage.client.getPermits(CHAIN, { ...request, deadline })).toEqual(permits)
    expect(wallet.address).toBe(from())
    const changes: readonly ((offer: PermitOffer, data: Record<string, Record<string, unknown>>) => object)[] = [
      (offer, data) => ({ ...offer, typedData: { ...data, message: { ...data.message, spender: untrusted } } }),
      (offer, data) => ({ ...offer, typedData: { ...data, domain: { ...data.domain, verifyingContract: untrusted } } }),
      (offer, data) => ({ ...offer, typedData: { ...data, domain: { ...data.domain, chainId: 1 } } }),
      (offer, data) => ({ ...offer, typedData: { ...data, primaryType: 'PermitBatch' } }),
      (offer, data) => ({ ...offer, typedData: { ...data, types: { ...data.types, PermitSingle: [] } } }),
      ...[{ token: untrusted }, { amount: String(2n ** 160n - 1n) }].map(
        (change) => (offer: PermitOffer, data: Record<string, Record<string, unknown>>) => ({
          ...offer,
          typedData: {
            ...data,
            message: { ...data.message, details: { ...Object(data.message!.details), ...change } },
          },
        }),
      ),
      (offer) => ({ ...offer, approval: approval(untrusted, amount, dai) }),
      (offer) => ({ ...offer, approval: approval('0x000000000022D473030F116dDEE9F6B43aC78BA3', amount, untrusted) }),
      (offer) => ({ ...offer, kind: 'anything' }),
      () => ({}),
    ]
    for (const change of changes) {
      const hostile = behind<{ permits: PermitOffer[] }>(
        ({ permits }) => ({
          permits: permits.map((permit) => change(permit, permit.typedData as Record<string, Record<string, unknown>>)),
        }),
        '/permit/',
      )
      await expect(hostile.getPermits(CHAIN, request), String(change)).rejects.toMatchObject({ code: 'UNSAFE' })
    }
  })
})

describe('the quote that is confirmed', () => {
  test('is the one that is signed if the first response is outdated', async () => {
    const { sent, wallet } = await walletOf(0)
    let answers = 0
    const client = behind((route) =>
      answers++ === 0 ? { ...route, simulationBlock: route.simulationBlock - 10 } : route,
    )
    const selectors: string[] = []
    const confirm = (route: Route) => selectors.push(route.tx.data) > 0
    await swap(client, wallet, CHAIN, wanted(), { ...stage, confirm, ways: ['approve'] })
    expect(selectors.at(-1)).toBe(sent.at(-1)!.data)
    expect(answers).toBeGreaterThan(1)
  })

  test('is confirmed again when its pools change after the approval, though it pays no less', async () => {
    const { sent, wallet } = await walletOf(1)
    const pending = { ...wanted(), from: wallet.address }
    const [a, b] = await Promise.all(
      ['uniswap-v2', 'uniswap-v3'].map((source) =>
        stage.client.getSwap(CHAIN, { ...pending, includeSources: [source] }),
      ),
    )
    // A hostile service would promise the same output for both routes.
    const promise = BigInt(a!.toAmount) < BigInt(b!.toAmount) ? a!.toAmount : b!.toAmount
    const equal = (route: Route) => {
      const order = decodeGuardSwap(route.tx.data, 0n)
      const minOutput = (BigInt(promise) * 995_000n) / 1_000_000n
      return { ...route, toAmount: promise, tx: { ...route.tx, data: encodeGuardSwap({ ...order, minOutput }) } }
    }
    let answers = 0
    const client = behind(() => (answers++ === 0 ? equal(a!) : equal(b!)))
    const methods: string[] = []
    const confirm = (route: Route) => methods.push(route.tx.data) > 0
    const mined = {
      ...wallet,
      // Mine four blocks after the approval, so that the quote gets too old.
      receipt: async (hash: string) => {
        const receipt = await wallet.receipt!(hash)
        if (receipt && sent.length === 1) await request(stage.devnet.url, 'anvil_mine', ['0x4'])
        return receipt
      },
    }
    const done = swap(client, mined, CHAIN, wanted(), { ...stage, confirm, minToAmount: 1n, ways: ['approve'] })
    // The second route has an old block, too, so STALE is a valid end. The test is about what was signed.
    await done.catch((error: ClientError) => expect(error.code).toBe('STALE'))
    expect(methods[0]).toBe(equal(a!).tx.data)
    for (const { to, data } of sent) if (to === stage.guard) expect(methods).toContain(data)
  })

  test('of a future block ages by the blocks of the wallet', async () => {
    const { wallet } = await walletOf(2)
    let answers = 0
    const client = behind((route) => {
      answers++
      return { ...route, simulationBlock: route.simulationBlock + 1_000_000 }
    })
    const aging = {
      ...wallet,
      receipt: async (hash: string) => {
        const receipt = await wallet.receipt!(hash)
        if (receipt) await request(stage.devnet.url, 'anvil_mine', ['0x4'])
        return receipt
      },
    }
    await swap(client, aging, CHAIN, wanted(), { ...stage, ways: ['approve'] })
    expect(answers).toBe(2)
  })
})

describe('the chain and the gas', () => {
  test('every transaction names its chain, and none is sent on another', async () => {
    const first = await walletOf(0)
    await swap(stage.client, first.wallet, CHAIN, wanted(), { ...stage, ways: ['approve'] })
    expect(first.sent.map(({ chainId }) => chainId)).toEqual([CHAIN, CHAIN])
    let chain = CHAIN
    const { sent, wallet } = await walletOf(1, { chainId: async () => chain })
    const moving: Wallet = {
      ...wallet,
      receipt: async (hash) => {
        const receipt = await wallet.receipt!(hash)
        // The user switches the chain after the approval is mined.
        if (receipt) chain = 1
        return receipt
      },
    }
    await expect(swap(stage.client, moving, CHAIN, wanted(), { ...stage, ways: ['approve'] })).rejects.toMatchObject({
      code: 'WALLET',
      message: expect.stringContaining('chain 1'),
      details: { hash: expect.stringMatching(/^0x/) },
    })
    expect(sent).toHaveLength(1)
  })

  test('a gas estimate that is not a number is refused before anything is sent', async () => {
    for (const gasEstimate of ['abc', '-1', '1e9', '', 7]) {
      const { sent, wallet } = await walletOf(2)
      const client = behind((route) => ({ ...route, gasEstimate }))
      await expect(swap(client, wallet, CHAIN, wanted(), stage)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
      expect(sent).toEqual([])
    }
  })

  test('the gas limit comes from the node of the wallet, and is capped', async () => {
    const { sent, wallet } = await walletOf(0)
    const client = behind((route) => ({ ...route, gasEstimate: '9000000' }))
    await swap(client, wallet, CHAIN, wanted(), { ...stage, ways: ['approve'] })
    expect(sent.at(-1)!.gas).toBeLessThan(1_000_000n)
    const capped = await walletOf(1)
    await expect(
      swap(client, capped.wallet, CHAIN, wanted(), { ...stage, ways: ['approve'], maxGas: 50_000n }),
    ).rejects.toMatchObject({ code: 'UNSAFE', message: expect.stringContaining('gas') })
    expect(capped.sent.filter(({ to }) => to === stage.guard)).toEqual([])
  })
})

describe('the connection', () => {
  const serve = async (answer: Parameters<typeof createServer>[1]): Promise<string> => {
    const server = createServer(answer!)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('a redirect is an error, and is not followed', async () => {
    const met: string[] = []
    const other = await serve((request, response) => {
      met.push(request.method!)
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    })
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((_, response) => response.writeHead(status, { location: `${other}/` }).end())
      const client = new SluiceClient({ baseUrl: url, retries: 0 })
      await expect(client.chains()).rejects.toMatchObject({ name: 'ClientError' })
      const stream = client.streamQuote(1, { src: NATIVE, dst: NATIVE, amount: 1n })
      await expect(stream.next()).rejects.toMatchObject({ name: 'ClientError' })
      const { wallet } = await walletOf(0, { sign: async () => '0x02' })
      const hidden = privately(wallet, url)
      await expect(hidden.send({ to: untrusted, data: '0x', value: 0n })).rejects.toMatchObject({ name: 'ClientError' })
    }
    expect(met).toEqual([])
  })

  test('an endless response is read up to a limit', async () => {
    let written = 0
    const url = await serve((_, response) => {
      const chunk = Buffer.alloc(1 << 20, 0x20)
      const more = () => {
        while (written < 400 << 20 && !response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', more)
            return
          }
        }
        response.end()
      }
      more()
    })
    const client = new SluiceClient({ baseUrl: url, retries: 0, timeoutMs: 60_000 })
    await expect(client.chains()).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    expect(written).toBeLessThan(100 << 20)
  })
})
