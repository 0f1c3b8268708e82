/**
 * Gas of swaps by family, from `gas.generated.json`, which `npm run measure:gas` writes from swaps through the real
 * Guard, Executor, and pools. Rows that cannot be measured contain an estimate and its reason. Routing ranks pools by
 * these values; the gas of a route is measured by simulation.
 */
import type { Address } from '@sluice/chains'
import table from './gas.generated.json' with { type: 'json' }
import { exactIdOf } from './twin-id.ts'

/** Gas of one family. */
export type GasRow = {
  /**
   * Gas of one more hop in a route of several pools, including plain ERC-20 transfers, after refunds. Used to compare
   * single hops.
   */
  readonly hop: number
  /**
   * Gas of the hop as part of a route whose other parts, such as an oracle write, are counted separately. Absent:
   * `hop`.
   */
  readonly part?: number
  /** Gas of each piece of the pool's curve after the first: a crossed tick, a further bin. */
  readonly piece: number
  /** Gas of a write to the pool's oracle, if a hop that moves the tick writes one. */
  readonly oracle?: number
  /** Refund of the hop at the end of the transaction. Default: the refund of one balance that is set and cleared. */
  readonly refund?: number
  /** Method by which this row was measured, or the reason why it is an estimate. */
  readonly basis: string
}

/** Families with a row. */
export type GasFamily = keyof typeof table.families

/**
 * Parts that a route has if its hops or its ends differ from a plain chain of ERC-20 pools. Their gas is the difference
 * from such a chain, and may be negative.
 */
export type SharedGasPart = keyof typeof table.parts
/** Parts of a route whose gas is known separately. */
export type GasPart =
  | SharedGasPart
  | 'route'
  | `hop:${string}`
  | `piece:${string}`
  | `oracle:${string}`
  | `token:${string}`
/** Gas of a part after refunds, and the refund. */
export type PartGas = { readonly gas: number; readonly refund: number }

const gasRowByFamily: Readonly<Record<GasFamily, GasRow>> = table.families
const mapRows = (pick: (row: GasRow) => number) =>
  Object.fromEntries(Object.entries(gasRowByFamily).map(([id, row]) => [id, pick(row)])) as Readonly<
    Record<GasFamily, number>
  >

/** Gas of a swap without its hops: the transaction, the Guard, and the transfers of the Guard. */
export const ROUTE_GAS: number = table.route
/** Rows by family. */
export const GAS_TABLE = gasRowByFamily
/** Gas of a hop by family. */
export const HOP_GAS = mapRows(({ hop }) => hop)
/** Additional gas for each piece of the price curve (tick or bin) that a swap crosses, by family. */
export const PIECE_GAS = mapRows(({ piece }) => piece)

/** Refund for a slot that goes from zero to nonzero and back within a transaction (EIP-3529). */
export const EMPTIED_REFUND = 19_900

/**
 * Tokens with expensive transfers, such as proxies and tokens that access more slots. `gas` is added at each end of a
 * single hop, and `once` is added once per route.
 */
const TOKEN_GAS: ReadonlyMap<string, { readonly gas: number; readonly once: number }> = new Map(
  Object.entries(table.tokens),
)

/** True for a token whose transfers are known to cost more. */
export const hasExpensiveTransfers = (token: Address): boolean => TOKEN_GAS.has(token)

/**
 * Returns the additional gas of a token at one end of a hop, compared with a plain ERC-20, to compare single hops. For
 * a whole route, `partGas` counts the cold accounts and slots of the token once.
 */
export const tokenGas = (token: Address): number => TOKEN_GAS.get(token)?.gas ?? 0

/** Returns the gas that a part adds after refunds, and its refund. */
export function partGas(part: GasPart): PartGas {
  if (part === 'route') return { gas: table.route, refund: table.routeRefund }
  const [kind, name] = part.split(':')
  if (name === undefined) return table.parts[part as SharedGasPart]
  if (kind === 'token') return { gas: TOKEN_GAS.get(name)?.once ?? 0, refund: 0 }
  const { hop, part: gas = hop, piece, oracle = 0, refund = EMPTIED_REFUND } = gasRow(name)
  if (kind === 'hop') return { gas, refund }
  return { gas: kind === 'oracle' ? oracle : piece, refund: 0 }
}

/** Gas of a hop of a family without a measurement: above that of most families, so that routing does not favor it. */
const UNMEASURED_HOP = 150_000

/** Returns the row of a family, or an estimate. */
export function gasRow(family: string): GasRow {
  const gasRows: Readonly<Record<string, GasRow>> = gasRowByFamily
  // A pool of a sampled twin is traded by the same step as one of the exact family.
  const row = gasRows[family] ?? gasRows[exactIdOf(family) ?? family]
  return row ?? { hop: UNMEASURED_HOP, piece: 0, basis: 'estimate: not measured yet' }
}
