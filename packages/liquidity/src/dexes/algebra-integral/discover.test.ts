/** Tests the discovery of pools of custom deployers. */
import { AlgebraIntegralLens__factory, IAlgebraFactory__factory, PairLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { createdPool, findPools } from './discover.ts'

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

test('each pool of several deployers has the tokens of its pair', () => {
  const [token2, second, third] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
    Address,
    Address,
    Address,
  ]
  const reads = findPools({ ...row, contracts: { customDeployer: deployer, customDeployer2: second } }, [
    [token0, token1],
    [token0, token2],
  ])
  reads.next([])
  const none = [ZERO_ADDRESS, ZERO_ADDRESS]
  reads.next([PairLens__factory.createInterface().encodeFunctionResult('find', [none]) as Hex])
  // The pools of the first deployer for all pairs come first.
  const addresses = [custom, second, ZERO_ADDRESS, third]
  const { value } = reads.next([
    AlgebraIntegralLens__factory.createInterface().encodeFunctionResult('findCustom', [addresses]) as Hex,
  ])
  expect(value).toMatchObject([
    { id: custom, tokens: [token0, token1].sort() },
    { id: second, tokens: [token0, token2].sort() },
    { id: third, tokens: [token0, token2].sort() },
  ])
})

test('a created pool counts only if the row names its custom deployer', () => {
  const poolOf = (customDeployer: Address) => {
    const { topics, data } = IAlgebraFactory__factory.createInterface().encodeEventLog('CustomPool', [
      ...[customDeployer, token0, token1, custom],
    ])
    return createdPool(row, { address: factory, topics, data } as unknown as Log)
  }
  expect(poolOf(deployer)).toMatchObject({ id: custom, tokens: [token0, token1] })
  expect(poolOf(standard)).toBeNull()
})
