/** Chains with genuine pools, and on each a trader that holds plenty of every token and is SwapTrial. */
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Chain, type Hex, loadRegistry, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { devnetChain, request, startDevnet, startMainnet } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { familyOf, type Market, type Pool } from '../../src/index.ts'
import { createMarket } from '../../src/market/market.ts'

export type World = {
  readonly name: string
  readonly rpc: Rpc
  readonly market: Market
  readonly chain: Chain
  readonly trader: Address
  readonly guard: Address
  readonly executor: Address
  /** Pools at the head that can be tried. */
  pools(): readonly Pool[]
  /** Why pools were left out, and how many. */
  readonly skipped: ReadonlyMap<string, number>
  request<T>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

const TRADER = toAddress('0x00000000000000000000000000000000007261de')
/** More than any pool holds, and below what pools can keep as a reserve. */
const PLENTY = 1n << 111n
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

type Start = {
  readonly name: string
  readonly chain: Chain
  readonly url: string
  readonly guard: Address
  readonly executor: Address
  readonly tokens: readonly Address[]
  /** Tokens of which less or more arrives than was sent, by why. */
  readonly uneven: ReadonlyMap<Address, string>
  /** Families whose pools cannot swap here, by why. */
  readonly lame: ReadonlyMap<string, string>
  /** Families whose pools are given plenty too: they may come from another block than what they hold. */
  readonly funded: ReadonlySet<string>
  readonly stop: () => Promise<void>
}

async function start({ name, chain, url, guard, executor, tokens, uneven, lame, funded, stop }: Start): Promise<World> {
  const ask = <T>(method: string, params: readonly unknown[] = []) => request<T>(url, method, params)
  const rpc = createRpc({ chainId: chain.chainId, urls: [url] })
  const market = createMarket({ chain, rpc })
  await ask('anvil_setCode', [TRADER, bytecode.SwapTrial.runtime])
  await ask('anvil_setBalance', [TRADER, word(PLENTY)])
  await ask('anvil_impersonateAccount', [TRADER])
  await market.sync()
  const all = await market.ensure(tokens)
  const held = new Set<Address>([ZERO_ADDRESS])
  for (const token of new Set([...all.pools.values()].flatMap((pool) => pool.tokens))) {
    if (token === ZERO_ADDRESS || uneven.has(token)) continue
    const dealt = await ask('anvil_dealERC20', [TRADER, token, word(PLENTY)]).then(
      () => true,
      () => false,
    )
    if (dealt) held.add(token)
  }
  const skipped = new Map<string, number>()
  for (const pool of all.pools.values()) {
    for (const token of funded.has(pool.family) ? pool.tokens : []) {
      if (held.has(token) && token !== ZERO_ADDRESS) await ask('anvil_dealERC20', [pool.address, token, word(PLENTY)])
    }
    const why = reasonAgainst(pool)
    if (why) skipped.set(why, (skipped.get(why) ?? 0) + 1)
  }
  await ask('evm_mine')
  await market.sync()

  function reasonAgainst({ family, tokens }: Pool): string | undefined {
    if (lame.has(family)) return lame.get(family)
    const odd = tokens.find((token) => uneven.has(token))
    if (odd) return uneven.get(odd)
    return tokens.every((token) => held.has(token)) ? undefined : 'a token whose balances are not where they are sought'
  }
  return {
    name,
    rpc,
    market,
    chain,
    trader: TRADER,
    guard,
    executor,
    skipped,
    request: ask,
    pools: () => [...market.snapshot().pools.values()].filter((pool) => familyOf(pool.family) && !reasonAgainst(pool)),
    async stop() {
      await market.stop()
      rpc.close()
      await stop()
    },
  }
}

/** The local chain. */
export async function startLocal(): Promise<World> {
  const { info, url, stop } = await startDevnet()
  const lowered = JSON.stringify(devnetChain(info, url)).replace(/"0x[0-9a-fA-F]{40}"/g, (text) => text.toLowerCase())
  const token = (symbol: string) => toAddress(info.tokens[symbol]!.address)
  return start({
    name: 'devnet',
    chain: JSON.parse(lowered),
    url,
    guard: toAddress(info.guard),
    executor: toAddress(info.executor),
    tokens: Object.values(info.tokens).map(({ address }) => toAddress(address)),
    uneven: new Map([
      [token('TAXED'), 'a token taxed on transfer'],
      [token('STETH'), 'a token that moves shares and rounds'],
    ]),
    lame: new Map(),
    funded: new Set(),
    stop,
  })
}

/** Ethereum's real state. */
export async function startEthereum(): Promise<World> {
  const { url, stop } = await startMainnet()
  const chain = loadRegistry().chain(1)!
  const executor = toAddress('0x00000000000000000000000000000000e8ec0704')
  const guard = toAddress('0x00000000000000000000000000000000009a4d07')
  await request(url, 'anvil_setCode', [executor, bytecode.Executor.runtime as Hex])
  await request(url, 'anvil_setCode', [guard, bytecode.Guard.runtime as Hex])
  return start({
    name: 'ethereum',
    chain,
    url,
    guard,
    executor,
    tokens: chain.hubs,
    lame: new Map([['pancake-v3', 'a pool that tells a farm of ticks it crosses, whose storage the state lacks']]),
    funded: new Set(['uniswap-v3', 'uniswap-v4']),
    uneven: new Map([
      [toAddress('0xae7ab96520de3a18e5e111b5eaab095312d7fe84'), 'a token that moves shares and rounds'],
    ]),
    stop,
  })
}
