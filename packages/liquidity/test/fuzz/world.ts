/** Chains with genuine pools, and on each a trader that holds plenty of every token and is SwapTrial. */
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Chain, type Hex, loadRegistry, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { devnetChain, request, startDevnet, startMainnet } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { familyOf, type Market, type Pool } from '../../src/index.ts'
import { createMarket } from '../../src/market/market.ts'

/** Pools and who tries them. */
export type PoolWorld = {
  readonly name: string
  readonly rpc: Rpc
  readonly trader: Address
  /** Runs what the trader wants, which stands for its Guard. */
  readonly executor: Address
  /** Pools that can be tried, as of the block that was read last. */
  pools(): readonly Pool[]
  blockHash(): Hex
  /** Reads the head. */
  sync(): Promise<unknown>
  /** Why pools were left out, and how many. */
  readonly skipped: ReadonlyMap<string, number>
  request<T>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

/** A chain that a market follows. */
export type World = PoolWorld & {
  readonly market: Market
  readonly chain: Chain
  readonly guard: Address
  readonly guardsExecutor: Address
}

export const TRADER = toAddress('0x00000000000000000000000000000000007261de')
export const EXECUTOR = toAddress('0x00000000000000000000000000000000e8ec0704')
/** More than any pool holds, and below what pools can keep as a reserve. */
export const PLENTY = 1n << 111n
export const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

type Start = {
  readonly name: string
  readonly chain: Chain
  readonly url: string
  readonly guard: Address
  readonly guardsExecutor: Address
  readonly tokens: readonly Address[]
  /** Tokens of which less or more arrives than was sent, by why. */
  readonly uneven: ReadonlyMap<Address, string>
  /** Families whose pools cannot swap here, by why. */
  readonly lame: ReadonlyMap<string, string>
  /** Families whose pools are given plenty too: they may come from another block than what they hold. */
  readonly funded: ReadonlySet<string>
  readonly stop: () => Promise<void>
}

export const ODD_BALANCES = 'a token whose balances are not in the expected slots'

export type Ask = <T>(method: string, params?: readonly unknown[]) => Promise<T>

type Build = 'Executor' | 'ExecutorLondon'

/** Puts an Executor of a Guard at an address. */
async function standExecutor(ask: Ask, address: Address, guard: Address, build: Build): Promise<void> {
  const data = bytecode[build].creation + word(BigInt(guard)).slice(2)
  await ask('anvil_setCode', [address, await ask<Hex>('eth_call', [{ data }, 'latest'])])
}

/** Puts the trader, who stands for a Guard, and its Executor on a chain. */
export async function standTrader(ask: Ask, build: Build = 'Executor'): Promise<void> {
  await ask('anvil_setCode', [TRADER, bytecode.SwapTrial.runtime])
  await standExecutor(ask, EXECUTOR, TRADER, build)
}

/** Gives the trader plenty. @returns of which tokens that could be done, the native one among them */
export async function deal(ask: Ask, tokens: readonly Address[]): Promise<ReadonlySet<Address>> {
  const dealtTokens = new Set<Address>([ZERO_ADDRESS])
  for (const token of new Set(tokens)) {
    if (token === ZERO_ADDRESS) continue
    const dealt = await ask('anvil_dealERC20', [TRADER, token, word(PLENTY)]).then(
      () => true,
      () => false,
    )
    if (dealt) dealtTokens.add(token)
  }
  return dealtTokens
}

async function start(options: Start): Promise<World> {
  const { name, chain, url, guard, guardsExecutor, tokens, uneven, lame, funded, stop } = options
  const ask = <T>(method: string, params: readonly unknown[] = []) => request<T>(url, method, params)
  const rpc = createRpc({ chainId: chain.chainId, urls: [url] })
  const market = createMarket({ chain, rpc })
  await standTrader(ask)
  await ask('anvil_setBalance', [TRADER, word(PLENTY)])
  await ask('anvil_impersonateAccount', [TRADER])
  // Wrapped tokens that are dealt have nothing behind them.
  if (chain.wrappedNative) await ask('anvil_setBalance', [chain.wrappedNative.address, word(PLENTY << 1n)])
  await market.sync()
  const all = await market.ensure(tokens)
  const tokensOfPools = [...all.pools.values()].flatMap((pool) => pool.tokens)
  const dealtTokens = await deal(
    ask,
    tokensOfPools.filter((token) => !uneven.has(token)),
  )
  const skipped = new Map<string, number>()
  for (const pool of all.pools.values()) {
    for (const token of funded.has(pool.family) ? pool.tokens : []) {
      if (dealtTokens.has(token) && token !== ZERO_ADDRESS)
        await ask('anvil_dealERC20', [pool.address, token, word(PLENTY)])
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
    return tokens.every((token) => dealtTokens.has(token)) ? undefined : ODD_BALANCES
  }
  return {
    name,
    rpc,
    market,
    chain,
    trader: TRADER,
    guard,
    guardsExecutor,
    executor: EXECUTOR,
    skipped,
    request: ask,
    blockHash: () => market.snapshot().block.hash,
    sync: () => market.sync(),
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
    guardsExecutor: toAddress(info.executor),
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
  const guard = toAddress('0x00000000000000000000000000000000009a4d07')
  const guardsExecutor = toAddress('0x00000000000000000000000000000000009a4d08')
  const ask: Ask = (method, params = []) => request(url, method, params)
  await ask('anvil_setCode', [guard, bytecode.Guard.runtime])
  await standExecutor(ask, guardsExecutor, guard, 'Executor')
  return start({
    name: 'ethereum',
    chain,
    url,
    guard,
    guardsExecutor,
    tokens: chain.hubs,
    lame: new Map([['pancake-v3', 'a pool that tells a farm of ticks it crosses, whose storage the state lacks']]),
    funded: new Set(['uniswap-v3', 'uniswap-v4']),
    uneven: new Map([
      [toAddress('0xae7ab96520de3a18e5e111b5eaab095312d7fe84'), 'a token that moves shares and rounds'],
    ]),
    stop,
  })
}
