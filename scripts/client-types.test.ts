/**
 * Compares the types of the client, which has no dependencies and thus repeats the interface, with the service's
 * OpenAPI document.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  errorTable,
  openApiDocument,
  type QuoteResponse,
  type LegResponse as ServedLeg,
  type SimulationResponse,
  type StatsResponse,
  type StatusResponse,
  type SwapResponse,
  type TokenListResponse,
} from '@sluice/api'
import ts from 'typescript'
import { expect, expectTypeOf, test } from 'vitest'
import { REFUSALS } from '../packages/client/src/client.ts'
import type {
  ListedToken,
  Quote,
  Route,
  SimulationResult,
  Stats,
  SwapLeg,
  TransactionStatus,
} from '../packages/client/src/types.ts'
import { root } from './lib/run.ts'

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> }
}
type Operation = { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }

const document = openApiDocument() as unknown as Document
const path = join(root, 'packages/client/src/types.ts')
const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)

/** Returns the fields of a type that is one literal. */
function fieldsOf(name: string): readonly string[] {
  const declaration = source.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name)
  if (!declaration || !ts.isTypeAliasDeclaration(declaration) || !ts.isTypeLiteralNode(declaration.type))
    throw new Error(`${path} has no literal type ${name}`)
  return declaration.type.members.map((member) => (member.name as ts.Identifier).text).sort()
}

const queryOf = (endpoint: string) =>
  document.paths[endpoint]!.get!.parameters!.filter(({ in: place }) => place === 'query').map(({ name }) => name)

test.each([
  // The client has a separate type for requests with an exact output.
  ['SwapParameters', queryOf('/aggregator/{chain_id}').filter((name) => name !== 'amountOut')],
  ['SimulateParameters', queryOf('/simulate/{chain_id}')],
  ['TokenListParameters', queryOf('/tokenlist/{chain_id}')],
  ['Route', Object.keys(document.components.schemas.Route!.properties!)],
  ['TransactionStatus', Object.keys(document.components.schemas.Status!.properties!)],
  ['SimulationResult', Object.keys(document.components.schemas.Simulation!.properties!)],
] as const)('%s has the fields that the service documents', (name, documented) => {
  expect(documented.length).toBeGreaterThan(1)
  expect(fieldsOf(name)).toEqual(documented.toSorted())
})

test('the client knows every error code of a refused swap', () => {
  const refusals = Object.entries(errorTable).filter(([, { status }]) => status === 422)
  expect([...REFUSALS].sort()).toEqual(refusals.map(([code]) => code).sort())
})

/** `undefined` for an optional field, which JSON cannot distinguish from an absent one. */
type IfOptional<T, Key extends keyof T> = object extends Pick<T, Key> ? undefined : never
/** A type of the client in its JSON form, in which hex strings are strings. */
type Wire<T> = T extends `0x${string}`
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> | IfOptional<T, Key> }
      : T

// The compiler checks each field, including whether it may be absent or null.
test('response types of the service are assignable to those of the client', () => {
  expectTypeOf<SwapResponse>().toExtend<Wire<Route>>()
  expectTypeOf<QuoteResponse>().toExtend<Wire<Quote>>()
  expectTypeOf<ServedLeg>().toExtend<Wire<SwapLeg>>()
  expectTypeOf<SimulationResponse>().toExtend<Wire<SimulationResult>>()
  expectTypeOf<StatusResponse>().toExtend<Wire<TransactionStatus>>()
  expectTypeOf<StatsResponse>().toExtend<Wire<Stats>>()
  expectTypeOf<TokenListResponse['tokens'][number]>().toExtend<Wire<ListedToken>>()
})
