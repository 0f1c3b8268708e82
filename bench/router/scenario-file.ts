/** Reads a scenario file of any origin, and reports errors by field. */
import { z } from 'zod'
import type { RoutedTrade, ScenarioLeg } from './route.ts'
import type { Scenario, ScenarioPool } from './scenario.ts'

/** A scenario whose ids are replaced by indices in its lists. */
export type ScenarioFile = {
  readonly scenario: Scenario
  /** Converts a route, which has indices, to the ids of the file. */
  readonly toFileIds: (
    routedTrade: RoutedTrade,
  ) => Omit<RoutedTrade, 'legs'> & { readonly legs: readonly LegWithFileIds[] }
}
type Id = number | string
type LegWithFileIds = Omit<ScenarioLeg, 'pool' | 'tokenIn' | 'tokenOut'> &
  Readonly<Record<'pool' | 'tokenIn' | 'tokenOut', Id>>

const id = z.union([z.number(), z.string()], 'must be a number or a string')
const uint = z.string('must be a decimal string').regex(/^\d{1,78}$/, 'must be a decimal string')
const int = z.string('must be a decimal string').regex(/^-?\d{1,78}$/, 'must be a decimal string')
const address = z.string('must be an address').regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
const tick = z.int('must be a whole number')
const feePpm = z.int('must be a whole number').min(0).max(999_999)

const commonPoolFields = { id, address, token0: id, token1: id, feePpm, tvlUsd: z.number().default(0) }
const schema = z.object({
  version: z.literal(1, 'must be 1'),
  name: z.string().default(''),
  seed: z.number().default(0),
  chainId: z.int('must be a whole number').default(1),
  gasPriceWei: uint.default('0'),
  nativeToken: id,
  tokens: z.array(
    z.object({
      id,
      address,
      symbol: z.string().default(''),
      decimals: z.int().min(0).max(255).default(18),
      priceUsd: z.number().default(0),
      hub: z.boolean().default(false),
    }),
    'must be a list',
  ),
  pools: z.array(
    z.discriminatedUnion(
      'type',
      [
        z.object({ ...commonPoolFields, type: z.literal('v2'), reserve0: uint, reserve1: uint }),
        z.object({
          ...commonPoolFields,
          type: z.literal('v3'),
          tickSpacing: z.int('must be a whole number').min(1),
          sqrtPriceX96: uint,
          tick,
          liquidity: uint,
          ticks: z.array(z.tuple([tick, int])),
          balance0: uint.default('0'),
          balance1: uint.default('0'),
        }),
        z.object({
          ...commonPoolFields,
          type: z.literal('stable'),
          A: uint,
          balance0: uint,
          balance1: uint,
          rate0: uint,
          rate1: uint,
        }),
      ],
      'must be v2, v3 or stable',
    ),
    'must be a list',
  ),
  trades: z.array(z.object({ id, tokenIn: id, tokenOut: id, amountIn: uint }), 'must be a list'),
})

/**
 * Parses a scenario file.
 *
 * @throws Error listing each invalid field
 */
export function readScenario(text: string): ScenarioFile {
  const parsed = schema.safeParse(JSON.parse(text))
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'))
  const { data } = parsed
  const indexOfToken = indexById('tokens', data.tokens)
  indexById('pools', data.pools)
  indexById('trades', data.trades)
  const tokenIndexOf = (tokenId: Id, field: string) => {
    const tokenIndex = indexOfToken.get(tokenId)
    if (tokenIndex === undefined) throw new Error(`${field} ${JSON.stringify(tokenId)} is not among the tokens`)
    return tokenIndex
  }
  const requireDifferent = (a: number, b: number, field: string) => {
    if (a === b) throw new Error(`${field} must name two tokens`)
  }
  const pools = data.pools.map((pool, index): ScenarioPool => {
    const token0 = tokenIndexOf(pool.token0, `pools.${index}.token0`)
    const token1 = tokenIndexOf(pool.token1, `pools.${index}.token1`)
    requireDifferent(token0, token1, `pools.${index}`)
    return { ...pool, id: index, token0, token1 }
  })
  const trades = data.trades.map((trade, index) => {
    const tokenIn = tokenIndexOf(trade.tokenIn, `trades.${index}.tokenIn`)
    const tokenOut = tokenIndexOf(trade.tokenOut, `trades.${index}.tokenOut`)
    requireDifferent(tokenIn, tokenOut, `trades.${index}`)
    if (BigInt(trade.amountIn) === 0n) throw new Error(`trades.${index}.amountIn must be above 0`)
    return { ...trade, tokenIn, tokenOut }
  })
  const tokens = data.tokens.map((token, id) => ({ ...token, id }))
  const nativeToken = tokenIndexOf(data.nativeToken, 'nativeToken')
  return {
    scenario: { ...data, nativeToken, tokens, pools, trades },
    toFileIds: (routedTrade) => ({
      ...routedTrade,
      legs: routedTrade.legs.map(({ pool, tokenIn, tokenOut, num, den }) => ({
        pool: data.pools[pool]!.id,
        tokenIn: data.tokens[tokenIn]!.id,
        tokenOut: data.tokens[tokenOut]!.id,
        num,
        den,
      })),
    }),
  }
}

function indexById(list: string, entries: readonly { readonly id: Id }[]): ReadonlyMap<Id, number> {
  const indexes = new Map<Id, number>()
  for (const [index, { id }] of entries.entries()) {
    if (indexes.has(id)) throw new Error(`${list}.${index}.id ${JSON.stringify(id)} occurs twice`)
    indexes.set(id, index)
  }
  return indexes
}
