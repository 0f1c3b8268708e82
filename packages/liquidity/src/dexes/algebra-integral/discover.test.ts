/** Tests the discovery of pools of custom deployers. */
import { AlgebraIntegralLens__factory, PairLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { findPools } from './discover.ts'

const [token0, token1, standard, custom, factory, deployer] = ['a', 'b', 'c', 'd', 'e', 'f'].map((digit) =>
  toAddress(`0x${digit.repeat(40)}`),
) as [Address, Address, Address, Address, Address, Address]
const row: DexRow = {
  ...{ family: 'algebra-integral', brand: 'test', role: 'factory', address: factory },
  contracts: { customDeployer: deployer },
}

/** Ids of the pools that are found if the factory answers with these pools. */
function foundIds(standardPool: Address, customPool: Address): readonly unknown[] | null {
  const reads = findPools(row, [[token0, token1]])
  reads.next([])
  reads.next([PairLens__factory.createInterface().encodeFunctionResult('find', [[standardPool]]) as Hex])
  const { done, value } = reads.next([
    AlgebraIntegralLens__factory.createInterface().encodeFunctionResult('findCustom', [[customPool]]) as Hex,
  ])
  return done ? value.map((pool) => pool.id) : null
}

test('pools of the factory and of custom deployers are found, and none where there is none', () => {
  expect(foundIds(standard, custom)).toEqual([standard, custom])
  expect(foundIds(standard, ZERO_ADDRESS)).toEqual([standard])
  expect(foundIds(ZERO_ADDRESS, ZERO_ADDRESS)).toEqual([])
})
