/** Writes the table of fields and their proofs into README.md and the audit dossier, from `src/fields.ts`; a test compares both. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProgram, ops } from '@sluice/program'
import { golden } from '@sluice/program/testing'
import { fieldsOf, type Proof } from '../src/fields.ts'

const README = join(import.meta.dirname, '../README.md')
export const DOSSIER = join(import.meta.dirname, '../../../docs/audit/sdk-fields.md')
const BEGIN = '<!-- fields: made by scripts/field-table.ts -->'
const END = '<!-- /fields -->'

/** Proof in words, and the harm that it rules out or leaves. */
const rows: Readonly<Record<Proof, readonly [harm: string, proof: string]>> = {
  factory: [
    'runs code that keeps what exceeds the lowest output',
    'the address follows by CREATE2 from a known factory, for this operation and the tokens of the leg',
  ],
  registry: ['receives the input', "the address is in the chain's list for this operation"],
  wrapper: ['receives the input', "the address is the chain's wrapper of the native token"],
  request: ['runs code that sets the rate', 'the token is `src` or `dst` of the request'],
  'no-code': ['runs code before and after the trade', 'it is zero: no code beside that of the singleton runs'],
  flow: ['sends tokens where nobody asks for them', 'it agrees with the tokens and legs of the route, end to end'],
  'pool-key': [
    'names a pool whose maker chose the price',
    "part of the pool's id, which the route names; the lowest output bounds the price",
  ],
  fee: [
    'asks the pair for less than it would pay',
    "equal to the factory's fee; at most 1 % for a pair that the caller accepts",
  ],
  'with-pool': ['calls another function or coin of the pool', 'accepted with the pool; the lowest output bounds it'],
  unproven: [
    'receives the input, or sets the price',
    '**none**: `UNSAFE` unless the caller names the field, its address or the id of its pool',
  ],
}

/** The table of the fields of the recorded programs, in the order of the operations' codes. */
export function fieldTable(): string {
  const fields = golden.flatMap(({ bytes, pulledToken }) => decodeProgram(bytes, pulledToken).flatMap(fieldsOf))
  const lines = ops.flatMap(({ name, title }) => {
    const own = new Map(fields.flatMap(({ op, field, proof }) => (op === name ? [[field, proof] as const] : [])))
    return [...own].map(([field, proof]) => {
      const [harm, how] = rows[proof]
      return `| \`${name}.${field}\` | ${title} | ${harm} | ${how} |`
    })
  })
  return ['| field | operation | can | proof |', '| --- | --- | --- | --- |', ...lines].join('\n')
}

/** The README with the table of today. */
export function readmeWithTable(readme = readFileSync(README, 'utf8')): string {
  const [before, rest] = readme.split(BEGIN) as [string, string]
  const [, after] = rest.split(END) as [string, string]
  return `${before}${BEGIN}\n\n${fieldTable()}\n\n${END}${after}`
}

/** The page of the audit dossier. */
export function dossierPage(): string {
  return `# Fields of a program, and how the SDK proves them

Made by \`packages/client/scripts/field-table.ts\` from \`packages/client/src/fields.ts\`, which \`verify\`, \`explain\` and \`excludePools\` use.
The Guard's check of the least output bounds every harm below; a proof bounds what a hostile service can take above it.

${fieldTable()}
`
}

if (import.meta.main) {
  writeFileSync(README, readmeWithTable())
  writeFileSync(DOSSIER, dossierPage())
}
