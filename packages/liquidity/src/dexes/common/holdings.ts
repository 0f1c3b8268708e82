/** Storage overrides that give an account tokens, for reads in which it pays or redeems. */
import { IERC20__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { balanceWrites, commonMappings } from '@sluice/simulation'
import type { Reads } from '../../family.ts'

/** Storage overrides of a token that give an account its balance. Plain JSON. */
export type Holding = Readonly<Record<Hex, Hex>>

/**
 * Balance of the account in base units: above the supply of almost every token, and below 2^112, the narrowest packed
 * balance.
 */
export const PLENTY = 1n << 111n
/** Estimated gas to find the holdings of one token. */
const FIND_GAS = 50_000

const erc20 = IERC20__factory.createInterface()

/**
 * Finds the storage overrides that give the account each token; null if the balance's slot is unknown or overrides are
 * unsupported.
 */
export function* findHoldings(account: Address, tokens: readonly Address[]): Reads<readonly (Holding | null)[]> {
  const balanceOf = erc20.encodeFunctionData('balanceOf', [account]) as Hex
  // All candidate slots are written in one call, each with a different balance.
  const candidates = tokens.map((token) =>
    commonMappings(token)
      .filter(({ order }) => order !== 'minime')
      .map((mapping, k) => balanceWrites(mapping, account, PLENTY + BigInt(k))),
  )
  const answers = yield tokens.map((token, k) => ({
    to: token,
    data: balanceOf,
    storage: { [token]: holdingOf(candidates[k]!.flat()) },
    gas: FIND_GAS,
  }))
  return answers.map((answer, k) => {
    const match = answer && candidates[k]!.find((writes) => writes.some(({ value }) => value === answer))
    return match ? holdingOf(match) : null
  })
}

const holdingOf = (writes: readonly { readonly key: Hex; readonly value: Hex }[]): Holding =>
  Object.fromEntries(writes.map(({ key, value }) => [key, value]))
