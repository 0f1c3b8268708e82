/**
 * Determines the accounts that control the rates of a pool's coins. For each coin of an NG pool, the creator may choose
 * an oracle that reports the rate.
 */
import { ICurveFactory__factory } from '@sluice/bindings'
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'

const factoryInterface = ICurveFactory__factory.createInterface()

/**
 * Asset types that the factory reports for coins. The type 1 is missing here: an oracle reports the rate of such a
 * coin.
 */
const [PLAIN, REBASING, VAULT_SHARE] = [0, 2, 3]

/** Immutable facts (`Pool.fixed`) of an NG pool. */
export type CurveStableFixed = {
  /**
   * Coins whose own code computes their rate. The pool itself if its creator chose an oracle, or if the asset types are
   * unknown.
   */
  readonly dependsOn: readonly Address[]
  /** Set if balances of a coin change without transfers. */
  readonly rebases?: true
}

/**
 * Reads the asset types of the coins of NG pools. Returns other pools unchanged: their factories support no oracles.
 */
export function* readFixed(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  if (row.version !== 'stableswap-ng') return pools
  const answers = yield pools.map(({ address }) => ({
    to: row.address,
    data: factoryInterface.encodeFunctionData('get_pool_asset_types', [address]) as Hex,
    gas: 60_000,
  }))
  return pools.map((pool, i) => ({ ...pool, fixed: factsOf(pool, answers[i]!) }))
}

function factsOf({ address, tokens }: Pool<null>, answer: Hex | null): CurveStableFixed {
  if (!answer || answer === '0x') return { dependsOn: [address] }
  const types = [...factoryInterface.decodeFunctionResult('get_pool_asset_types', answer)[0]].map(Number)
  const hasKnownTypes =
    types.length === tokens.length && types.every((type) => [PLAIN, REBASING, VAULT_SHARE].includes(type))
  return {
    dependsOn: hasKnownTypes ? tokens.filter((_, coin) => types[coin] === VAULT_SHARE) : [address],
    ...(types.includes(REBASING) && { rebases: true as const }),
  }
}
