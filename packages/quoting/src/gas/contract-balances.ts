/**
 * Reads which tokens the Guard and the Executor hold before a swap. Anybody can send them some, and tokens that account in
 * shares leave a unit behind; a balance that a swap does not empty refunds no gas.
 */
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type Reads, runReads } from '@sluice/liquidity'
import type { ContractBalances, RoutePlan } from '@sluice/routing'
import type { BlockHeader, RequestOptions, Rpc } from '@sluice/rpc'

/** Blocks for which a balance is not read again. Such balances rarely change between zero and nonzero. */
const FRESH_BLOCKS = 20
/** Maximum balances in memory per chain. */
const MAX_BALANCES = 4_096
/** Gas limit of one `balanceOf`; rebasing tokens behind proxies use less. */
const READ_GAS = 300_000

const erc20 = IERC20__factory.createInterface()

type CachedBalance = { readonly block: number; readonly isHeld: Promise<boolean> }
/** Balances by chain, holder, and token. */
const caches = new WeakMap<Rpc, Map<string, CachedBalance>>()

type Holders = { readonly guard: Address; readonly executor: Address; readonly wrappedNative: Address | null }

/** Returns the tokens of a route that the contracts hold. Concurrent callers share the reads. */
export async function contractBalances(
  { legs, tokenOut }: RoutePlan,
  { guard, executor, wrappedNative }: Holders,
  { rpc, block, ...options }: { readonly rpc: Rpc; readonly block: BlockHeader } & RequestOptions,
): Promise<ContractBalances> {
  const tokens = new Set([
    ...legs.flatMap((leg) => [leg.tokenIn, leg.tokenOut]),
    ...(wrappedNative ? [wrappedNative] : []),
  ])
  const pairs: (readonly [Address, Address])[] = [...tokens].map((token) => [executor, token] as const)
  pairs.push([guard, tokenOut])
  const erc20Pairs = pairs.filter(([, token]) => token !== NATIVE && token !== ZERO_ADDRESS)
  const cache = caches.get(rpc) ?? new Map<string, CachedBalance>()
  caches.set(rpc, cache)
  const due = erc20Pairs.filter((pair) => {
    const last = cache.get(pair.join())
    return !last || Math.abs(block.number - last.block) > FRESH_BLOCKS
  })
  if (due.length > 0) {
    const reading = runReads(rpc, { blockHash: block.hash }, [balancesOf(due)], options)
    if (cache.size > MAX_BALANCES) cache.clear()
    for (const [k, pair] of due.entries()) {
      const entry = { block: block.number, isHeld: reading.then(([answers]) => answers![k]!) }
      cache.set(pair.join(), entry)
      entry.isHeld.catch(() => cache.get(pair.join()) === entry && cache.delete(pair.join()))
    }
  }
  const isHeld = await Promise.all(erc20Pairs.map((pair) => cache.get(pair.join())!.isHeld))
  const tokensOf = (holder: Address) =>
    new Set(erc20Pairs.filter((pair, k) => pair[0] === holder && isHeld[k]).map(([, token]) => token))
  return { guard: tokensOf(guard), executor: tokensOf(executor) }
}

function* balancesOf(pairs: readonly (readonly [Address, Address])[]): Reads<readonly boolean[]> {
  const answers = yield pairs.map(([holder, to]) => ({
    ...{ to, gas: READ_GAS },
    data: erc20.encodeFunctionData('balanceOf', [holder]) as Hex,
  }))
  return answers.map((answer) => answer !== null && answer.length >= 66 && BigInt(answer.slice(0, 66)) > 0n)
}
