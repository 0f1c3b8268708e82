/**
 * Decides which routes need a bare run: a second simulation, without the probe at the sender's address. The probe is
 * contract code, and a token, hook, or router may treat an address with code differently. A route needs a bare run in
 * three cases. First, a token is not trusted, and its code may check addresses for code. Second, an earlier bare run
 * with a token or pool of the route ended differently. Third, a token was not compared in its pool recently. Trusted
 * tokens and pools are in the chain's file, or have behaved well for many blocks.
 */
import type { Address } from '@sluice/chains'
import { familyOf, type Pool, type Trust } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import type { BlockRef, Rpc } from '@sluice/rpc'
import { BoundedMap, mayDependOnOtherCode, type SimulationRequest, type StateCount } from '@sluice/simulation'
import { untrustedParts } from '../tokens/untrusted-parts.ts'

/** Maximum tokens whose code check is remembered. */
const MAX_CODES = 20_000
/** Maximum pairs of token and pool whose last comparison is remembered. */
const MAX_COMPARED = 50_000
/** Maximum tokens and pools that are remembered as treating accounts with code differently. */
const MAX_DIFFERING = 10_000
/** Milliseconds until a token in a pool is compared again, since the code behind a proxy can change. */
const RECOMPARE_MS = 86_400_000
/** Like `RECOMPARE_MS`, for pools with third-party code, such as hooks. */
const FOREIGN_RECOMPARE_MS = 600_000

type Legs = RoutePlan['legs']

/** Records whether tokens and pools treat accounts with code differently. */
export class SenderCodeChecks {
  /** Tokens, and pools with third-party code, that treat accounts with code differently from plain accounts. */
  private readonly differingKeys = new BoundedMap<string, true>(MAX_DIFFERING)
  private readonly comparedAtByKey = new BoundedMap<string, number>(MAX_COMPARED)
  private readonly mayCheckCodeByToken = new BoundedMap<Address, Promise<boolean>>(MAX_CODES)
  private readonly allowListedTokens: ReadonlySet<Address>

  private readonly getTrust: () => Trust | undefined

  /**
   * @param allowListedTokens - tokens of the chain's file
   * @param getTrust - returns the trusted tokens and pools; undefined if all tokens outside the chain's file count
   *   alike
   */
  constructor(allowListedTokens: Iterable<Address>, getTrust: () => Trust | undefined = () => undefined) {
    this.allowListedTokens = new Set(allowListedTokens)
    this.getTrust = getTrust
  }

  get counts(): Readonly<Record<'codes' | 'compared' | 'differing', StateCount>> {
    return {
      codes: this.mayCheckCodeByToken.count,
      compared: this.comparedAtByKey.count,
      differing: this.differingKeys.count,
    }
  }

  /**
   * Returns the mode of a route's bare run; undefined if the route needs none. `measured` also compares the gas before
   * refunds: if a token was not compared in its pool recently, and while a difference is known.
   *
   * @see SimulationRequest.bareRunMode
   * @throws RpcError if code cannot be read
   */
  async bareRunModeOf(
    { legs }: Pick<RoutePlan, 'legs'>,
    rpc: Rpc,
    block: BlockRef,
  ): Promise<SimulationRequest['bareRunMode']> {
    const now = performance.now()
    if (tokenAndPoolKeys(legs).some((key) => this.differingKeys.has(key))) return 'measured'
    if (
      tokenInPoolKeys(legs).some(
        ([key, validMs]) => now - (this.comparedAtByKey.get(key) ?? Number.NEGATIVE_INFINITY) > validMs,
      )
    )
      return 'measured'
    const trust = this.getTrust()
    const untrustedTokens = tokensOf(legs).filter(
      (token) => !this.allowListedTokens.has(token) && !trust?.tokens.has(token),
    )
    const results = await Promise.all(untrustedTokens.map((token) => this.mayCheckCode(token, rpc, block)))
    return results.includes(true) ? 'charged' : undefined
  }

  /** Records a comparison. @param differs - true if the bare run ends differently from the simulation with a probe */
  observe({ legs }: Pick<RoutePlan, 'legs'>, differs: boolean): void {
    const now = performance.now()
    if (!differs) {
      for (const [key] of tokenInPoolKeys(legs)) this.comparedAtByKey.set(key, now)
      return
    }
    // Blame untrusted tokens and pools first, then those outside the chain's file, and tokens of the file only if the
    // route has nothing else.
    const keys = tokenAndPoolKeys(legs)
    const trust = this.getTrust()
    const untrustedKeys = new Set(trust && untrustedParts(legs, trust))
    const unlistedKeys = keys.filter((key) => !this.allowListedTokens.has(key as Address))
    const suspectKeys = [unlistedKeys.filter((key) => untrustedKeys.has(key)), unlistedKeys, keys]
    for (const key of suspectKeys.find(({ length }) => length > 0) ?? []) this.differingKeys.set(key, true)
  }

  /** Returns true if the token was seen to treat accounts with code differently. */
  dependsOnSenderCode(token: Address): boolean {
    return this.differingKeys.has(token)
  }

  /**
   * Returns true if the token's code may check other accounts for code. Reads the code once. If it is empty, the next
   * call reads it again, because a node that lags does not have the code of a new token yet.
   *
   * @throws RpcError if the code cannot be read
   */
  mayCheckCode(token: Address, rpc: Rpc, block: BlockRef): Promise<boolean> {
    const cached = this.mayCheckCodeByToken.get(token)
    if (cached) return cached
    const forget = () => {
      if (this.mayCheckCodeByToken.peek(token) === codeCheck) this.mayCheckCodeByToken.delete(token)
    }
    const codeCheck = rpc.getCode(token, block).then((code) => {
      if (code === '0x') forget()
      return mayDependOnOtherCode(code)
    })
    this.mayCheckCodeByToken.set(token, codeCheck)
    codeCheck.catch(forget)
    return codeCheck
  }
}

const hasForeignCode = (pool: Pool): boolean => (familyOf(pool.family)?.dependsOn?.(pool) ?? []).length > 0

function tokensOf(legs: Legs): readonly Address[] {
  return [...new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))]
}

function tokenAndPoolKeys(legs: Legs): readonly string[] {
  const pools = legs.flatMap(({ pool }) => (hasForeignCode(pool) ? [pool.id] : []))
  return [...tokensOf(legs), ...new Set(pools)]
}

/** Returns keys of the route's tokens in their pools, with the milliseconds for which a comparison is valid. */
function tokenInPoolKeys(legs: Legs): readonly (readonly [key: string, validMs: number])[] {
  return legs.flatMap(({ pool, tokenIn, tokenOut }) => {
    const validMs = hasForeignCode(pool) ? FOREIGN_RECOMPARE_MS : RECOMPARE_MS
    return [tokenIn, tokenOut].map((token) => [`${token} ${pool.id}`, validMs] as const)
  })
}
