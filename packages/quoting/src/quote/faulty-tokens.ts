/** Finds and remembers tokens that cannot be transferred, for example while the issuer pauses transfers. */
import { IERC20__factory } from '@sluice/bindings'
import { type Address, FLOAT_PPM, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Leg, RoutePlan, RouteTerms, Taxes, TaxesOfToken } from '@sluice/routing'
import { BoundedMap, SimulationError, type StateCount } from '@sluice/simulation'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import type { FaultyLegs } from './faulty-legs.ts'
import type { TrialContext } from './try-route.ts'

/** Maximum tokens that are avoided. */
const MAX_TOKENS = 64
/** Seconds for which searches avoid a token. */
const AVOID_SECONDS = 60
/**
 * A token is tested by a transfer of this fraction (1/1,000) of its smallest amount in a leg. A larger transfer could
 * fail because of its size.
 */
const TEST_AMOUNT_DIVISOR = 1_000n

const erc20 = IERC20__factory.createInterface()
/** A tax of 100 %, with which searches avoid a token. */
const FULL_TAX: TaxesOfToken = { usual: { buyPpm: FLOAT_PPM, sellPpm: FLOAT_PPM, transferPpm: 0 }, inPool: new Map() }

/** Tokens that routes do not pass through for a minute. */
export class FaultyTokens {
  /** Unix time in seconds until which a token is avoided. */
  private readonly avoidedUntilByToken = new BoundedMap<Address, number>(MAX_TOKENS)

  get count(): StateCount {
    return this.avoidedUntilByToken.count
  }

  /** Returns the tokens that failed lately. @param now - Unix time in seconds of the block */
  tokensAt(now: number): readonly Address[] {
    return [...this.avoidedUntilByToken].flatMap(([token, avoidedUntil]) =>
      now < avoidedUntil && now >= avoidedUntil - AVOID_SECONDS ? [token] : [],
    )
  }

  /** Records tokens that cannot be transferred. @param now - Unix time in seconds of the block */
  record(tokens: readonly Address[], now: number): void {
    for (const token of tokens) this.avoidedUntilByToken.set(token, now + AVOID_SECONDS)
  }

  /** Forgets all tokens. Called when the process stops following the chain, because later blocks are not observed. */
  forget(): void {
    this.avoidedUntilByToken.clear()
  }
}

/**
 * Returns the intermediate tokens of a failed route that cannot be transferred. Tests each token by a transfer to the
 * Executor (our contract that swaps), unless one of the token's legs works alone. A failed leg does not prove anything
 * about its token: a hostile pool could fail on purpose, so that other quotes avoid the token.
 */
export async function findFaultyTokens(
  route: RoutePlan,
  { workingLegs }: Pick<FaultyLegs, 'workingLegs'>,
  context: Omit<TrialContext, 'taxes'>,
): Promise<readonly Address[]> {
  const tokensOf = (legs: readonly Pick<Leg, 'tokenIn' | 'tokenOut'>[]) =>
    new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))
  const movableTokens = tokensOf(workingLegs)
  const candidates = [...tokensOf(route.legs)].filter(
    (token) => !movableTokens.has(token) && isIntermediate(token, route, context.wrappedNative),
  )
  const stuckFlags = await Promise.all(candidates.map((token) => cannotMove(token, route, context)))
  return candidates.filter((_, k) => stuckFlags[k])
}

/** True if routes between `tokenIn` and `tokenOut` can avoid the token: it is neither of these nor the native token. */
export function isIntermediate(
  token: Address,
  { tokenIn, tokenOut }: Pick<RouteTerms, 'tokenIn' | 'tokenOut'>,
  wrappedNative: Address | null,
): boolean {
  return token !== tokenIn && token !== tokenOut && token !== ZERO_ADDRESS && token !== wrappedNative
}

/** Adds a tax of 100 % for each of the tokens, so that no route passes through them. */
export function withFaultyTokens(taxes: Taxes | undefined, tokens: ReadonlySet<Address>): Taxes {
  return new Map([...(taxes ?? []), ...[...tokens].map((token) => [token, FULL_TAX] as const)])
}

/** Returns true if a small transfer of the token to the Executor fails. */
async function cannotMove(
  token: Address,
  { legs }: RoutePlan,
  { contracts, view, simulate, signal }: Omit<TrialContext, 'taxes'>,
): Promise<boolean> {
  const { block } = view.snapshot
  const amounts = legs.flatMap((leg) => [
    ...(leg.tokenIn === token ? [leg.amountIn] : []),
    ...(leg.tokenOut === token ? [leg.amountOut] : []),
  ])
  const [minAmount = 0n] = amounts.sort((a, b) => Number(a - b))
  const amountIn = minAmount / TEST_AMOUNT_DIVISOR + 1n
  const data = erc20.encodeFunctionData('transfer', [contracts.executor.address, amountIn]) as Hex
  try {
    const { success } = await simulate({
      ...{ from: NEUTRAL_SENDER, to: token, data, tokenIn: token, tokenOut: NATIVE, amountIn, signal },
      block: { blockHash: block.hash },
      knownState: { header: block, senderCode: '0x' },
    })
    return !success
  } catch (error) {
    if (signal.aborted) throw error
    // Other errors prove nothing about the token. For example, the simulation may be unable to fund the sender.
    return error instanceof SimulationError && error.code === 'BAD_TOKEN'
  }
}
