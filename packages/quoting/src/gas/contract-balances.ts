/**
 * Reads which tokens our contracts for swaps (the Guard and the Executor) hold before a swap. Anybody can send tokens
 * to these contracts, and transfers of share-based tokens may leave one unit behind. If a balance is not zero before a
 * swap, the swap does not clear the balance's storage slot and gets no gas refund for the slot.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { runReads } from '@sluice/liquidity'
import type { ContractBalances, RoutePlan } from '@sluice/routing'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { type BalanceKey, readBalances } from '../balances.ts'

/** Number of blocks for which a balance is not read again. Such balances rarely change between zero and nonzero. */
const FRESH_BLOCKS = 20
/** Maximum balances in memory per chain. */
const MAX_BALANCES = 4_096

type CachedBalance = { readonly block: number; readonly isHeld: Promise<boolean> }
type Holders = { readonly guard: Address; readonly executor: Address; readonly wrappedNative: Address | null }

export class ContractBalanceReader {
  /** Balances by holder and token. */
  private readonly cachedBalances = new BoundedMap<string, CachedBalance>(MAX_BALANCES)

  get count(): StateCount {
    return this.cachedBalances.count
  }

  /** Returns the tokens of routes that the contracts hold; undefined if the node does not answer. */
  async heldTokens(
    routes: readonly RoutePlan[],
    holders: Holders,
    source: { readonly rpc: Rpc; readonly block: BlockHeader },
  ): Promise<ContractBalances | undefined> {
    const keys = balanceKeys(routes, holders)
    try {
      const heldFlags = await Promise.all(this.heldFlagsOf(keys, source))
      const tokensOf = (holder: Address) =>
        new Set(keys.flatMap(([owner, token], k) => (owner === holder && heldFlags[k] ? [token] : [])))
      return { guard: tokensOf(holders.guard), executor: tokensOf(holders.executor) }
    } catch (error) {
      if (error instanceof RpcError) return undefined
      throw error
    }
  }

  /**
   * Returns for each key whether the balance is nonzero, and starts reading balances that are due. Callers share a
   * read, so the read has no caller's abort signal.
   */
  private heldFlagsOf(
    keys: readonly BalanceKey[],
    { rpc, block }: { readonly rpc: Rpc; readonly block: BlockHeader },
  ): readonly Promise<boolean>[] {
    const { cachedBalances } = this
    const dueKeys = keys.filter((key) => {
      const cached = cachedBalances.get(key.join())
      return !cached || Math.abs(block.number - cached.block) > FRESH_BLOCKS
    })
    const balancesRead =
      dueKeys.length > 0 ? runReads(rpc, { blockHash: block.hash }, [readBalances(dueKeys)]) : undefined
    for (const [k, key] of dueKeys.entries()) {
      const cached = { block: block.number, isHeld: balancesRead!.then(([balances]) => (balances![k] ?? 0n) > 0n) }
      cachedBalances.set(key.join(), cached)
      cached.isHeld.catch(() => cachedBalances.peek(key.join()) === cached && cachedBalances.delete(key.join()))
    }
    return keys.map((key) => cachedBalances.get(key.join())!.isHeld)
  }
}

/**
 * Returns the balances on which refunds depend: of all tokens in the Executor, and of the output tokens in the Guard.
 */
function balanceKeys(routes: readonly RoutePlan[], { guard, executor, wrappedNative }: Holders): readonly BalanceKey[] {
  const legTokens = routes.flatMap(({ legs }) => legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const tokens = new Set([...legTokens, ...(wrappedNative ? [wrappedNative] : [])])
  const outputs = new Set(routes.map(({ tokenOut }) => tokenOut))
  const keys: readonly BalanceKey[] = [
    ...[...tokens].map((token) => [executor, token] as const),
    ...[...outputs].map((token) => [guard, token] as const),
  ]
  return keys.filter(([, token]) => token !== NATIVE && token !== ZERO_ADDRESS)
}
