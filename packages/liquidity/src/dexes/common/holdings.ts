/**
 * Finds storage overrides that give an account tokens. With them, a read can simulate a payment or redemption by the
 * account.
 */
import { IERC20__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { balanceWrites, commonMappings } from '@sluice/simulation'
import type { Reads } from '../../family.ts'

/** Storage overrides of a token that give an account a balance. Plain JSON. */
export type Holding = Readonly<Record<Hex, Hex>>

/**
 * Balance of the account in base units. It is above the supply of almost every token. It fits in 112 bits, the shortest
 * field in which tokens store a balance.
 */
export const SIMULATED_BALANCE = 1n << 111n
/** Estimated gas to find the holdings of one token. */
const FIND_GAS = 50_000

const erc20 = IERC20__factory.createInterface()

/**
 * Finds the storage overrides that give the account each token. Returns null for a token if the slot of the balance is
 * unknown, or if the node does not support overrides.
 */
export function* findHoldings(account: Address, tokens: readonly Address[]): Reads<readonly (Holding | null)[]> {
  const balanceOf = erc20.encodeFunctionData('balanceOf', [account]) as Hex
  // Tokens store balances in different slots. One call overrides all likely slots, each with a different balance. The
  // balance that the token returns then identifies its slot.
  const candidates = tokens.map((token) =>
    commonMappings(token)
      .filter(({ order }) => order !== 'minime')
      .map((mapping, k) => balanceWrites(mapping, account, SIMULATED_BALANCE + BigInt(k))),
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

/** Returns storage overrides for a list of writes. */
const holdingOf = (writes: readonly { readonly key: Hex; readonly value: Hex }[]): Holding =>
  Object.fromEntries(writes.map(({ key, value }) => [key, value]))
