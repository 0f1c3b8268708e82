/** Runs a trap against the service. Compares the route of default settings with the route through the trap's bait. */
import type { System } from '../service.ts'
import { swapUrl } from '../swap.ts'
import { Node } from '../wallet.ts'
import { Attacker } from './attacker.ts'
import type { Trap } from './traps.ts'

const AMOUNT_IN = 4_000n * 10n ** 18n
/** Milliseconds for which quotes must stay the same. The service may still find pools after the first quotes. */
const STABLE_MS = 1_000
/** Milliseconds from one quote to the next. */
const STEP_MS = 250
const MAX_STEPS = 60

export type TrapResult = {
  readonly trap: string
  /** Percentage of the input that the baited quote sells to the bait. The baited quote has `intermediates=any`. */
  readonly baitedPercent: number
  /** Basis points by which the baited quote exceeds the quote without the trap. */
  readonly baitedQuoteBps: number
  /** Basis points by which the baited quote's transaction pays less than quoted; null if it reverted. */
  readonly baitedLossBps: number | null
  /** True if the route of default settings uses a pool of the attacker. */
  readonly stepsOnIt: boolean
  /**
   * Basis points by which the transaction of default settings pays more than the quote without the trap. Negative for a
   * loss; null if the transaction reverted.
   */
  readonly gainBps: number | null
  /** Basis points by which the quote of default settings exceeds the quote without the trap. */
  readonly quotedBps: number
  /** Pools of the route without the trap that the route of default settings does not use. */
  readonly leftOut: readonly string[]
  /** Pools of the route of default settings that the route without the trap does not use. */
  readonly instead: readonly string[]
  /** Number of simulated routes by outcome, except `exact`. After such an outcome, a quote avoids a pool. */
  readonly failedTrials: Readonly<Record<string, number>>
}

type QuotedRoute = {
  readonly toAmount: string
  readonly gasEstimate: string
  readonly swaps: readonly { pool: string; protocol: string; tokenIn: string; tokenOut: string; amountIn: string }[]
  readonly tx: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
}

/** Returns the pools of the first route that the second does not use, with their protocols. */
function poolsOnlyIn(first: QuotedRoute, second: QuotedRoute): readonly string[] {
  const secondPools = new Set(second.swaps.map(({ pool }) => pool))
  return first.swaps.filter(({ pool }) => !secondPools.has(pool)).map(({ pool, protocol }) => `${protocol} ${pool}`)
}

/** Requests quotes until they stay the same for `STABLE_MS`. Returns the last quote. */
async function stableQuote(ask: () => Promise<QuotedRoute>): Promise<QuotedRoute> {
  let lastQuote = await ask()
  for (let step = 0, unchangedMs = 0; step < MAX_STEPS; step++) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const next = await ask()
    unchangedMs = next.toAmount === lastQuote.toAmount ? unchangedMs + STEP_MS : 0
    if (unchangedMs >= STABLE_MS) return next
    lastQuote = next
  }
  throw new Error(`the quote without the trap changes for more than ${(MAX_STEPS * STEP_MS) / 1_000} s`)
}

async function failedTrialsOf(api: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${api}/metrics`)).text()
  const counted = text.matchAll(/^sluice_route_trials_total{[^}]*outcome="(\w+)"} (\d+)$/gm)
  return Object.fromEntries(
    [...counted].flatMap(([, name, count]) => (name === 'exact' ? [] : [[name, Number(count)]])),
  )
}

const bps = (value: bigint, baseline: bigint) => (Number(value - baseline) / Number(baseline)) * 10_000

/** Sets the trap, requests the quotes, springs the trap, and sends both transactions. */
export async function tryTrap({ devnet, api }: System, trap: Trap): Promise<TrapResult> {
  const node = new Node(devnet.url)
  const { tokens, accounts, guard } = devnet.info
  const [user, src, dst] = [accounts[0]!.address, tokens.LINK!.address, tokens.UNI!.address]
  const ask = async (from: string, overrides: Record<string, string> = {}): Promise<QuotedRoute> => {
    const query = { src, dst, amount: AMOUNT_IN, from, gasPrice: 10n ** 9n, ...overrides }
    const response = await fetch(swapUrl(api, devnet.chainId, query))
    const body = (await response.json()) as QuotedRoute
    if (response.status !== 200) throw new Error(`${trap.name}: ${JSON.stringify(body)}`)
    return body
  }
  await node.approve(src, user, guard, 2n ** 255n)
  const quoteWithoutTrap = await stableQuote(() => ask(user))
  const outputWithoutTrap = BigInt(quoteWithoutTrap.toAmount)
  const honestPools = new Set<string>(devnet.info.pools.flatMap(({ address, id = address }) => [address, id]))

  const attacker = new Attacker(devnet)
  const { requestedToken, spring } = await trap.set(attacker)
  await ask(attacker.address)
  if (requestedToken !== dst) await ask(attacker.address, { dst: requestedToken, intermediates: 'any' })
  await node.request('anvil_mine', ['0x3'])

  const baitedRoute = await ask(user, { intermediates: 'any' })
  const defaultRoute = await ask(user)
  await spring()

  const receivedBy = async ({ tx, gasEstimate }: QuotedRoute): Promise<bigint | null> => {
    const before = await node.balance(dst, user)
    const gas = `0x${((BigInt(gasEstimate) * 12n) / 10n).toString(16)}`
    const price = trap.gasPriceWei && { gasPrice: `0x${trap.gasPriceWei.toString(16)}` }
    const sent = { from: user, to: tx.to, data: tx.data, gas, ...price }
    await node.request('eth_sendTransactionSync', [sent])
    const amount = (await node.balance(dst, user)) - before
    return amount > 0n ? amount : null
  }
  const snapshotId = await node.request<string>('evm_snapshot')
  const baitedReceived = await receivedBy(baitedRoute)
  await node.undo(snapshotId)
  await node.request('evm_mine')
  const defaultReceived = await receivedBy(defaultRoute)

  const isBait = ({ pool, protocol }: QuotedRoute['swaps'][number]) =>
    protocol !== 'wrapped-native' && !honestPools.has(pool)
  const baitLegs = baitedRoute.swaps.filter((leg) => isBait(leg) && leg.tokenIn.toLowerCase() === src)
  const baitInput = baitLegs.reduce((sum, { amountIn }) => sum + BigInt(amountIn), 0n)
  return {
    trap: trap.name,
    baitedPercent: Number((baitInput * 1000n) / AMOUNT_IN) / 10,
    baitedQuoteBps: bps(BigInt(baitedRoute.toAmount), outputWithoutTrap),
    baitedLossBps: baitedReceived === null ? null : -bps(baitedReceived, BigInt(baitedRoute.toAmount)),
    stepsOnIt: defaultRoute.swaps.some(isBait),
    gainBps: defaultReceived === null ? null : bps(defaultReceived, outputWithoutTrap),
    quotedBps: bps(BigInt(defaultRoute.toAmount), outputWithoutTrap),
    leftOut: poolsOnlyIn(quoteWithoutTrap, defaultRoute),
    instead: poolsOnlyIn(defaultRoute, quoteWithoutTrap),
    failedTrials: await failedTrialsOf(api),
  }
}
