/** Cache of whether an address is a token, and of its decimals. */

import { TokenLens__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import type { Reads } from '../family.ts'
import { TOKEN_LENS } from '../lenses.ts'
import { namedTokens } from '../trust/named-tokens.ts'
import { type MarketLimits, marketLimits } from './limits.ts'
import { runReads } from './reads.ts'

const lens = TokenLens__factory.createInterface()

/** Addresses per call: 13 kB, and about 3 million gas if all are tokens. */
const PER_CALL = 200
/** Maximum rounds of calls: contracts that burn all their gas leave room for about forty of their kind in a call. */
const MAX_ROUNDS = 12
const GAS_PER_TOKEN = 15_000
/**
 * Milliseconds after which decimals are read again. Those of a proxy change when it is initialized or upgraded; with the
 * old ones, prices would be off by powers of ten.
 */
const MAX_AGE_MS = 600_000
/** Maximum accepted decimals; no ERC-20 in use has more. */
const MAX_DECIMALS = 77
/** Bit layout of the results of TokenLens.sol. */
const IS_TOKEN = 0x10000n
const HAS_DECIMALS = 0x100n

type LookOptions = RequestOptions & {
  /** Block hash: addresses cached as not a token at another block are checked again. */
  readonly retryBlock?: Hex
}

type TokenFact = {
  /** Undefined if the contract does not return them. */
  decimals: number | undefined
  /** Unix time in milliseconds of the last reading. */
  readMs: number
}

/** Token facts of one chain. */
export class TokenFacts {
  /** Called for each token that was checked; decimals are undefined if the contract does not return them. */
  onLearned: (token: Address, decimals: number | undefined) => void = () => {}
  private readonly namedTokens: ReadonlySet<Address>
  private readonly fixedDecimals = new Map<Address, number>()
  private readonly tokens: BoundedMap<Address, TokenFact>
  /** Addresses that are not tokens, with the block at which they were checked. */
  private readonly nonTokens: BoundedMap<Address, { readonly block: Hex | undefined }>
  private readonly pendingReads = new Map<Address, Promise<void>>()

  constructor(chain: Chain, { tokenFacts, noTokenMs }: MarketLimits = marketLimits) {
    this.namedTokens = namedTokens(chain)
    for (const token of [chain.wrappedNative, chain.nativeErc20, ...chain.stables, ...chain.tokens])
      if (token && token.decimals !== null) this.fixedDecimals.set(token.address, token.decimals)
    for (const native of [NATIVE, ZERO_ADDRESS]) this.fixedDecimals.set(native, chain.nativeCurrency.decimals)
    this.tokens = new BoundedMap(tokenFacts)
    this.nonTokens = new BoundedMap(tokenFacts, { ttl: noTokenMs })
  }

  get count(): StateCount {
    const [tokens, nonTokens] = [this.tokens.count, this.nonTokens.count]
    return { entries: tokens.entries + nonTokens.entries, evicted: tokens.evicted + nonTokens.evicted }
  }

  /** Returns a token's decimals; undefined if unknown or not returned by the contract. */
  decimals(token: Address): number | undefined {
    return this.fixedDecimals.get(token) ?? this.tokens.get(token)?.decimals
  }

  /** True for a token, false for another address, undefined if not checked recently. */
  isToken(address: Address): boolean | undefined {
    if (this.namedTokens.has(address) || this.tokens.has(address)) return true
    return this.nonTokens.has(address) ? false : undefined
  }

  /** Stores the result of another process's check. */
  learn(token: Address, decimals: number | undefined): void {
    this.nonTokens.delete(token)
    this.tokens.set(token, { decimals, readMs: Date.now() })
  }

  /**
   * Reads the decimals of up to 200 tokens again, those first that were read longest ago.
   *
   * @param nowMs - Unix time in milliseconds
   * @throws RpcError
   */
  async refresh(rpc: Rpc, nowMs = Date.now(), options: RequestOptions = {}): Promise<void> {
    const stale = [...this.tokens]
      .filter(([token, { readMs }]) => nowMs - readMs >= MAX_AGE_MS && !this.fixedDecimals.has(token))
      .sort(([, a], [, b]) => a.readMs - b.readMs)
      .slice(0, PER_CALL)
    if (stale.length === 0) return
    const [words] = await runReads(rpc, 'latest', [readLensWords(stale.map(([token]) => token))], options)
    for (const [token, fact] of stale) {
      fact.readMs = nowMs
      const decimals = decimalsIn(words!.get(token) ?? 0n)
      // A token that does not answer now, such as one that lacks gas in the lens, keeps what is known of it.
      if (decimals === undefined || decimals === fact.decimals) continue
      fact.decimals = decimals
      this.onLearned(token, decimals)
    }
  }

  /** Checks the unknown addresses. @throws RpcError */
  async check(
    addresses: readonly Address[],
    rpc: Rpc,
    { retryBlock: again, ...options }: LookOptions = {},
  ): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => this.isUnknown(address, again))
    const newAddresses = unknown.filter((address) => !this.pendingReads.has(address))
    if (newAddresses.length > 0) {
      const pendingReads = this.read(newAddresses, rpc, again, options).finally(() => {
        for (const address of newAddresses) this.pendingReads.delete(address)
      })
      for (const address of newAddresses) this.pendingReads.set(address, pendingReads)
    }
    await Promise.all(new Set(unknown.flatMap((address) => this.pendingReads.get(address) ?? [])))
  }

  private isUnknown(address: Address, retryBlock: Hex | undefined): boolean {
    if (this.fixedDecimals.has(address) || this.tokens.has(address)) return false
    const nonToken = this.nonTokens.get(address)
    return nonToken === undefined || (retryBlock !== undefined && nonToken.block !== retryBlock)
  }

  private async read(
    addresses: readonly Address[],
    rpc: Rpc,
    block: Hex | undefined,
    options: RequestOptions,
  ): Promise<void> {
    // Read at the latest block: an address that is not a token today may become one anyway.
    const latest: BlockRef = 'latest'
    const [words] = await runReads(rpc, latest, [readLensWords(addresses)], options)
    for (const [address, word] of words!) {
      if ((word & IS_TOKEN) === 0n && !this.namedTokens.has(address)) {
        this.nonTokens.set(address, { block })
        continue
      }
      const decimals = decimalsIn(word)
      this.learn(address, decimals)
      this.onLearned(address, decimals)
    }
  }
}

function decimalsIn(word: bigint): number | undefined {
  const value = Number(word & 0xffn)
  return (word & HAS_DECIMALS) !== 0n && value <= MAX_DECIMALS ? value : undefined
}

/**
 * Reads the lens result of each address. An address that was not reached in all rounds counts as not a token; addresses
 * of a failed call stay unknown.
 */
function* readLensWords(addresses: readonly Address[]): Reads<ReadonlyMap<Address, bigint>> {
  const wordByToken = new Map<Address, bigint>()
  let groups: (readonly Address[])[] = []
  for (let i = 0; i < addresses.length; i += PER_CALL) groups.push(addresses.slice(i, i + PER_CALL))
  for (let round = 0; round < MAX_ROUNDS && groups.length > 0; round++) {
    const answers = yield groups.map((group) => ({
      ...TOKEN_LENS,
      data: lens.encodeFunctionData('look', [[...group]]) as Hex,
      gas: GAS_PER_TOKEN * group.length,
    }))
    groups = groups.flatMap((group, i) => {
      const answer = answers[i]
      const words = answer ? (lens.decodeFunctionResult('look', answer) as unknown as [bigint[]])[0] : []
      for (const [k, word] of [...words].entries()) wordByToken.set(group[k]!, word)
      const unreachedAddresses = group.slice(words.length)
      return words.length > 0 && unreachedAddresses.length > 0 ? [unreachedAddresses] : []
    })
  }
  for (const address of groups.flat()) wordByToken.set(address, 0n)
  return wordByToken
}
