/**
 * Checks unlisted tokens (outside the chain's file) before prices that depend on them are served. A check reads the
 * real balances of the token's pools, and tests whether the token can be sold. Callers wait only for a short time.
 * Results that arrive later apply to later requests.
 */
import { setTimeout } from 'node:timers/promises'
import type { Address } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { deepestPools, type HoldingsSource, readHoldings, tokensToCheck } from '../view/holdings.ts'

/** Milliseconds for which a check of balances is valid. */
const BALANCES_TTL_MS = 60_000
/** Milliseconds for which a test sale is valid. */
const SALE_TTL_MS = 600_000
/** Maximum tokens whose checks are remembered. */
const MAX_REMEMBERED = 20_000
/** Maximum checks at a time. */
const MAX_CONCURRENT_CHECKS = 4
/** Maximum tokens whose checks are queued or in flight: twice as many as a request can name. */
const MAX_QUEUED_TOKENS = 400
/** Maximum rounds of checks per call: after a check, a price may depend on other tokens. */
const MAX_ROUNDS = 3

/** A check of a token: in flight, or done without a failure. */
type Check = { readonly result: Promise<void>; isDone: boolean }
type Options = {
  /** Tokens of the chain's file. */
  readonly allowListed: ReadonlySet<Address>
  /** Tests whether a token can be sold to each of at most two pools, and records the result. */
  readonly testSales: (token: Address, pools: readonly Pool[], snapshot: Snapshot) => Promise<unknown>
  /** Called if a pool holds less than its state says. */
  readonly onNewEvidence: () => void
}

/** Gathers evidence about unlisted tokens. */
export class TokenEvidence {
  private readonly options: Options
  private readonly balanceChecks = new BoundedMap<Address, Check>(MAX_REMEMBERED, { ttl: BALANCES_TTL_MS })
  private readonly saleChecks = new BoundedMap<Address, Check>(MAX_REMEMBERED, { ttl: SALE_TTL_MS })
  private readonly slots = new Semaphore(MAX_CONCURRENT_CHECKS)
  /** Tokens whose checks are queued or in flight. */
  private readonly queuedChecks = new Map<Address, Promise<void>>()

  constructor(options: Options) {
    this.options = options
  }

  get counts(): Readonly<Record<'held' | 'sold', StateCount>> {
    return { held: this.balanceChecks.count, sold: this.saleChecks.count }
  }

  /**
   * Checks the tokens whose checks are not valid any more, and the unlisted tokens on which their prices depend. Waits
   * at most `timeoutMs`, also for checks that an earlier call started. The next call repeats a failed check, and starts
   * the checks for which the queue had no room.
   *
   * @returns unchecked tokens, whose checks have not finished or not started, and tokens whose prices depend on these
   */
  async gather(tokens: readonly Address[], source: HoldingsSource, timeoutMs: number): Promise<ReadonlySet<Address>> {
    const { allowListed } = this.options
    const { prices } = source
    const finishedTokens = new Set<Address>()
    const isDue = (token: Address) =>
      !(allowListed.has(token) || finishedTokens.has(token)) &&
      !(this.balanceChecks.get(token)?.isDone && this.saleChecks.get(token)?.isDone)
    let timeout: Promise<'timeout'> | undefined
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const intermediates = tokens.flatMap((token) => prices.intermediatesOf(token) ?? [])
      const requestedTokens = round === 0 ? tokensToCheck(tokens, allowListed, prices, isDue) : []
      const dueTokens = new Set([...intermediates.filter(isDue), ...requestedTokens])
      const checks = [...dueTokens].flatMap(
        (token) => this.check(token, source)?.then(() => finishedTokens.add(token)) ?? [],
      )
      if (checks.length === 0) break
      timeout ??= setTimeout(timeoutMs, 'timeout')
      if ((await Promise.race([Promise.all(checks), timeout])) === 'timeout') break
    }
    const dependsOnDue = (token: Address) => prices.intermediatesOf(token)?.some(isDue) ?? true
    return new Set([...tokensToCheck(tokens, allowListed, prices, isDue), ...tokens.filter(dependsOnDue)])
  }

  /**
   * Checks the unlisted tokens on which the prices of some tokens depend, and waits at most `timeoutMs`.
   *
   * @returns true if the prices depend on no token that was not checked
   */
  async gatherIntermediates(tokens: readonly Address[], source: HoldingsSource, timeoutMs: number): Promise<boolean> {
    const dependentTokens = tokens.filter((token) => source.prices.intermediatesOf(token)?.length !== 0)
    return dependentTokens.length === 0 || (await this.gather(dependentTokens, source, timeoutMs)).size === 0
  }

  /** Runs the checks of a token, unless they run already; undefined if too many tokens are queued. */
  private check(token: Address, source: HoldingsSource): Promise<void> | undefined {
    const queuedCheck = this.queuedChecks.get(token)
    if (queuedCheck || this.queuedChecks.size >= MAX_QUEUED_TOKENS) return queuedCheck
    const check = Promise.all([this.checkBalances(token, source), this.checkSale(token, source)]).then(() => {
      this.queuedChecks.delete(token)
    })
    this.queuedChecks.set(token, check)
    return check
  }

  private checkBalances(token: Address, source: HoldingsSource): Promise<void> {
    return runOnce(this.balanceChecks, token, async () => {
      if (await this.slots.run(() => readHoldings(token, source))) this.options.onNewEvidence()
    })
  }

  /**
   * Tests sales to the pools that decide the token's price. Sales to other pools do not count: the creator of a token
   * can give a pool any reserve of the token, and let it be sold to that pool only.
   */
  private checkSale(token: Address, { snapshot, prices }: HoldingsSource): Promise<void> {
    return runOnce(this.saleChecks, token, async () => {
      const decidingPools = prices.decidingPoolsOf(token)
      const pools = decidingPools.length > 0 ? decidingPools : deepestPools(token, prices).slice(0, 1)
      if (pools.length > 0) await this.slots.run(() => this.options.testSales(token, pools, snapshot))
    })
  }
}

/** Runs a check of a token unless it runs already or is still valid. */
function runOnce(checks: BoundedMap<Address, Check>, token: Address, work: () => Promise<unknown>): Promise<void> {
  const existingCheck = checks.get(token)
  if (existingCheck) return existingCheck.result
  const onDone = () => {
    check.isDone = true
  }
  const onFailed = () => {
    if (checks.peek(token) === check) checks.delete(token)
  }
  const check: Check = { result: work().then(onDone, onFailed), isDone: false }
  checks.set(token, check)
  return check.result
}
