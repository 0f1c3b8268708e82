/** Runs one trap against the service, and compares the route with default settings with the route through the bait. */
import type { System } from '../service.ts'
import { swapUrl } from '../swap.ts'
import { Node } from '../wallet.ts'
import { Attacker } from './attacker.ts'
import type { Trap } from './traps.ts'

const AMOUNT_IN = 4_000n * 10n ** 18n
/** Milliseconds for which quotes must be stable, since pools found in past logs may join after the first quotes. */
const STEADY_MS = 1_000
const STEP_MS = 250
const MAX_STEPS = 60

export type Verdict = {
  readonly trap: string
  /** Percent of the input that goes through the bait in the quote with `intermediates=any` (the baited quote). */
  readonly baitedPercent: number
  /** Basis points by which the baited quote exceeds the quote without the trap. */
  readonly baitedQuoteBps: number
  /** Basis points by which the baited quote's transaction pays less than quoted; null if it reverted. */
  readonly baitedLossBps: number | null
  /** True if the route with default settings uses a pool of the attacker. */
  readonly stepsOnIt: boolean
  /**
   * User's gain with default settings compared with the quote without the trap, in bps; negative for a loss, null if
   * the transaction reverted.
   */
  readonly gainBps: number | null
  /** Quote with default settings compared with the quote without the trap, in bps. */
  readonly quotedBps: number
  /** Pools that the route without the trap uses, and the route with default settings does not. */
  readonly leftOut: readonly string[]
  /** Pools that the route with default settings uses, and the route without the trap does not. */
  readonly instead: readonly string[]
  /** Number of simulated routes by outcome, except for `exact`. After such an outcome, a quote avoids a pool. */
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

async function stableQuote(ask: () => Promise<QuotedRoute>): Promise<QuotedRoute> {
  let last = await ask()
  for (let step = 0, same = 0; step < MAX_STEPS; step++) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const next = await ask()
    same = next.toAmount === last.toAmount ? same + STEP_MS : 0
    if (same >= STEADY_MS) return next
    last = next
  }
  throw new Error('the honest quote does not come to rest')
}

async function failedTrialsOf(api: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${api}/metrics`)).text()
  const counted = text.matchAll(/^sluice_route_trials_total{[^}]*outcome="(\w+)"} (\d+)$/gm)
  return Object.fromEntries(
    [...counted].flatMap(([, name, count]) => (name === 'exact' ? [] : [[name, Number(count)]])),
  )
}

const bps = (value: bigint, baseline: bigint) => (Number(value - baseline) / Number(baseline)) * 10_000

export async function tryTrap({ devnet, api }: System, trap: Trap): Promise<Verdict> {
  const node = new Node(devnet.url)
  const { tokens, accounts, guard } = devnet.info
  const [user, src, dst] = [accounts[0]!.address, tokens.LINK!.address, tokens.UNI!.address]
  const ask = async (from: string, over: Record<string, string> = {}): Promise<QuotedRoute> => {
    const query = { src, dst, amount: AMOUNT_IN, from, gasPrice: 10n ** 9n, ...over }
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
