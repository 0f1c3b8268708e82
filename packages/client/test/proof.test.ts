/** Tests the proofs of pool addresses with pools on Ethereum, and of every field of every operation. */

import { readFileSync } from 'node:fs'
import { toAddress } from '@sluice/chains'
import { type MainnetPool, readState } from '@sluice/devnet'
import { decodeProgram, ops, type Step } from '@sluice/program'
import { golden } from '@sluice/program/testing'
import { expect, test } from 'vitest'
import { FILES, withTables } from '../scripts/field-table.ts'
import { fieldsOf } from '../src/fields.ts'
import { contractsOf } from '../src/index.ts'
import { factoryOf, unprovenFields } from '../src/proof.ts'
import type { SwapLeg } from '../src/types.ts'

const { pools } = readState('ethereum')
const ethereum = contractsOf(1)!
const deployers: ReadonlySet<string> = new Set(ethereum.factories.map(({ deployer }) => deployer))
/** PancakeSwap V3's factory, which deploys its pools through a separate deployer. */
const PANCAKE_V3 = toAddress('0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865')
const untrusted = toAddress(`0x${'57'.repeat(20)}`)
const isOurs = ({ factory }: MainnetPool) => deployers.has(factory) || factory === PANCAKE_V3
const legOf = ({ address, tokens: [tokenIn, tokenOut] }: MainnetPool) =>
  ({ pool: address, tokenIn, tokenOut }) as unknown as SwapLeg
const opOf = ({ family }: MainnetPool) => (family === 'uniswap-v2' ? 'uniswap-v2' : 'uniswap-v3')
const isKnown = (pool: MainnetPool, factories = ethereum.factories) =>
  factoryOf(factories, opOf(pool), pool.address, legOf(pool)) !== undefined

test('exactly the pools of known factories are known, in both directions', () => {
  const expected = pools.filter(isOurs)
  expect(expected.length).toBeGreaterThan(50)
  expect(pools.filter((pool) => isKnown(pool))).toEqual(expected)
  for (const pool of expected) {
    const [token0, token1] = pool.tokens
    expect(isKnown({ ...pool, tokens: [token1, token0] })).toBe(true)
  }
})

test('a pool is not known for other tokens, by no other factory, by another operation, and under no other address', () => {
  for (const pool of pools.filter(isOurs).slice(0, 5)) {
    expect(isKnown({ ...pool, tokens: [pool.tokens[0], untrusted] })).toBe(false)
    expect(isKnown({ ...pool, address: untrusted })).toBe(false)
    expect(isKnown(pool, [])).toBe(false)
    expect(
      isKnown(
        pool,
        ethereum.factories.map((factory) => ({ ...factory, deployer: untrusted })),
      ),
    ).toBe(false)
    for (const { name } of ops)
      if (name !== opOf(pool))
        expect(factoryOf(ethereum.factories, name as Step['op'], pool.address, legOf(pool)), name).toBeUndefined()
  }
})

/** Properties of a step that are not fields. */
const NO_FIELDS = ['op', 'input', 'output', 'hops']
const stepsOf = (): readonly Step[] => golden.flatMap(({ bytes, pulledToken }) => decodeProgram(bytes, pulledToken))

test('for an operation without a row in the table, only the flow of tokens is proven', () => {
  const op = 'of-tomorrow' as Step['op']
  const step = {
    op,
    input: 'held',
    output: { kind: 'address', address: untrusted },
    pool: untrusted,
    fee: 30,
    sell: true,
    tokenOut: untrusted,
  } as never
  const unproven = fieldsOf(step).map(({ field, proof }) => [field, proof])
  expect(unproven).toEqual([
    ['pool', 'unproven'],
    ['fee', 'unproven'],
    ['sell', 'with-pool'],
    ['tokenOut', 'flow'],
  ])
})

test('the table covers every field of an encoded step', () => {
  const fields = new Set<string>()
  for (const step of stepsOf()) {
    fields.add(step.op)
    const names = [...Object.keys(step), ...('hops' in step ? step.hops.flatMap(Object.keys) : [])]
    for (const name of new Set(names))
      if (!NO_FIELDS.includes(name) && name !== 'tokenIn')
        expect(
          fieldsOf(step).map(({ field }) => field),
          step.op,
        ).toContain(name)
  }
  expect([...fields].sort()).toEqual(ops.map(({ name }) => name).sort())
})

test('no operation accepts an unknown contract, or the wrapper as a pool, in any address field', () => {
  const wrapper = ethereum.wrapper as `0x${string}`
  let tried = 0
  for (const step of stepsOf())
    for (const address of [untrusted, wrapper])
      for (const { field, proof, value, hopIndex: hop } of fieldsOf(step)) {
        if (typeof value !== 'string' || ['flow', 'with-pool', 'pool-key'].includes(proof)) continue
        if (proof === 'wrapper' && address === wrapper) continue
        const other = value.length === 66 ? `${address}${'0'.repeat(24)}` : address
        const hops =
          'hops' in step
            ? step.hops.map((one, k) => (k === hop && field in one ? { ...one, [field]: other } : one))
            : []
        const changed = (
          'hops' in step ? { ...step, ...(field in step && { [field]: other }), hops } : { ...step, [field]: other }
        ) as Step
        const legs = Array.from(
          { length: 9 },
          () => ({ pool: other, tokenIn: step.tokenIn, tokenOut: wrapper }) as unknown as SwapLeg,
        )
        const unproven = unprovenFields([changed], legs, ethereum, []).map((one) => one.field)
        // Only one of the two tokens of a deposit or redemption is the vault and needs a proof.
        const isIdle = proof === 'request' && !unproven.includes(`${step.op}.${field}`) && unproven.length > 0
        if (!isIdle) expect(unproven, `${step.op}.${field}`).toContain(`${step.op}.${field}`)
        tried++
      }
  expect(tried).toBeGreaterThan(60)
})

test('the fee is that of the factory, and at most 1 % for a pair without a known factory', () => {
  const pool = pools.find((pool) => isOurs(pool) && pool.family === 'uniswap-v2')!
  const [tokenIn, tokenOut] = pool.tokens as unknown as [`0x${string}`, `0x${string}`]
  const step = (feePpm: number, at = pool.address as `0x${string}`): Step => ({
    ...{ op: 'uniswap-v2', tokenIn, pool: at, feePpm, zeroForOne: tokenIn < tokenOut },
    ...{ input: { kind: 'pullAll' }, output: { kind: 'recipient' } },
  })
  const open = (of: Step, named: readonly string[] = []) =>
    unprovenFields(
      [of],
      [{ ...legOf(pool), pool: 'pool' in of ? of.pool : '' } as SwapLeg],
      { ...ethereum, pools: named },
      [],
    ).map(({ field }) => field)
  const { feePpm } = factoryOf(ethereum.factories, 'uniswap-v2', pool.address, legOf(pool))!
  expect(open(step(feePpm!))).toEqual([])
  for (const other of [feePpm! - 1, feePpm! + 1, 900_000]) expect(open(step(other))).toEqual(['uniswap-v2.feePpm'])
  expect(open(step(10_000, untrusted), [untrusted])).toEqual([])
  expect(open(step(10_001, untrusted), [untrusted])).toEqual(['uniswap-v2.feePpm'])
})

test('the tables in the README and the audit dossier are up to date', () => {
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('<!-- generated: fields -->')
    expect(withTables(text)).toBe(text)
  }
})
