/** Schemas of chain files and deployment files. */
import { z } from 'zod'
import { type Hex, toAddress, ZERO_ADDRESS } from './address.ts'
import { L1_FEE_MODELS } from './types.ts'

const nonZeroAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform(toAddress)
  .refine((address) => address !== ZERO_ADDRESS, 'must not be the zero address')

const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)

const chainId = z.int().positive()
const decimals = z.int().min(0).max(36)
const url = z.string().regex(/^https?:\/\/\S+$/, 'must be an http or https URL')

/** Ids of the sources of a value, as in data/README.md. */
const sources = z.array(z.string().min(1))

const token = z.strictObject({
  address: nonZeroAddress,
  symbol: z.string().min(1),
  /** Null if no source states the decimals, or if sources disagree. */
  decimals: decimals.nullable(),
  sources: sources.exactOptional(),
})

const dexRow = z
  .strictObject({
    family: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower case with dashes'),
    brand: z.string().min(1),
    role: z.string().min(1),
    address: nonZeroAddress,
    version: z.string().min(1).exactOptional(),
    feePpm: z.int().min(0).max(50_000).exactOptional(),
    feeBasis: z
      .enum(['protocol-sdk', 'aggregator', 'tracker', 'tracker-text', 'measured', 'default', 'assumed'])
      .exactOptional(),
    initCodeHash: bytes32.exactOptional(),
    startBlock: z.int().min(0).exactOptional(),
    contracts: z.record(z.string(), nonZeroAddress).exactOptional(),
    /** True if the operator abandoned the DEX; pools may still hold liquidity. */
    deprecated: z.literal(true).exactOptional(),
    /** True if measurements showed that swaps of the DEX pay what it quoted. */
    measured: z.literal(true).exactOptional(),
    sources: sources.exactOptional(),
  })
  .refine((row) => row.feePpm === undefined || row.feeBasis !== undefined, {
    path: ['feeBasis'],
    message: 'must say where feePpm comes from',
  })

/** Schema of a chain file. Strict, so that a misspelled field is an error. */
export const chainFileSchema = z
  .strictObject({
    chainId,
    name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower case with dashes'),
    displayName: z.string().min(1),
    trackerName: z.string().min(1),
    coinsPrefix: z.string().min(1).nullable(),
    nativeCurrency: z.strictObject({ symbol: z.string().min(1), name: z.string().min(1), decimals }),
    wrappedNative: token.nullable(),
    nativeErc20: token.exactOptional(),
    stables: z.array(token),
    hubs: z.array(nonZeroAddress).max(16),
    tokens: z.array(token),
    rpcUrls: z.array(url),
    explorer: url.exactOptional(),
    /** Null if no source states the block time. */
    blockTimeMs: z.number().positive().nullable(),
    l1FeeModel: z.enum(L1_FEE_MODELS),
    maxTransactionGas: z.int().positive().exactOptional(),
    chargesGasLimit: z.literal(true).exactOptional(),
    /** Supported EVM features. An absent flag is unknown, not false. */
    evm: z.strictObject({
      push0: z.boolean().exactOptional(),
      transientStorage: z.boolean().exactOptional(),
      mcopy: z.boolean().exactOptional(),
    }),
    dexes: z.array(dexRow),
    vouched: z.array(nonZeroAddress).exactOptional(),
    unsupported: z.string().min(1).exactOptional(),
    notes: z.array(z.string().min(1)).exactOptional(),
  })
  .refine((file) => file.wrappedNative === null || file.nativeErc20 === undefined, {
    path: ['nativeErc20'],
    message: 'belongs to chains without wrappedNative only',
  })

/** Content of `<chainId>.json`, with addresses in any case. */
export type ChainFile = z.input<typeof chainFileSchema>
/** Parsed chain file, with addresses in lower case. */
export type ParsedChainFile = z.output<typeof chainFileSchema>

/** Schema of the fields that the chain map needs. Validation is cheap enough for all chains. */
export const chainHeaderSchema = z.object({
  chainId,
  name: chainFileSchema.shape.name,
  trackerName: chainFileSchema.shape.trackerName,
  coinsPrefix: chainFileSchema.shape.coinsPrefix,
  l1FeeModel: chainFileSchema.shape.l1FeeModel,
  evm: chainFileSchema.shape.evm,
  unsupported: chainFileSchema.shape.unsupported,
})

const build = z.enum(['cancun', 'london'])

const contractCode = z.strictObject({
  address: nonZeroAddress,
  salt: bytes32,
  initCodeHash: bytes32,
  codeHash: bytes32,
})

/** Schema of deployments/releases.json. */
export const releasesSchema = z.partialRecord(
  build,
  z.strictObject({
    guard: contractCode,
    executors: z
      .array(contractCode.extend({ version: z.int().min(1), families: z.array(z.string().min(1)) }))
      .min(1, 'must name an Executor'),
  }),
)

/** Schema of deployments/<chainId>.json. */
export const deploymentFileSchema = z.strictObject({
  chainId,
  build,
  deployed: z.record(nonZeroAddress, z.strictObject({ block: z.int().min(0), transaction: bytes32.exactOptional() })),
})
