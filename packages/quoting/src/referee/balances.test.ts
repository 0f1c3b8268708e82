import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { balanceCalls, balanceChanges, holdingsOf, withBalances } from './balances.ts'
import { changesOf, type TokenTransfer } from './flows.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [A, B, WETH, ANN, POOL] = ['1', '2', '4', 'a', 'c'].map(account) as [Address, Address, Address, Address, Address]
const move = (token: Address, from: Address, to: Address, amount: bigint): TokenTransfer => ({
  token,
  from,
  to,
  amount,
})
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

test('holdings are of tokens and accounts that the flows name, the sender first, and at most 150', () => {
  const flows = [move(A, POOL, ANN, 1n), move(A, ZERO_ADDRESS, POOL, 1n), move(NATIVE, ANN, POOL, 1n)]
  expect(holdingsOf(flows, ANN, WETH)).toEqual([
    { account: ANN, token: A },
    { account: POOL, token: A },
  ])
  // The wrapper mints and burns: it holds nothing for itself.
  expect(holdingsOf([move(WETH, WETH, ANN, 1n)], ANN, WETH)).toEqual([{ account: ANN, token: WETH }])
  const many = Array.from({ length: 400 }, (_, k) =>
    move(toAddress(word(BigInt(k + 1)).slice(0, 2) + word(BigInt(k + 1)).slice(26)), POOL, B, 1n),
  )
  const holdings = holdingsOf([...many, move(A, POOL, ANN, 1n)], ANN, null)
  expect(holdings).toHaveLength(150)
  expect(holdings[0]).toEqual({ account: ANN, token: A })
  expect(balanceCalls(holdings)).toHaveLength(150)
})

test('a change needs both balances, and a token that returns no word keeps what its logs state', () => {
  const holdings = [A, B, WETH].map((token) => ({ account: ANN, token }))
  expect(balanceChanges(holdings, [word(9n), '0x', word(1n)], [word(4n), word(1n), undefined])).toEqual([
    { account: ANN, token: A, amount: -5n },
  ])
})

test('balances replace what logs state, except where nothing changed', () => {
  const logged = changesOf([move(A, ANN, POOL, 100n), move(B, POOL, ANN, 50n)])
  const corrected = withBalances(logged, [
    { account: ANN, token: A, amount: -103n },
    { account: POOL, token: A, amount: 0n },
  ])
  expect(corrected.get(ANN)).toEqual(
    new Map([
      [A, -103n],
      [B, 50n],
    ]),
  )
  expect(corrected.get(POOL)?.get(A)).toBe(100n)
  expect(logged.get(ANN)?.get(A)).toBe(-100n)
})

test('balances of tokens that log all that they move change nothing', () => {
  const flow = fc.record({
    token: fc.constantFrom(A, B),
    from: fc.constantFrom(ANN, POOL, ZERO_ADDRESS),
    to: fc.constantFrom(ANN, POOL),
    amount: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  })
  fc.assert(
    fc.property(fc.array(flow, { minLength: 1, maxLength: 12 }), (flows) => {
      const holdings = holdingsOf(flows, ANN, null)
      const start = 10n ** 40n
      // A ledger of its own, transfer by transfer.
      const ledger = new Map(holdings.map(({ account, token }) => [`${account} ${token}`, start]))
      const add = (key: string, amount: bigint) => ledger.has(key) && ledger.set(key, ledger.get(key)! + amount)
      for (const { token, from, to, amount } of flows) {
        add(`${from} ${token}`, -amount)
        add(`${to} ${token}`, amount)
      }
      const after = holdings.map(({ account, token }) => word(ledger.get(`${account} ${token}`)!))
      const balances = balanceChanges(
        holdings,
        holdings.map(() => word(start)),
        after,
      )
      expect(withBalances(changesOf(flows), balances)).toEqual(changesOf(flows))
    }),
  )
})
