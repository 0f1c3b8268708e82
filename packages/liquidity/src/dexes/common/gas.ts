/**
 * Gas of swaps by family, from `gas.generated.json`. `npm run measure:gas` writes this file. It measures swaps through
 * real pools, and through the real Guard and Executor (our contracts). Families that cannot be measured have an
 * estimate and its reason. The route search compares pools by these values. The gas of a found route is measured by
 * simulation.
 */
import type { Address } from '@sluice/chains'
import table from './gas.generated.json' with { type: 'json' }
import { exactIdOf } from './twin-id.ts'

/** Gas of one family. */
export type GasRow = {
  /**
   * Gas that a hop adds to a route of several hops, after refunds. Includes its plain ERC-20 transfers. Used to compare
   * single hops.
   */
  readonly hop: number
  /**
   * Gas of the hop in a sum over all parts of a route. The sum counts some parts of `hop`, such as an oracle write,
   * separately. Absent: `hop`.
   */
  readonly part?: number
  /** Gas of each piece of the pool's curve after the first, such as a crossed tick or one more bin. */
  readonly piece: number
  /** Gas of a write to the pool's oracle. Absent: no oracle is written when a hop moves the tick. */
  readonly oracle?: number
  /** Gas refund of the hop. Default: `EMPTIED_REFUND`, for one balance that is set and cleared. */
  readonly refund?: number
  /** Method by which this row was measured, or the reason why it is an estimate. */
  readonly basis: string
}

/** Ids of the families with a row. */
export type GasFamily = keyof typeof table.families

/**
 * Parts in which a route differs from a plain chain of hops with ERC-20 tokens. The gas of a part is the difference,
 * and may be negative.
 */
export type SharedGasPart = keyof typeof table.parts
/** Parts of a route whose gas is known separately. A name after the colon is a family or a token address. */
export type GasPart =
  | SharedGasPart
  | 'route'
  | `hop:${string}`
  | `piece:${string}`
  | `oracle:${string}`
  | `token:${string}`
/** Gas and gas refund of one part of a route. */
export type PartGas = {
  /** Gas of the part after refunds. */
  readonly gas: number
  readonly refund: number
}

/** Rows by family. */
export const GAS_TABLE: Readonly<Record<GasFamily, GasRow>> = table.families
/** Returns one value of each row, by family. */
const mapRows = (pick: (row: GasRow) => number) =>
  Object.fromEntries(Object.entries(GAS_TABLE).map(([id, row]) => [id, pick(row)])) as Readonly<
    Record<GasFamily, number>
  >

/** Gas of a swap without its hops: the transaction, the Guard, and the transfers of the Guard. */
export const ROUTE_GAS: number = table.route
/** Gas of a hop by family. */
export const HOP_GAS = mapRows(({ hop }) => hop)
/** Gas of each piece of the price curve (tick or bin) after the first, by family. */
export const PIECE_GAS = mapRows(({ piece }) => piece)

/** Gas refund of a slot that goes from zero to nonzero and back within a transaction (EIP-2200 with EIP-2929). */
export const EMPTIED_REFUND = 19_900

/**
 * Additional gas of tokens with expensive transfers, such as proxies and tokens that access more slots. `gas` is added
 * for each hop that pays or receives the token. `once` is added once per route.
 */
const TOKEN_GAS: ReadonlyMap<string, { readonly gas: number; readonly once: number }> = new Map(
  Object.entries(table.tokens),
)

/** True for a token whose transfers are known to cost more than those of a plain ERC-20. */
export const hasExpensiveTransfers = (token: Address): boolean => TOKEN_GAS.has(token)

/**
 * Returns the additional gas of a token at one end of a hop, compared with a plain ERC-20. Use it to compare single
 * hops. For a whole route, use `partGas`, which counts the cold accounts and slots of the token only once.
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

/** Gas of a hop of a family without a row. It is above most measurements, so that routing does not favor the family. */
const UNMEASURED_HOP = 150_000

/** Returns the row of a family, or an estimate if it has no row. */
export function gasRow(family: string): GasRow {
  const gasRows: Readonly<Record<string, GasRow>> = GAS_TABLE
  // A sampled twin is a family for pools of another, exact family. Its swaps are the same, so they take the same gas.
  const row = gasRows[family] ?? gasRows[exactIdOf(family) ?? family]
  return row ?? { hop: UNMEASURED_HOP, piece: 0, basis: 'estimate: not measured yet' }
}
