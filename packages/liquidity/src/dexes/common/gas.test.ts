/** Tests that each part of a route gets its own figures of the gas table. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import table from './gas.generated.json' with { type: 'json' }
import { EMPTIED_REFUND, GAS_TABLE, gasRow, hasExpensiveTransfers, partGas, tokenGas } from './gas.ts'

const tokens = Object.entries(table.tokens).map(([address, figures]) => [toAddress(address), figures] as const)

test('a token costs one figure at an end of a single hop, and a higher one once per route', () => {
  expect(tokens.length).toBeGreaterThan(3)
  for (const [token, { gas, once }] of tokens) {
    expect(hasExpensiveTransfers(token)).toBe(true)
    expect(tokenGas(token)).toBe(gas)
    expect(partGas(`token:${token}`)).toEqual({ gas: once, refund: 0 })
    expect(once).toBeGreaterThan(gas)
  }
  const plain = toAddress(`0x${'1'.repeat(40)}`)
  expect(partGas(`token:${plain}`)).toEqual({ gas: 0, refund: 0 })
})

test('a hop of a route counts without its oracle, which counts as a part of its own', () => {
  const { part, piece, oracle, refund } = gasRow('algebra-integral')
  expect(part).not.toBe(GAS_TABLE['algebra-integral'].hop)
  expect(partGas('hop:algebra-integral')).toEqual({ gas: part, refund })
  expect(partGas('piece:algebra-integral')).toEqual({ gas: piece, refund: 0 })
  expect(partGas('oracle:algebra-integral')).toEqual({ gas: oracle, refund: 0 })
})

test('a family without a figure for routes or refunds has those of single hops', () => {
  const { hop, part, refund } = gasRow('aave-v3')
  expect([part, refund]).toEqual([undefined, undefined])
  expect(partGas('hop:aave-v3')).toEqual({ gas: hop, refund: EMPTIED_REFUND })
  expect(partGas('oracle:aave-v3')).toEqual({ gas: 0, refund: 0 })
})

test('the route and its shared parts have the figures of the table', () => {
  expect(partGas('route')).toEqual({ gas: table.route, refund: table.routeRefund })
  expect(partGas('joined')).toEqual(table.parts.joined)
})
