/** Checks the rows of a chain's file that describe its DEXes. */
import { IUniswapV2Factory__factory, IUniswapV3Factory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { families, rowsOf } from '@sluice/liquidity'
import { saltOf } from '@sluice/program'
import { AbiCoder, getCreate2Address, keccak256, solidityPackedKeccak256 } from 'ethers'
import { type Check, type Finding, fail, pass, type Subject, unknown } from './finding.ts'
import { callOrNull, hasCode } from './read.ts'

/**
 * Checks that the contract of every row has code. For a row with an init code hash, also checks that the hash gives the
 * address of a pool that the factory returns. Reports the rows that no family supports as `unknown`.
 */
export const checkDexes: Check = async (subject) => {
  const { dexes } = subject.chain
  const rows = await Promise.all(dexes.map((row) => checkRow(subject, row)))
  const unsupportedRows = dexes.filter((row) => families.every((family) => rowsOf(family, row).length === 0))
  const familyNames = [...new Set(unsupportedRows.map((row) => row.family))].sort()
  return unsupportedRows.length === 0
    ? rows.flat()
    : [
        ...rows.flat(),
        unknown('families', `${unsupportedRows.length} rows not routed through yet: ${familyNames.join(', ')}`),
      ]
}

async function checkRow(subject: Subject, row: DexRow): Promise<readonly Finding[]> {
  const title = `${row.role} ${row.brand}`
  const isFeeAssumed = row.feeBasis === 'assumed' || row.feeBasis === 'default'
  const note = isFeeAssumed ? `; its fee of ${row.feePpm! / 10_000} % is a guess` : ''
  if (!(await hasCode(subject, row.address))) return [fail(title, `no code at ${row.address}`)]
  const passFinding = pass(title, `${row.address}${note}`)
  return row.initCodeHash === undefined
    ? [passFinding]
    : [passFinding, await checkInitCodeHash(subject, row, row.initCodeHash)]
}

async function checkInitCodeHash(subject: Subject, row: DexRow, initCodeHash: Hex): Promise<Finding> {
  const title = `pool address ${row.brand}`
  const pool = await findPool(subject, row)
  if (pool === null) return unknown(title, 'the factory has no pool of two hub tokens to compare with')
  const deployer = row.contracts?.poolDeployer ?? row.address
  const derivedAddress = toAddress(getCreate2Address(deployer, pool.salt, initCodeHash))
  return derivedAddress === pool.address
    ? pass(title, derivedAddress)
    : fail(title, `the factory returns ${pool.address}, but the init-code hash gives ${derivedAddress}`)
}

/** A pool that a factory returned, with the CREATE2 salt of its address. */
type KnownPool = { readonly address: Address; readonly salt: Hex }

const v2 = IUniswapV2Factory__factory.createInterface()
const v3 = IUniswapV3Factory__factory.createInterface()
/** Default fees of Uniswap V3 and PancakeSwap V3 factories, in parts per million. */
const V3_FEES = [100, 500, 2_500, 3_000, 10_000] as const

/**
 * Returns a pool of the factory for two hub tokens of the chain. Returns null if there is none, or if the salt format
 * of the family is unknown.
 */
async function findPool(subject: Subject, { family, address }: DexRow): Promise<KnownPool | null> {
  const hubs = [...subject.chain.hubs].sort()
  const pairs = hubs.flatMap((a, i) => hubs.slice(i + 1).map((b) => [a, b] as const))
  const readPool = async (data: string, salt: string): Promise<KnownPool | null> => {
    const answer = await callOrNull(subject, address, data as Hex)
    const pool = answer === null ? ZERO_ADDRESS : toAddress(`0x${answer.slice(-40)}`)
    return pool === ZERO_ADDRESS ? null : { address: pool, salt: salt as Hex }
  }
  const saltFormat = saltOf(family)
  const calls =
    saltFormat === 'uniswap-v2'
      ? pairs.map(([a, b]) =>
          readPool(v2.encodeFunctionData('getPair', [a, b]), solidityPackedKeccak256(['address', 'address'], [a, b])),
        )
      : saltFormat === 'uniswap-v3'
        ? pairs.flatMap(([a, b]) =>
            V3_FEES.map((fee) =>
              readPool(
                v3.encodeFunctionData('getPool', [a, b, fee]),
                keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint24'], [a, b, fee])),
              ),
            ),
          )
        : []
  return (await Promise.all(calls)).find((pool) => pool !== null) ?? null
}
