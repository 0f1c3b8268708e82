/** Tests which vaults are read, by the answers of their assets. */
import { Erc4626Lens__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { readVaults } from './state.ts'

const [share, asset] = [toAddress(`0x${'a'.repeat(40)}`), toAddress(`0x${'b'.repeat(40)}`)]
const SUPPLY = 10n ** 24n
const sampleAssets = (SUPPLY << 20n) + 1n
const sampleShares = SUPPLY / 3n + 1n
const vault = {
  ...{ totalAssets: SUPPLY, totalSupply: SUPPLY, maxDeposit: SUPPLY, rate: 0n },
  ...{ sampleAssets, quotedShares: sampleAssets, sampleShares, quotedAssets: sampleShares },
}

function stateOf(cashAnswer: Hex) {
  const reads = readVaults([{ share, asset }])
  reads.next([])
  const answer = Erc4626Lens__factory.createInterface().encodeFunctionResult('read', [vault]) as Hex
  const { done, value } = reads.next([answer, cashAnswer])
  return done ? value[0] : undefined
}

test('a vault is read with its balance of the asset', () => {
  const word = '7'.padStart(64, '0')
  expect(stateOf(`0x${word}`)).toMatchObject({ totalAssets: SUPPLY, cash: 7n })
  expect(stateOf(`0x${word}${'f'.repeat(64)}`)).toMatchObject({ cash: 7n })
})

test('a vault of an asset that answers with less than a word is not read', () => {
  expect(stateOf('0x01')).toBe(null)
})
