/** Cache of whether an address is a token, and of its decimals. */

import { TokenLens__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import type { Reads } from '../family.ts'
import { TOKEN_LENS } from '../lenses.ts'
import { namedTokens } from '../trust/named-tokens.ts'
import { defaultMarketLimits, type MarketLimits } from './limits.ts'
import { runReads } from './reads.ts'

const lensInterface = TokenLens__factory.createInterface()

/** Addresses per call: 13 kB, and about 3 million gas if all are tokens. */
const ADDRESSES_PER_CALL = 200
/**
 * Maximum rounds of calls. A call that runs out of gas leaves addresses for the next round. About forty contracts that
 * burn all their gas exhaust the gas of one call.
 */
const MAX_ROUNDS = 12
const GAS_PER_TOKEN = 15_000
/**
 * Milliseconds after which decimals are read again. The decimals of a proxy change when it is initialized or upgraded;
 * with outdated decimals, prices would be off by powers of ten.
 */
const MAX_AGE_MS = 600_000
/** Maximum accepted decimals; no ERC-20 in use has more. */
const MAX_DECIMALS = 77
/** Flags in a result word of TokenLens.sol. The lowest byte of the word contains the decimals. */
const IS_TOKEN = 0x10000n
const HAS_DECIMALS = 0x100n

type CheckOptions = RequestOptions & {
  /** Hash of the current block. An address that was found not to be a token at another block is checked again. */
  readonly retryBlock?: Hex
}

type TokenFact = {
  /** Undefined if the contract does not return its decimals. */
  decimals: number | undefined
  /** Time of the last reading, in milliseconds of `performance.now`. */
  readAtMs: number
}

/** Token facts of one chain. */
export class TokenFacts {
  /** Called for each token that was checked; decimals are undefined if the contract does not return them. */
  onChecked: (token: Address, decimals: number | undefined) => void = () => {}
  private readonly namedTokens: ReadonlySet<Address>
  private readonly namedDecimals = new Map<Address, number>()
  private readonly factByToken: BoundedMap<Address, TokenFact>
  /** Addresses that are not tokens, with the block at which they were checked. */
  private readonly nonTokens: BoundedMap<Address, { readonly block: Hex | undefined }>
  private readonly pendingReads = new Map<Address, Promise<void>>()

  constructor(chain: Chain, { tokenFacts, noTokenMs }: MarketLimits = defaultMarketLimits) {
    this.namedTokens = namedTokens(chain)
    for (const token of [chain.wrappedNative, chain.nativeErc20, ...chain.stables, ...chain.tokens])
      if (token && token.decimals !== null) this.namedDecimals.set(token.address, token.decimals)
    for (const native of [NATIVE, ZERO_ADDRESS]) this.namedDecimals.set(native, chain.nativeCurrency.decimals)
    this.factByToken = new BoundedMap(tokenFacts)
    this.nonTokens = new BoundedMap(tokenFacts, { ttl: noTokenMs })
  }

  get stateCount(): StateCount {
    const [tokenCount, nonTokens] = [this.factByToken.count, this.nonTokens.count]
    return { entries: tokenCount.entries + nonTokens.entries, evicted: tokenCount.evicted + nonTokens.evicted }
  }

  /** Returns a token's decimals; undefined if unknown or not returned by the contract. */
  decimals(token: Address): number | undefined {
    return this.namedDecimals.get(token) ?? this.factByToken.get(token)?.decimals
  }

  /** True for a token, false for another address, undefined if not checked recently. */
  isToken(address: Address): boolean | undefined {
    if (this.namedTokens.has(address) || this.factByToken.has(address)) return true
    return this.nonTokens.has(address) ? false : undefined
  }

  /** Stores a token's decimals, read by this process or by another one. */
  store(token: Address, decimals: number | undefined): void {
    this.nonTokens.delete(token)
    this.factByToken.set(token, { decimals, readAtMs: performance.now() })
  }

  /**
   * Reads the decimals of up to 200 tokens again, starting with the oldest readings.
   *
   * @param nowMs - milliseconds of `performance.now`
   * @throws RpcError
   */
  async refresh(rpc: Rpc, nowMs = performance.now(), options: RequestOptions = {}): Promise<void> {
    const staleFacts = [...this.factByToken]
      .filter(([token, { readAtMs }]) => nowMs - readAtMs >= MAX_AGE_MS && !this.namedDecimals.has(token))
      .sort(([, a], [, b]) => a.readAtMs - b.readAtMs)
      .slice(0, ADDRESSES_PER_CALL)
    const [words] = await runReads(rpc, 'latest', [readLensWords(staleFacts.map(([token]) => token))], options)
    for (const [token, fact] of staleFacts) {
      fact.readAtMs = nowMs
      const decimals = decimalsIn(words!.get(token) ?? 0n)
      // A token that returns no decimals now, for example because the call ran out of gas, keeps its last decimals.
      if (decimals === undefined || decimals === fact.decimals) continue
      fact.decimals = decimals
      this.onChecked(token, decimals)
    }
  }

  /** Checks the unknown addresses. @throws RpcError */
  async check(addresses: readonly Address[], rpc: Rpc, { retryBlock, ...options }: CheckOptions = {}): Promise<void> {
    const unknownAddresses = [...new Set(addresses)].filter((address) => this.isUnknown(address, retryBlock))
    const newAddresses = unknownAddresses.filter((address) => !this.pendingReads.has(address))
    if (newAddresses.length > 0) {
      const pendingRead = this.read(newAddresses, rpc, retryBlock, options).finally(() => {
        for (const address of newAddresses) this.pendingReads.delete(address)
      })
      for (const address of newAddresses) this.pendingReads.set(address, pendingRead)
    }
    await Promise.all(new Set(unknownAddresses.flatMap((address) => this.pendingReads.get(address) ?? [])))
  }

  private isUnknown(address: Address, retryBlock: Hex | undefined): boolean {
    if (this.namedDecimals.has(address) || this.factByToken.has(address)) return false
    const nonToken = this.nonTokens.get(address)
    return nonToken === undefined || (retryBlock !== undefined && nonToken.block !== retryBlock)
  }

  private async read(
    addresses: readonly Address[],
    rpc: Rpc,
    retryBlock: Hex | undefined,
    options: RequestOptions,
  ): Promise<void> {
    // Read at the latest block: an address that becomes a token later is checked again anyway.
    const block: BlockRef = 'latest'
    const [words] = await runReads(rpc, block, [readLensWords(addresses)], options)
    for (const [address, word] of words!) {
      if ((word & IS_TOKEN) === 0n && !this.namedTokens.has(address)) {
        this.nonTokens.set(address, { block: retryBlock })
        continue
      }
      const decimals = decimalsIn(word)
      this.store(address, decimals)
      this.onChecked(address, decimals)
    }
  }
}

function decimalsIn(word: bigint): number | undefined {
  const value = Number(word & 0xffn)
  return (word & HAS_DECIMALS) !== 0n && value <= MAX_DECIMALS ? value : undefined
}

/**
 * Reads the result word of TokenLens.sol for each address. An address that no round reached counts as not a token.
 * Addresses of a failed call are left out and stay unknown.
 */
function* readLensWords(addresses: readonly Address[]): Reads<ReadonlyMap<Address, bigint>> {
  const wordByAddress = new Map<Address, bigint>()
  let pendingGroups: (readonly Address[])[] = []
  for (let i = 0; i < addresses.length; i += ADDRESSES_PER_CALL)
    pendingGroups.push(addresses.slice(i, i + ADDRESSES_PER_CALL))
  for (let round = 0; round < MAX_ROUNDS && pendingGroups.length > 0; round++) {
    const results = yield pendingGroups.map((group) => ({
      ...TOKEN_LENS,
      data: lensInterface.encodeFunctionData('look', [[...group]]) as Hex,
      gas: GAS_PER_TOKEN * group.length,
    }))
    pendingGroups = pendingGroups.flatMap((group, i) => {
      const result = results[i]
      const words = result ? (lensInterface.decodeFunctionResult('look', result) as unknown as [bigint[]])[0] : []
      for (const [wordIndex, word] of [...words].entries()) wordByAddress.set(group[wordIndex]!, word)
      const unreachedAddresses = group.slice(words.length)
      return words.length > 0 && unreachedAddresses.length > 0 ? [unreachedAddresses] : []
    })
  }
  for (const address of pendingGroups.flat()) wordByAddress.set(address, 0n)
  return wordByAddress
}
