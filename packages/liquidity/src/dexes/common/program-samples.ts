/**
 * Samples pools with the step that a route would use: a lens runs this step of the Executor's program inside
 * `eth_call`. Storage overrides give the lens the tokens to sell.
 */
import { IERC20__factory, ProgramLens__factory } from '@sluice/bindings'
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { encodeProgram } from '@sluice/program'
import type { DexFamily, Pool, PoolReads, TokenPair } from '../../family.ts'
import { ownGuardLensOf } from '../../lenses.ts'
import { findHoldings, type Holding, SIMULATED_BALANCE } from './holdings.ts'
import { sampledFamily } from './sampled-family.ts'

/** Gas limit of all samples of a pool in one direction: 15 swaps of 400,000 gas, each with its transfers. */
const DIRECTION_GAS = 6_000_000
/** The lens, with a balance of the native token to sell. */
const LENS = { ...ownGuardLensOf('ProgramLens'), balance: SIMULATED_BALANCE }

/** Overrides that give the lens the tokens of a pool, in the order of the tokens. */
export type PoolHoldings = readonly Holding[]

/** Call of a view function of any contract. */
type ContractView = { readonly to: Address; readonly data: Hex }

/** Properties of a family that is sampled in this way. */
type ProgramKind = Pick<DexFamily<never>, 'id'> & {
  /** Encodes a swap as one step of the Executor's program. */
  readonly step: DexFamily['step']
  /** Returns a view call whose result is part of the stamp of a pair. Every trade must change one view of the pool. */
  viewOf(pool: Pool<unknown>, pair: TokenPair): ContractView
  /** Returns the overrides that give the lens the tokens of the pool. */
  holdingsOf(pool: Pool<unknown>): PoolHoldings
}

/** Returns the functions of a family whose pools are sampled with the Executor's own step. */
export function programSamples({ id, step, viewOf, holdingsOf }: ProgramKind) {
  const programOf = (pool: Pool<unknown>, tokenIn: Address, tokenOut: Address) =>
    encodeProgram([step(pool, tokenIn, tokenOut, { kind: 'rest' }, { kind: 'recipient' })])
  return sampledFamily({
    id,
    lens: LENS,
    directionGas: DIRECTION_GAS,
    abi: ProgramLens__factory.createInterface(),
    requestOf: (_row, pool, pair) => {
      const [token0, token1] = pair
      const [program0, program1] = [programOf(pool, token0, token1), programOf(pool, token1, token0)]
      const view = viewOf(pool, pair)
      return { pool: { token0, token1, program0, program1 }, viewed: view.to, viewData: view.data }
    },
    storageOf: (pool) => {
      const holdings = holdingsOf(pool)
      const entries = pool.tokens.map((token, k) => [token, holdings[k]!] as const)
      return Object.fromEntries(entries.filter(([token]) => token !== ZERO_ADDRESS))
    },
  })
}

const erc20 = IERC20__factory.createInterface()

/**
 * Returns the view call for an account's balance of one token of a pair. Over all pairs of a pool, these views include
 * all of its tokens except at most one. A trade changes the balances of two tokens, so it changes at least one view.
 */
export function balanceView(pair: TokenPair, holder: Address): ContractView {
  const token = pair.find((token) => token !== ZERO_ADDRESS)!
  return { to: token, data: erc20.encodeFunctionData('balanceOf', [holder]) as Hex }
}

/** Finds the storage overrides that give the lens the tokens of each pool; null if they are unknown for one token. */
export function* findPoolHoldings(pools: readonly Pool<null>[]): PoolReads<PoolHoldings> {
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))].filter((token) => token !== ZERO_ADDRESS)
  const tokenHoldings = yield* findHoldings(LENS.to, tokens)
  const holdingByToken = new Map<Address, Holding | null>(tokens.map((token, k) => [token, tokenHoldings[k]!]))
  // No storage override is needed for the native token: `LENS.balance` provides it.
  holdingByToken.set(ZERO_ADDRESS, {})
  return pools.map((pool) => {
    const holdings = pool.tokens.map((token) => holdingByToken.get(token) ?? null)
    return holdings.every((holding) => holding !== null) ? holdings : null
  })
}
