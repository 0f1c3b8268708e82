/** Tests which contracts of a chain are trusted: those of the package, and those of the caller in their place. */
import { trustedLists } from '@sluice/program'
import { describe, expect, test } from 'vitest'
import { at } from '../test/routes.ts'
import { singletonsFor, trustedContracts, trustedListsFrom } from './contracts.ts'
import { contractsOf, guardOf } from './contracts-of.ts'

const knownContracts = contractsOf(1)!
const [guard, executors] = [at('11'), [at('22')]]

describe('trusted contracts', () => {
  test('are the known ones, except for those that the caller names', () => {
    expect(trustedContracts(1, {}, knownContracts)).toEqual(knownContracts)
    expect(trustedContracts(1, { guard, pools: [at('33')] }, knownContracts)).toEqual({
      ...knownContracts,
      guard,
      pools: [at('33')],
    })
    expect(trustedContracts(1, { guard: undefined as never, executors }, knownContracts)).toEqual({
      ...knownContracts,
      executors,
    })
  })

  test('of an unknown chain are those of the caller, and empty lists', () => {
    expect(trustedContracts(7, { guard, executors })).toEqual({
      ...{ guard, executors, factories: [] },
      ...Object.fromEntries(trustedLists.map((list) => [list, []])),
    })
  })

  test.each([
    ['nothing', {}],
    ['no Guard', { executors }],
    ['no Executors', { guard }],
    ['an empty list of Executors', { guard, executors: [] }],
    ['an empty Guard', { guard: '', executors }],
  ])('need a Guard and Executors: %s is UNSAFE', (_, contracts) =>
    expect(() => trustedContracts(7, contracts)).toThrow(
      expect.objectContaining({ code: 'UNSAFE', message: expect.stringContaining('chain 7') }),
    ),
  )
})

describe('known contracts', () => {
  test('are those of the chain', () => {
    expect(knownContracts.executors.length).toBeGreaterThan(0)
    expect(knownContracts.wrapper).toBe('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
    expect(knownContracts.factories.length).toBeGreaterThan(contractsOf(100)!.factories.length)
    expect(contractsOf(100)!.wrapper).not.toBe(knownContracts.wrapper)
    expect(guardOf(1)).toBe(knownContracts.guard)
  })

  test('are undefined for an unknown chain', () => expect([contractsOf(7), guardOf(7)]).toEqual([undefined, undefined]))
})

test('a record of lists has each list', () =>
  expect(trustedListsFrom((list) => [list])).toEqual(Object.fromEntries(trustedLists.map((list) => [list, [list]]))))

test('the singletons of an operation are those of its list, if it has one', () => {
  expect(singletonsFor('uniswap-v4', knownContracts)).toBe(knownContracts.managers)
  expect(singletonsFor('balancer-v2', knownContracts)).toBe(knownContracts.vaultsV2)
  expect(singletonsFor('uniswap-v2', knownContracts)).toEqual([])
})
