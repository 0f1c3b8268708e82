/** Runs one trap against the service, and compares the default result with the loss from the bait. */
import type { System } from '../service.ts'
import { swapUrl } from '../swap.ts'
import { Node } from '../wallet.ts'
import { Attacker } from './attacker.ts'
import type { Trap } from './traps.ts'

const AMOUNT = 4_000n * 10n ** 18n
/** Milliseconds for which quotes must be stable, since pools found in past logs may join after the first quotes. */
const STEADY_MS = 1_000
const STEP_MS = 250
const MAX_STEPS = 60

export type Verdict = {
  readonly trap: string
  /**
   * With `intermediates=any`: percent of the input that goes through the bait, and the quote's excess over the quote
   * without the trap in bps.
   */
  readonly baitedPercent: number
  readonly baitedQuoteBps: number
  /** Loss of that transaction compared with its own quote; null if it reverted. */
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
  /** Pools of the route without the trap that the default route omits, and pools that it uses instead. */
  readonly leftOut: readonly string[]
  readonly instead: readonly string[]
  /** Numbers of simulation outcomes other than `exact`. After such an outcome, a quote avoids a pool. */
  readonly failedTrials: Readonly<Record<string, number>>
}

type QuotedTrial = {
  readonly toAmount: string
  readonly gasEstimate: string
  readonly swaps: readonly { pool: string; protocol: string; tokenIn: string; tokenOut: string; amountIn: string }[]
  readonly tx: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
}

/** Returns the pools of the first route that the second does not use, with their protocols. */
function besides(first: QuotedTrial, second: QuotedTrial): readonly string[] {
  const secondPools = new Set(second.swaps.map(({ pool }) => pool))
  return first.swaps.filter(({ pool }) => !secondPools.has(pool)).map(({ pool, protocol }) => `${protocol} ${pool}`)
}

async function steady(ask: () => Promise<QuotedTrial>): Promise<QuotedTrial> {
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

async function failedTrials(api: string): Promise<Readonly<Record<string, number>>> {
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
  const ask = async (from: string, over: Record<string, string> = {}): Promise<QuotedTrial> => {
    const query = { src, dst, amount: AMOUNT, from, gasPrice: 10n ** 9n, ...over }
    const response = await fetch(swapUrl(api, devnet.chainId, query))
    const body = (await response.json()) as QuotedTrial
    if (response.status !== 200) throw new Error(`${trap.name}: ${JSON.stringify(body)}`)
    return body
  }
  await node.approve(src, user, guard, 2n ** 255n)
  const calm = await steady(() => ask(user))
  const honest = BigInt(calm.toAmount)
  const honestPools = new Set<string>(devnet.info.pools.flatMap(({ address, id = address }) => [address, id]))

  const attacker = new Attacker(devnet)
  const { requestedToken, spring } = await trap.set(attacker)
  await ask(attacker.address)
  if (requestedToken !== dst) await ask(attacker.address, { dst: requestedToken, intermediates: 'any' })
  await node.request('anvil_mine', ['0x3'])

  const baited = await ask(user, { intermediates: 'any' })
  const route = await ask(user)
  await spring()

  const received = async ({ tx, gasEstimate }: QuotedTrial): Promise<bigint | null> => {
    const before = await node.balance(dst, user)
    const gas = `0x${((BigInt(gasEstimate) * 12n) / 10n).toString(16)}`
    const price = trap.gasPriceWei && { gasPrice: `0x${trap.gasPriceWei.toString(16)}` }
    const sent = { from: user, to: tx.to, data: tx.data, gas, ...price }
    await node.request('eth_sendTransactionSync', [sent])
    const got = (await node.balance(dst, user)) - before
    return got > 0n ? got : null
  }
  const undo = await node.request<string>('evm_snapshot')
  const sprung = await received(baited)
  await node.undo(undo)
  await node.request('evm_mine')
  const got = await received(route)

  const isBait = ({ pool, protocol }: QuotedTrial['swaps'][number]) =>
    protocol !== 'wrapped-native' && !honestPools.has(pool)
  const intoBait = baited.swaps.filter((leg) => isBait(leg) && leg.tokenIn.toLowerCase() === src)
  const into = intoBait.reduce((sum, { amountIn }) => sum + BigInt(amountIn), 0n)
  return {
    trap: trap.name,
    baitedPercent: Number((into * 1000n) / AMOUNT) / 10,
    baitedQuoteBps: bps(BigInt(baited.toAmount), honest),
    baitedLossBps: sprung === null ? null : -bps(sprung, BigInt(baited.toAmount)),
    stepsOnIt: route.swaps.some(isBait),
    gainBps: got === null ? null : bps(got, honest),
    quotedBps: bps(BigInt(route.toAmount), honest),
    leftOut: besides(calm, route),
    instead: besides(route, calm),
    failedTrials: await failedTrials(api),
  }
}
