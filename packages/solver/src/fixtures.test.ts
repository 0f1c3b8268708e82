/** Auctions and answers of the protocol's reference solver, which finds a single path. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { readAuction } from './auction.ts'
import type { Solution } from './solution.ts'
import { solve } from './solve.ts'

const FIXTURES = join(import.meta.dirname, '../test/fixtures')
const WRAPPED: Readonly<Record<string, Address>> = {
  ethereum: toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'),
  gnosis: toAddress('0xe91d153e0b41518a2ce8dd3d7944fa863463a97d'),
}

type Case = { readonly name: string; readonly auction: object; readonly answer: { readonly solutions: Solution[] } }

/** File names are `<case>-<line>-<auction or answer>.json`; an answer belongs to the auction before it. */
function cases(): Case[] {
  const files = readdirSync(FIXTURES).filter((name) => name.endsWith('.json'))
  const placed = files.map((name) => ({ name, line: Number(/-(\d+)-/.exec(name)![1]), group: name.split(/-\d+-/)[0]! }))
  placed.sort((a, b) => a.group.localeCompare(b.group) || a.line - b.line)
  const read = (name: string) => JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'))
  return placed.flatMap(({ name }, k) => {
    const answer = placed[k + 1]
    return name.endsWith('auction.json') && answer?.name.endsWith('answer.json')
      ? [{ name, auction: read(name), answer: read(answer.name) }]
      : []
  })
}

const all = cases()

test('there are fixtures', () => expect(all.length).toBeGreaterThan(9))

test.each(all)('answers $name as the reference solver does', async ({ auction, answer }) => {
  const read = readAuction(auction)
  const wrappedNative = JSON.stringify(auction).toLowerCase().includes(WRAPPED.gnosis!)
    ? WRAPPED.gnosis!
    : WRAPPED.ethereum!
  expect(await solve(read, { wrappedNative })).toEqual(answer.solutions)
})
