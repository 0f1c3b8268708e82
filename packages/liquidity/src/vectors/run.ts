import { familyOf } from '../dexes/index.ts'
import { type Pool, PoolRefusal } from '../family.ts'
import { adapters } from './adapters.ts'
import { namedAddress } from './address.ts'
import type { Vector, VectorFile } from './types.ts'

export type VectorReport = {
  readonly family: string
  readonly passed: number
  /** One line each: what was asked, expected and answered. */
  readonly failed: readonly string[]
  /** How many were left out, by reason. */
  readonly skipped: ReadonlyMap<string, number>
}

/** Quotes every vector of a file that stands alone and says how it went. */
export function runVectors(file: VectorFile): VectorReport {
  let passed = 0
  const failed: string[] = []
  const skipped = new Map<string, number>()
  for (const [index, vector] of file.vectors.entries()) {
    const result = check(file, vector)
    if (result === 'passed') passed++
    else if (result.startsWith('skip: ')) skipped.set(result.slice(6), (skipped.get(result.slice(6)) ?? 0) + 1)
    else failed.push(`#${index} ${result}`)
  }
  return { family: file.family, passed, failed, skipped }
}

/** `passed`, `skip: why`, or what is wrong. */
function check({ family, states }: VectorFile, vector: Vector): string {
  const adapter = adapters[family]
  if (!adapter) return 'skip: the family is not one of this build'
  if (vector.mode !== 'exactIn') return `skip: ${vector.mode} is not quoted`
  if (vector.sequence && vector.provenance?.row !== 0) return 'skip: starts from an unknown state'
  if (vector.sqrtPriceLimitX96 !== undefined) return 'skip: price limits are not used'
  const state = states[vector.state]
  if (!state) return `names the unknown state ${vector.state}`
  let pool: Pool | string
  try {
    pool = adapter(state, vector)
  } catch (error) {
    // A field that is missing, or no number: adapters trust the form that their source has.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return `state ${vector.state} has not the form of ${family}: ${error.message}`
    throw error
  }
  if (typeof pool === 'string') return `skip: ${pool}`
  const asked = `${vector.amountIn} ${vector.tokenIn} for ${vector.tokenOut} in ${vector.state}`
  const tokens =
    vector.zeroForOne === undefined
      ? [namedAddress(vector.tokenIn), namedAddress(vector.tokenOut)]
      : vector.zeroForOne
        ? pool.tokens
        : [pool.tokens[1], pool.tokens[0]]
  try {
    const quote = familyOf(pool.family)!.quoteExactInput(pool, tokens[0]!, tokens[1]!, BigInt(vector.amountIn!))
    if (vector.fails) return `${asked}: gives ${quote.amountOut}, must refuse`
    if (quote.amountOut !== BigInt(vector.amountOut!))
      return `${asked}: gives ${quote.amountOut}, must give ${vector.amountOut}`
    return vector.after && !sameAfter(quote.state, vector.after) ? `${asked}: price, tick or liquidity after` : 'passed'
  } catch (error) {
    if (!(error instanceof PoolRefusal)) throw error
    return vector.fails ? 'passed' : `${asked}: refused (${error.message}), must give ${vector.amountOut}`
  }
}

function sameAfter(state: unknown, after: NonNullable<Vector['after']>): boolean {
  const { sqrtPriceX96, tick, liquidity } = state as { sqrtPriceX96: bigint; tick: number; liquidity: bigint }
  return `${sqrtPriceX96}` === after.sqrtPriceX96 && tick === after.tick && `${liquidity}` === after.liquidity
}
