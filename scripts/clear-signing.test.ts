/** Tests contracts/erc7730-guard.json, which describes to wallets how to show each kind of swap (ERC-7730, schema version 1). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IGuard__factory } from '@sluice/bindings'
import { loadRegistry } from '@sluice/chains'
import { type FunctionFragment, getAddress, id, type ParamType } from 'ethers'
import { expect, test } from 'vitest'

type Field = {
  readonly path: string
  readonly label: string
  readonly format: string
  readonly params?: Readonly<Record<string, unknown>>
}
type Format = {
  readonly intent: string
  readonly fields: readonly Field[]
  readonly required: readonly string[]
  readonly excluded: readonly string[]
}

const root = join(import.meta.dirname, '..')
const file = JSON.parse(readFileSync(join(root, 'contracts/erc7730-guard.json'), 'utf8'))
const guard = IGuard__factory.createInterface()
const NAMES = ['swap', 'swapNative', 'swapWithPayout', 'swapDirect', 'swapWithPermit', 'swapDirectWithPermit'] as const
const formats = Object.entries(file.display.formats as Readonly<Record<string, Format>>).map(
  ([signature, format], index) => {
    const swap = guard.getFunction(NAMES[index]!)
    return { signature, format, swap, typeOf: new Map(leaves(swap.inputs)) }
  },
)

/** Returns the type of every value of the call, by path. */
function leaves(parameters: readonly ParamType[], above = ''): [path: string, type: string][] {
  return parameters.flatMap((parameter) => {
    const path = above + parameter.name
    return parameter.components ? leaves(parameter.components, `${path}.`) : [[path, parameter.type]]
  })
}
/** Path of the call's native value. */
const VALUE = '@.value'

/** Formats with the type of their values and their required and optional parameters. */
const FORMATS: Readonly<Record<string, { type: RegExp; needs: readonly string[]; may: readonly string[] }>> = {
  tokenAmount: { type: /^uint/, needs: ['tokenPath'], may: ['nativeCurrencyAddress', 'threshold', 'message'] },
  date: { type: /^uint/, needs: ['encoding'], may: [] },
  unit: { type: /^uint/, needs: ['base'], may: ['decimals', 'prefix'] },
  amount: { type: /^value$/, needs: [], may: [] },
  addressName: { type: /^address$/, needs: [], may: ['types', 'sources'] },
  enum: { type: /^uint8$/, needs: ['$ref'], may: [] },
}

test('it has exactly the sections of the schema', () => {
  expect(file.$schema).toBe('https://eips.ethereum.org/assets/eip-7730/erc7730-v1.schema.json')
  expect(Object.keys(file)).toEqual(['$schema', 'context', 'metadata', 'display'])
  expect(Object.keys(file.context)).toEqual(['$id', 'contract'])
  expect(Object.keys(file.context.contract)).toEqual(['abi', 'deployments'])
  for (const { format } of formats) expect(Object.keys(format)).toEqual(['intent', 'fields', 'required', 'excluded'])
})

test("the functions it shows are the Guard's swaps, by signature and by ABI", () => {
  for (const { signature, swap } of formats) {
    const types = signature.replace(/ \w+(?=[,)])/g, '')
    expect(id(types).slice(0, 10)).toBe(swap.selector)
    expect(signature).toBe(withNames(swap))
  }
  const abi = NAMES.map((name) => ({
    stateMutability: 'nonpayable',
    ...JSON.parse(guard.getFunction(name).format('json'), withoutEmpty),
  }))
  expect(file.context.contract.abi).toEqual(abi)
  expect(formats).toHaveLength(NAMES.length)
})

function withNames({ name, inputs }: FunctionFragment): string {
  const one = ({ type, name, components }: ParamType): string =>
    `${components ? `(${components.map(one).join(',')})` : type} ${name}`
  return `${name}(${inputs.map(one).join(',')})`
}

/** Removes `constant` and `payable`, which ethers adds for compatibility with the oldest ABIs. */
function withoutEmpty(key: string, value: unknown): unknown {
  return key === 'constant' || key === 'payable' ? undefined : value
}

test.each(formats)('every value of $swap.name is shown or excluded explicitly, once', ({ format, swap, typeOf }) => {
  const named = [...format.fields.map(({ path }) => path), ...format.excluded]
  // Token addresses are shown as the units of their amounts.
  const units = format.fields.flatMap(({ params }) => (params?.tokenPath ? [String(params.tokenPath)] : []))
  const value = swap.payable ? [VALUE] : []
  expect([...named, ...new Set(units)].sort()).toEqual([...typeOf.keys(), ...value].sort())
  const shown = format.fields.map(({ path }) => path)
  expect(format.required.filter((path) => !shown.includes(path))).toEqual([])
})

const fields = formats.flatMap(({ format, swap, typeOf }) =>
  format.fields.map((field) => ({ name: swap.name, field, typeOf })),
)
test.each(fields)('$field.path of $name suits its format', ({ field, typeOf }) => {
  const { path } = field
  const rule = FORMATS[field.format]
  expect(rule, `unknown format ${field.format}`).toBeDefined()
  expect(path === VALUE ? 'value' : typeOf.get(path)).toMatch(rule!.type)
  expect(field.label.length).toBeGreaterThan(0)
  const parameters = Object.keys(field.params ?? {})
  expect(rule!.needs.filter((name) => !parameters.includes(name))).toEqual([])
  expect(parameters.filter((name) => ![...rule!.needs, ...rule!.may].includes(name))).toEqual([])
  const { tokenPath, nativeCurrencyAddress = [], base, decimals } = field.params ?? {}
  if (tokenPath !== undefined) expect(typeOf.get(String(tokenPath))).toBe('address')
  for (const reference of nativeCurrencyAddress as string[])
    expect(file.metadata.constants[reference.replace('$.metadata.constants.', '')]).toBe(`0x${'00'.repeat(20)}`)
  // A million ppm is 100 %.
  if (path === 'payout.feePpm') expect(1_000_000 / 10 ** Number(decimals), String(base)).toBe(100)
})

test('it names the Guard of every chain, with the checksum of its address', () => {
  const registry = loadRegistry()
  const { deployments } = file.context.contract as { deployments: { chainId: number; address: string }[] }
  expect(deployments.length).toBeGreaterThan(150)
  expect(new Set(deployments.map(({ chainId }) => chainId)).size).toBe(deployments.length)
  for (const { chainId, address } of deployments) {
    expect(address, 'stale: npm run predict').toBe(getAddress(registry.deployment(chainId)!.guard.address))
  }
})

test('a swap with a signature names its kind of permit', () => {
  const signed = formats.filter(({ swap }) => swap.name.endsWith('WithPermit'))
  expect(signed).toHaveLength(2)
  for (const { format } of signed) {
    const kind = format.fields.find(({ path }) => path === 'permit.kind')
    expect(kind).toMatchObject({ format: 'enum', params: { $ref: '$.metadata.enums.permitKind' } })
    expect(format.required).toContain('permit.kind')
  }
  // `Eip2612`, `Dai`, and `Permit2` of `IGuard.PermitKind`.
  expect(Object.keys(file.metadata.enums.permitKind)).toEqual(['0', '1', '2'])
  expect(file.metadata.enums.permitKind['1']).toContain('ANY amount')
})

test.each(formats)('$swap.name shows the Executor, and whether the output passes through the Guard', (shown) => {
  const { format, swap } = shown
  const executor = format.fields.find(({ path }) => path === 'order.executor')
  expect(executor).toMatchObject({ label: 'Executor', format: 'addressName' })
  expect(format.required).toContain('order.executor')
  expect(format.intent).toBe(swap.name.startsWith('swapDirect') ? 'Swap in direct mode' : 'Swap in custody')
})
