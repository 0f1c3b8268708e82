import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallFrame, changesOf, type FlowLog, nativeFlows, recordedNativeFlows, tokenFlows } from './flows.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [TOKEN, WETH, ANN, BOB] = ['1', '2', 'a', 'b'].map(account) as [Address, Address, Address, Address]
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const topicOf = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`
/** Hashes of the events' signatures, as any explorer shows them. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

const transfer = (from: Address, to: Address, amount: bigint, address = TOKEN): FlowLog => {
  return { address, topics: [TRANSFER, topicOf(from), topicOf(to)], data: word(amount) }
}
const wrapping = (topic: Hex, whose: Address, amount: bigint): FlowLog => {
  return { address: WETH, topics: [topic, topicOf(whose)], data: word(amount) }
}

test('transfers of tokens count, and those of NFTs and other logs do not', () => {
  const nft = { address: TOKEN, topics: [TRANSFER, topicOf(ANN), topicOf(BOB), word(7n)], data: '0x' } as const
  const other = { address: TOKEN, topics: [word(1n), topicOf(ANN), topicOf(BOB)], data: word(5n) } as const
  const short = { ...transfer(ANN, BOB, 5n), data: '0x05' } as const
  expect(tokenFlows([transfer(ANN, BOB, 5n), nft, other, short], WETH)).toEqual([
    { token: TOKEN, from: ANN, to: BOB, amount: 5n },
  ])
})

test('the wrapper gives what it mints and receives what it burns, once, by any of its logs', () => {
  const minted = { token: WETH, from: WETH, to: ANN, amount: 5n }
  expect(tokenFlows([wrapping(DEPOSIT, ANN, 5n)], WETH)).toEqual([minted])
  expect(tokenFlows([wrapping(WITHDRAWAL, ANN, 5n)], WETH)).toEqual([{ ...minted, from: ANN, to: WETH }])
  expect(tokenFlows([wrapping(DEPOSIT, ANN, 5n), transfer(ZERO_ADDRESS, ANN, 5n, WETH)], WETH)).toEqual([minted])
  // Two deposits of the same amount, of which one is logged twice.
  const twice = [wrapping(DEPOSIT, ANN, 5n), transfer(ZERO_ADDRESS, ANN, 5n, WETH), wrapping(DEPOSIT, ANN, 5n)]
  expect(tokenFlows(twice, WETH)).toEqual([minted, minted])
  expect(tokenFlows([{ ...wrapping(DEPOSIT, ANN, 5n), address: TOKEN }], WETH)).toEqual([])
  expect(tokenFlows([wrapping(DEPOSIT, ANN, 5n)], null)).toEqual([])
  expect(tokenFlows([wrapping(word(1n), ANN, 5n)], WETH)).toEqual([])
})

test('the native token moves in calls that did not revert, and in no delegate calls', () => {
  const call = (overrides: Partial<CallFrame>): CallFrame => ({ type: 'CALL', from: ANN, to: BOB, ...overrides })
  const trace = call({
    value: '0x5',
    calls: [
      call({ type: 'DELEGATECALL', value: '0x5', calls: [call({ from: BOB, to: TOKEN, value: '0x3' })] }),
      call({ from: BOB, to: ANN, value: '0x1', error: 'reverted', calls: [call({ value: '0x9' })] }),
      call({ type: 'STATICCALL' }),
      call({ type: 'CALLCODE', value: '0x2' }),
      call({ type: 'CREATE2', from: BOB, to: WETH, value: '0x1' }),
    ],
  })
  const changes = changesOf(nativeFlows(trace))
  expect(changes.get(ANN)?.get(NATIVE)).toBe(-5n)
  expect(changes.get(BOB)?.get(NATIVE)).toBe(1n)
  expect(changes.get(TOKEN)?.get(NATIVE)).toBe(3n)
  expect(nativeFlows(call({ value: '0x5', error: 'out of gas' }))).toEqual([])
})

test('changes of all accounts add up to nothing but what was minted and burned', () => {
  const accounts = [ANN, BOB, TOKEN, ZERO_ADDRESS]
  const one = fc.record({
    from: fc.constantFrom(...accounts),
    to: fc.constantFrom(...accounts),
    token: fc.constantFrom(TOKEN, NATIVE),
    amount: fc.bigInt(0n, 2n ** 256n - 1n),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), (flows) => {
      const changes = changesOf(flows)
      for (const token of [TOKEN, NATIVE]) {
        const sum = [...changes.values()].reduce((total, own) => total + (own.get(token) ?? 0n), 0n)
        const netMinted = flows
          .filter((flow) => flow.token === token)
          .reduce((total, { from, to, amount }) => {
            const minted = from === ZERO_ADDRESS ? amount : 0n
            return total + minted - (to === ZERO_ADDRESS ? amount : 0n)
          }, 0n)
        expect(sum).toBe(netMinted)
      }
      for (const own of changes.values()) for (const amount of own.values()) expect(amount).not.toBe(0n)
      expect(changes.has(ZERO_ADDRESS)).toBe(false)
    }),
  )
})

test('logs of EIP-7708 move the native token, and count once where a trace reports the same', () => {
  const system = toAddress('0xfffffffffffffffffffffffffffffffffffffffe')
  const logs = [transfer(ANN, BOB, 3n, system), transfer(BOB, ANN, 5n)]
  expect(tokenFlows(logs, WETH)).toEqual([{ token: TOKEN, from: BOB, to: ANN, amount: 5n }])
  expect(recordedNativeFlows(logs)).toEqual([{ token: NATIVE, from: ANN, to: BOB, amount: 3n }])
  expect(recordedNativeFlows(logs.slice(1))).toBeUndefined()
})
