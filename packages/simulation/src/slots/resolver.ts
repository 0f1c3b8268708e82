/** Finds and caches the storage layout of tokens. */
import { keccak256 } from '@sluice/bindings/keccak'
import type { Address, Hex } from '@sluice/chains'
import { BoundedMap, type StateCount } from '../bounded-map.ts'
import type { BalanceLayout } from './amount.ts'
import { mappingsAtSlot } from './candidates.ts'
import { findCommonMappings, findMappings, type TokenMappings } from './find.ts'
import type { Mapping } from './mapping.ts'
import type { TokenReader } from './reader.ts'
import { readContractData, searchMappings } from './search.ts'
import { readShape } from './shape.ts'

/** Storage layout of a token; a part is absent if it was not found. */
export type TokenLayout = { readonly balance?: BalanceLayout; readonly allowance?: Mapping }

/** Maximum entries of each cache. */
const MAX_REMEMBERED = 10_000
/**
 * Milliseconds before an incomplete layout is searched again. A search takes several round trips, and usually only an
 * upgrade of the token changes its result.
 */
const INCOMPLETE_TTL_MS = 600_000
/** Milliseconds for which a confirmed transfer is remembered. Later, the token may refuse transfers of the account. */
const CONFIRMATION_TTL_MS = 600_000

/**
 * Storage layouts of a chain's tokens, cached by token, and by code for tokens that share it (clones). The simulation
 * detects a wrong layout: after the storage override, the token does not report the written balance.
 */
export class SlotResolver {
  /** Called with each complete layout. */
  onLayoutComplete: (token: Address, layout: TokenLayout) => void = () => {}
  private readonly layoutByToken = new BoundedMap<Address, Promise<TokenLayout>>(MAX_REMEMBERED)
  /** Incomplete layouts, with a time limit. */
  private readonly incompleteLayoutByToken = new BoundedMap<Address, Promise<TokenLayout>>(MAX_REMEMBERED, {
    ttl: INCOMPLETE_TTL_MS,
  })
  private readonly layoutByCodeHash = new BoundedMap<Hex, { readonly token: Address; readonly layout: TokenLayout }>(
    MAX_REMEMBERED,
  )
  /**
   * Layouts that a simulated transfer confirmed: they wrote the balance of an account, and a spender could transfer it.
   * Key: token and account.
   */
  private readonly confirmedLayouts = new BoundedMap<string, TokenLayout>(MAX_REMEMBERED, { ttl: CONFIRMATION_TTL_MS })
  private hits = 0
  private misses = 0

  /** Number of tokens with a cached layout, and of hits and misses of that cache. */
  get statistics(): { readonly remembered: number; readonly hits: number; readonly misses: number } {
    return { remembered: this.layoutByToken.size, hits: this.hits, misses: this.misses }
  }

  /** Entries and evictions of each cache, for metrics. */
  get counts(): Readonly<Record<'slots' | 'codes' | 'movable', StateCount>> {
    return { slots: this.layoutByToken.count, codes: this.layoutByCodeHash.count, movable: this.confirmedLayouts.count }
  }

  /** Returns the layout of a token. Concurrent callers share one search; failures of the node are not cached. */
  layout(reader: TokenReader): Promise<TokenLayout> {
    const cached = this.layoutByToken.get(reader.token) ?? this.incompleteLayoutByToken.get(reader.token)
    if (cached) {
      this.hits++
      return cached
    }
    this.misses++
    const pendingLayout: Promise<TokenLayout> = this.resolve(reader).then((layout) => {
      if (layout?.balance && layout.allowance) this.onLayoutComplete(reader.token, layout)
      else if (this.layoutByToken.peek(reader.token) === pendingLayout) {
        this.layoutByToken.delete(reader.token)
        // A token without code at this block may have code at another block, so its layout is not cached.
        if (layout) this.incompleteLayoutByToken.set(reader.token, Promise.resolve(layout))
      }
      return layout ?? {}
    })
    this.remember(reader.token, pendingLayout)
    return pendingLayout
  }

  /** Adds a layout that another process found, unless a layout of the token is cached. */
  learn(token: Address, layout: TokenLayout): void {
    if (!this.layoutByToken.has(token)) this.layoutByToken.set(token, Promise.resolve(layout))
  }

  /** Removes a layout that no longer works, because the token was upgraded. */
  forget(token: Address): void {
    this.layoutByToken.delete(token)
    this.incompleteLayoutByToken.delete(token)
  }

  /** Records that a spender could transfer a balance of the account that was written by this layout. */
  recordTransfer(token: Address, account: Address, layout: TokenLayout): void {
    this.confirmedLayouts.set(`${token}${account}`, layout)
  }

  /** Returns true if `recordTransfer` was called with these arguments lately. */
  hasTransferred(token: Address, account: Address, layout: TokenLayout): boolean {
    return this.confirmedLayouts.get(`${token}${account}`) === layout
  }

  private remember(token: Address, layout: Promise<TokenLayout>): void {
    this.layoutByToken.set(token, layout)
    layout.catch(() => this.layoutByToken.peek(token) === layout && this.layoutByToken.delete(token))
  }

  /** Searches the layout of a token; undefined if the token has no code. */
  private async resolve(reader: TokenReader): Promise<TokenLayout | undefined> {
    const [mappings, contractData] = await Promise.all([
      findCommonMappings(reader),
      readContractData(reader, reader.token),
    ])
    if (contractData.code === '0x') return undefined
    if (mappings.balance && mappings.allowance) return withShape(reader, mappings)
    const codeHash = keccak256(contractData.code)
    const cached = this.layoutByCodeHash.get(codeHash)
    if (cached) {
      const cloneMappings = await findMappings(reader, mappingsOf(cached.layout, cached.token, reader.token))
      if (cloneMappings.balance && cloneMappings.allowance) return withShape(reader, cloneMappings)
    }
    const layout = await withShape(reader, { ...(await searchMappings(reader, contractData)), ...mappings })
    this.layoutByCodeHash.set(codeHash, { token: reader.token, layout })
    return layout
  }
}

/**
 * Returns the layout for the slots that a simulation request names (`balanceSlot`, `allowanceSlot`). A part is absent
 * if the request does not name its slot, or if writing the slot has no effect.
 */
export async function layoutFromSlots(
  reader: TokenReader,
  slots: { readonly balance: bigint | undefined; readonly allowance: bigint | undefined },
): Promise<TokenLayout> {
  const find = async (slot: bigint | undefined): Promise<TokenMappings> =>
    slot === undefined ? {} : findMappings(reader, mappingsAtSlot(reader.token, slot))
  const [{ balance }, { allowance }] = await Promise.all([find(slots.balance), find(slots.allowance)])
  return withShape(reader, { ...(balance && { balance }), ...(allowance && { allowance }) })
}

/**
 * Completes mappings to a layout: adds the shape of the balance's storage word (its bits, and the rate of shares).
 * Drops the balance if no shape is found.
 */
async function withShape(reader: TokenReader, { balance, allowance }: TokenMappings): Promise<TokenLayout> {
  const shape = balance && (balance.shape ?? (await readShape(reader, balance.mapping)))
  return {
    ...(balance && shape && { balance: { mapping: balance.mapping, shape } }),
    ...(allowance && { allowance }),
  }
}

/** Returns the mappings of a clone: mappings in the original token's storage move to the clone's storage. */
function mappingsOf({ balance, allowance }: TokenLayout, original: Address, clone: Address): readonly Mapping[] {
  const mappings = [...(balance ? [balance.mapping] : []), ...(allowance ? [allowance] : [])]
  return mappings.map((mapping) => (mapping.contract === original ? { ...mapping, contract: clone } : mapping))
}
