/** Tests which buffers are found. */
import { BalancerV3BufferLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { findBuffers } from './buffers.ts'

const [vault, asset, share, other] = ['1', '2', '3', '4'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
]
const row: DexRow = { family: 'balancer-v3', brand: 'test', role: 'vault', address: vault }

/** Returns the buffers of the pairs, if the lens reports the assets of their tokens, in the order of the pairs. */
function buffersOf(pairs: readonly (readonly [Address, Address])[], assets: readonly Address[]) {
  const reads = findBuffers(row, pairs)
  reads.next([])
  const { done, value } = reads.next([
    BalancerV3BufferLens__factory.createInterface().encodeFunctionResult('find', [[...assets]]) as Hex,
  ])
  return done ? value : null
}

test('a buffer is found if a pair has its asset and its share, in either order', () => {
  const buffer = { id: `${share}${vault.slice(2, 26)}`, address: share, tokens: [asset, share] }
  expect(buffersOf([[asset, share]], [ZERO_ADDRESS, asset])).toMatchObject([buffer])
  expect(buffersOf([[share, asset]], [asset, ZERO_ADDRESS])).toMatchObject([buffer])
})

test('a pair of the share and another token has no buffer', () => {
  expect(buffersOf([[share, other]], [asset, ZERO_ADDRESS])).toEqual([])
  // The asset and the share are in different pairs.
  const pairs = [
    [share, other],
    [other, asset],
  ] as const
  expect(buffersOf(pairs, [asset, ZERO_ADDRESS, ZERO_ADDRESS])).toEqual([])
})

test('a token without an asset, or that is its own asset, has no buffer', () => {
  expect(buffersOf([[asset, share]], [ZERO_ADDRESS, ZERO_ADDRESS])).toEqual([])
  expect(buffersOf([[asset, share]], [asset, share])).toEqual([])
})
