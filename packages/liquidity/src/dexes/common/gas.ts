/**
 * Gas of swaps, by family: `gas.generated.json`, which `npm run measure:gas` writes from swaps through the real Guard,
 * Executor and pools. A row that cannot be measured here keeps an estimate and says why. Routing weighs pools by it; what a
 * route costs is measured when it is simulated.
 */
import type { Address } from '@sluice/chains'
import table from './gas.generated.json' with { type: 'json' }

export type GasRow = {
  /** Gas of one more hop in a chain of pools, transfers of plain ERC-20 tokens included, after refunds: what legs are ranked by. */
  readonly hop: number
  /** The same as a part of a route whose other parts are counted apart, an entry of an oracle among them; `hop` when absent. */
  readonly part?: number
  /** Gas of a piece of the pool's curve beyond the first: a tick crossed, a further bin. */
  readonly piece: number
  /** Gas of an entry of the pool's own oracle, where a hop that moves the tick writes one. */
  readonly oracle?: number
  /** Refunded of that hop at the end of the transaction; that of one balance that is emptied again when absent. */
  readonly refund?: number
  /** The way it was measured, or why it is an estimate. */
  readonly basis: string
}

export type GasFamily = keyof typeof table.families

/** Parts that a leg or an end costs more, or less where negative, than in a plain chain of ERC-20 pools. */
export type SharedGasPart = keyof typeof table.parts
export type GasPart =
  | SharedGasPart
  | 'route'
  | `hop:${string}`
  | `piece:${string}`
  | `oracle:${string}`
  | `token:${string}`
export type PartGas = { readonly gas: number; readonly refund: number }

const rows: Readonly<Record<GasFamily, GasRow>> = table.families
const each = (pick: (row: GasRow) => number) =>
  Object.fromEntries(Object.entries(rows).map(([id, row]) => [id, pick(row)])) as Readonly<Record<GasFamily, number>>

/** Gas of everything about a swap but its hops: the transaction, the Guard, its transfers. */
export const ROUTE_GAS: number = table.route
export const GAS_TABLE = rows
export const HOP_GAS = each(({ hop }) => hop)
export const PIECE_GAS = each(({ piece }) => piece)

/** Refund of a slot that goes from zero to something and back within a transaction, EIP-3529. */
export const EMPTIED_REFUND = 19_900

/** Tokens whose transfers cost more: proxies, and those that look into more slots than others. */
const TOKENS: ReadonlyMap<string, { readonly gas: number; readonly once: number }> = new Map(
  Object.entries(table.tokens),
)

/** True of a token whose transfers are known to cost more. */
export const isDear = (token: Address): boolean => TOKENS.has(token)

/**
 * Gas of a token at one end of a leg, beyond that of a plain ERC-20: what legs are ranked by, each by itself. A route pays for cold
 * accounts and slots `once`.
 */
export const tokenGas = (token: Address): number => TOKENS.get(token)?.gas ?? 0

/** Gas that a part adds to what is charged, and what of the gas before refunds comes back. */
export function partGas(part: GasPart): PartGas {
  if (part === 'route') return { gas: table.route, refund: table.routeRefund }
  const [kind, family] = part.split(':')
  if (family === undefined) return table.parts[part as SharedGasPart]
  if (kind === 'token') return { gas: TOKENS.get(family)?.once ?? 0, refund: 0 }
  const { hop, part: gas = hop, piece, oracle = 0, refund = EMPTIED_REFUND } = gasRow(family)
  if (kind === 'hop') return { gas, refund }
  return { gas: kind === 'oracle' ? oracle : piece, refund: 0 }
}

/**
 * Gas of a family that was not measured yet: more than most take, so that routing does not favour what nobody has run.
 */
const UNMEASURED_HOP = 150_000

export function gasRow(family: string): GasRow {
  const known: Readonly<Record<string, GasRow>> = rows
  return known[family] ?? { hop: UNMEASURED_HOP, piece: 0, basis: 'estimate: not measured yet' }
}
