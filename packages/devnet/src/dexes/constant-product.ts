/** What Uniswap V2 and its forks have in common: a pair is made, given its tokens and told to mint. */
import { type Address, toAddress } from '@sluice/chains'
import type { Artifact } from '../artifact.ts'
import type { Builder, Contract } from '../builder.ts'
import type { PoolSpec } from '../pools.ts'
import { give, type Tokens, worth } from '../tokens.ts'

/** Base units of both tokens of a pool, in the order of `pair`. */
export function amounts({ pair: [a, b], dollars, skewBps }: PoolSpec): readonly [bigint, bigint] {
  return [worth(a, dollars / 2n), (worth(b, dollars / 2n) * (10_000n + skewBps)) / 10_000n]
}

export async function fillPairs(
  chain: Builder,
  tokens: Tokens,
  factory: Contract,
  pair: Artifact,
  specs: readonly PoolSpec[],
): Promise<Address[]> {
  const addresses: Address[] = []
  for (const spec of specs) {
    const [a, b] = spec.pair
    const sides = [tokens[a].address, tokens[b].address]
    await factory.send('createPair', sides)
    const pool = toAddress(await factory.read<string>('getPair', sides))
    const [amountA, amountB] = amounts(spec)
    await give(chain, tokens, a, pool, amountA)
    await give(chain, tokens, b, pool, amountB)
    await chain.at(pair.abi, pool).send('mint', [chain.from])
    addresses.push(pool)
  }
  return addresses
}
