/** Largest inputs of pools: those that the families state, against those that the pools themselves accept. */
import { IERC20__factory, IERC20Supply__factory } from '@sluice/bindings'
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type HopQuote, type Pool, PoolRefusal } from '../../src/index.ts'
import { NO_LIMIT } from '../../src/math/capacity.ts'
import { min } from '../../src/math/integers.ts'
import { endOf, endsAt } from '../curve-end.ts'
import { type Random, random } from '../random.ts'
import { type Outcome, run, type SwapTrial } from './trials.ts'
import { type PoolWorld, word } from './world.ts'

export type CapacityTally = {
  /** Directions whose end is that of the pool, to the unit: accepted there, refused one unit above. */
  ends: number
  /** Directions that take all that the trader has, as was said. */
  beyond: number
  /** Directions that take nothing, as was said. */
  nothing: number
  /** Directions that end where the family stops, before the pool does. */
  ownLimits: number
  readonly mismatches: string[]
}

/** Base units of every token that the trader is given, where the token can count so many: more than pools keep of any. */
const FORTUNE = 1n << 128n
/**
 * Families whose pools pay back what there is of their shares, and would more for a trader whose fortune was never made. How much native
 * token is wrapped is known as of a past block, besides.
 */
const SHARES = new Set(['aave-v3', 'balancer-v3', 'erc4626', 'rate-wrapper', 'wrapped-native'])
/** Directions of a family that are tried. */
const DIRECTIONS = 24
/** Trials of a call: those at the end of a pool may cross all of its ticks. */
const AT_ONCE = 40

const erc20 = IERC20__factory.createInterface()
const total = IERC20Supply__factory.createInterface().encodeFunctionData('totalSupply') as Hex

type Direction = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly maxInput: bigint | null
  /** Base units that the trader has, and that anybody can have. */
  readonly funds: bigint
  readonly supply: bigint
}

/** Gives the trader more than any pool takes, where that can be done, and reads the pools again. */
export async function makeRich(world: PoolWorld): Promise<void> {
  const tokens = new Set(world.pools().flatMap((pool) => pool.tokens))
  await world.request('anvil_setBalance', [world.trader, word(FORTUNE << 1n)])
  for (const token of tokens) {
    if (token === ZERO_ADDRESS) continue
    // A wrapper is backed.
    await world.request('anvil_setBalance', [token, word(FORTUNE << 1n)])
    const before = await balanceOf(world, token, 'latest')
    if (before >= FORTUNE) continue
    await world.request('anvil_dealERC20', [world.trader, token, word(FORTUNE)]).catch(() => undefined)
    // A token that packs its balances may hold less now.
    if ((await balanceOf(world, token, 'latest')) < before)
      await world.request('anvil_dealERC20', [world.trader, token, word(before)])
  }
  await world.request('evm_mine')
  await world.sync()
}

async function balanceOf(
  { rpc, trader }: PoolWorld,
  token: Address,
  block: 'latest' | { readonly blockHash: Hex },
  holder = trader,
): Promise<bigint> {
  const data = erc20.encodeFunctionData('balanceOf', [holder]) as Hex
  return BigInt(await rpc.call({ to: token, data }, block))
}

/** Tries a family's pools at the ends that it states, just above them, and around; and compares the ends of their curves. */
export async function compareCapacities(world: PoolWorld, family: string, seed: number): Promise<CapacityTally> {
  const r = random(seed)
  const tally: CapacityTally = { ends: 0, beyond: 0, nothing: 0, ownLimits: 0, mismatches: [] }
  const directions = await directionsOf(world, family, r)
  const trials = directions.flatMap((direction) => amountsOf(direction).map((amountIn) => ({ direction, amountIn })))
  for (let from = 0; from < trials.length; from += AT_ONCE) {
    const some = trials.slice(from, from + AT_ONCE)
    const outcomes = await run(world, some.map(trialOf))
    for (const [k, { direction, amountIn }] of some.entries()) {
      const wrong = compare(direction, amountIn, outcomes[k]![0]!)
      if (wrong) tally.mismatches.push(wrong)
    }
  }
  for (const direction of directions) {
    const wrong = compareCurve(direction)
    if (wrong) tally.mismatches.push(wrong)
    count(direction, tally)
  }
  return tally
}

/** Both ways of a pool, or some of its pairs, of pools drawn at random. */
async function directionsOf(world: PoolWorld, family: string, r: Random): Promise<readonly Direction[]> {
  const pools = world.pools().filter((pool) => pool.family === family)
  const all = pools.flatMap((pool) =>
    pool.tokens.flatMap((tokenIn) =>
      pool.tokens.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : [{ pool, tokenIn, tokenOut }])),
    ),
  )
  for (let k = all.length - 1; k > 0; k--) {
    const other = r.integer(k + 1)
    ;[all[k], all[other]] = [all[other]!, all[k]!]
  }
  const directions: Direction[] = []
  for (const { pool, tokenIn, tokenOut } of all.slice(0, DIRECTIONS)) {
    const maxInput = familyOf(family)!.maxInput(pool, tokenIn, tokenOut)
    directions.push({ pool, tokenIn, tokenOut, maxInput, ...(await holdings(world, pool, tokenIn)) })
  }
  return directions
}

async function holdings(world: PoolWorld, pool: Pool, token: Address): Promise<Pick<Direction, 'funds' | 'supply'>> {
  const block = { blockHash: world.blockHash() }
  if (token === ZERO_ADDRESS) return { funds: FORTUNE, supply: FORTUNE }
  // The trader's fortune is in no supply. Who holds a pool's tokens, its vault or itself, sells none of them.
  const { vault } = (pool.fixed ?? {}) as { readonly vault?: Address }
  const supply = await world.rpc.call({ to: token, data: total }, block).then(BigInt, () => FORTUNE)
  const poolBalance = await balanceOf(world, token, block, vault ?? pool.address)
  return { funds: await balanceOf(world, token, block), supply: supply - poolBalance }
}

function amountsOf({ maxInput, funds }: Direction): readonly bigint[] {
  if (maxInput === 0n) return [0n, 20n, 40n, 60n, 80n, 100n].map((bits) => 1n << bits).filter((one) => one <= funds)
  const end = maxInput ?? min(funds, NO_LIMIT)
  const below = [end, (end * 999n) / 1_000n, end / 2n, end / 10n]
  const above = maxInput === null ? [] : [end + 1n, end + 2n, (end * 1_001n) / 1_000n + 3n, end * 2n, end * 100n, funds]
  return [...new Set([...below, ...above])].filter((amountIn) => amountIn > 0n && amountIn <= funds)
}

const trialOf = ({ direction: { pool, tokenIn, tokenOut }, amountIn }: { direction: Direction; amountIn: bigint }) =>
  ({ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }) satisfies SwapTrial

/** Difference between the two outcomes; undefined if both accept, or both refuse. */
function compare(direction: Direction, amountIn: bigint, outcome: Outcome): string | undefined {
  const { pool, tokenIn, tokenOut, maxInput, supply } = direction
  const family = familyOf(pool.family)!
  const ours = quote(direction, amountIn)
  const isAccepted = outcome.ok && outcome.left === 0n
  const described = () =>
    `${pool.family} ${pool.id} sells ${amountIn} of ${pool.tokens.indexOf(tokenIn)} for ${pool.tokens.indexOf(tokenOut)}, takes ${maxInput}: ` +
    `quoted ${ours instanceof PoolRefusal ? ours.message : ours.amountOut}, paid ${outcome.amountOut}, ${outcome.ok ? `${outcome.left} left` : 'reverted'}`
  if (ours instanceof PoolRefusal) {
    if (maxInput === null || amountIn <= maxInput) {
      // Single amounts are refused for roundings, and dust.
      if (ours.code === 'UNSUPPORTED' || (ours.code === 'TOO_SMALL' && amountIn < (maxInput ?? amountIn * 2n))) return
      return described()
    }
    if (ours.isModelLimit || (SHARES.has(pool.family) && (amountIn > supply || family.wrapsNative))) return
    return isAccepted && outcome.amountOut > 0n ? described() : undefined
  }
  // Shares that a trader has already may round with those that come.
  const off = outcome.amountOut - ours.amountOut
  const rounded = SHARES.has(pool.family) ? 1n : 0n
  return isAccepted && -rounded <= off && off <= rounded ? undefined : described()
}

/** The end of the curve that the search sees, if it is another. */
function compareCurve({ pool, tokenIn, tokenOut, maxInput }: Direction): string | undefined {
  const curve = familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut)
  if (maxInput === null || endsAt(curve, maxInput)) return
  return `${pool.family} ${pool.id} takes ${maxInput} of ${pool.tokens.indexOf(tokenIn)}: its curve ends at ${endOf(curve)}`
}

function quote({ pool, tokenIn, tokenOut }: Direction, amountIn: bigint): HopQuote | PoolRefusal {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

function count(direction: Direction, tally: CapacityTally): void {
  const { maxInput, funds } = direction
  if (maxInput === 0n) tally.nothing++
  else if (maxInput === null || maxInput >= funds) tally.beyond++
  else {
    const above = quote(direction, maxInput + 1n)
    if (above instanceof PoolRefusal && above.isModelLimit) tally.ownLimits++
    else tally.ends++
  }
}
