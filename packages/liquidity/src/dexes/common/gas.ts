/**
 * What swaps cost, by family: `gas.generated.json`, which `npm run measure:gas` writes from swaps through the real Guard,
 * Executor and pools. A row that cannot be measured here keeps an estimate and says why. Routing weighs pools by it; what a
 * route costs is measured when it is simulated.
 */
import table from './gas.generated.json' with { type: 'json' }

export type GasRow = {
  /** Gas of one more hop in a route, transfers of plain ERC-20 tokens included. */
  readonly hop: number
  /** Gas of a piece of the pool's curve beyond the first: a tick crossed, a further bin. */
  readonly piece: number
  /** How it was measured, or why it is an estimate. */
  readonly basis: string
}

export type GasFamily = keyof typeof table.families

const rows: Readonly<Record<GasFamily, GasRow>> = table.families
const each = (pick: (row: GasRow) => number) =>
  Object.fromEntries(Object.entries(rows).map(([id, row]) => [id, pick(row)])) as Readonly<Record<GasFamily, number>>

/** Gas of everything about a swap but its hops: the transaction, the Guard, its transfers. */
export const ROUTE_GAS: number = table.route
export const GAS_TABLE = rows
export const HOP_GAS = each(({ hop }) => hop)
export const PIECE_GAS = each(({ piece }) => piece)
