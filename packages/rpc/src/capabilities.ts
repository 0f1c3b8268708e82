/** Abilities of an endpoint's eth_call beyond the standard, found out by asking it once. */
import { EnvironmentProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Hex, toAddress } from '@sluice/chains'
import { quantity } from './encode.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'

export type Capabilities = {
  /** Code, balance and storage of accounts for the time of one call. */
  readonly stateOverrides: boolean
  /** The node's spelling of the block override of `block.coinbase`; null when it has none. A wrong spelling is ignored. */
  readonly coinbaseField: CoinbaseField | null
  /** True where block overrides set the number and the time that a call runs at. */
  readonly blockTime: boolean
  /** Most gas that one call gets, to within the cost of measuring it; null when above a thousand million or unknown. */
  readonly gasCap: bigint | null
}
export type CoinbaseField = 'feeRecipient' | 'coinbase'

const abi = EnvironmentProbe__factory.createInterface()
const PROBE = toAddress('0x5177ce0000000000000000000000000000000004')
const AUTHOR = toAddress('0x5177ce000000000000000000000000000000beef')
const PLENTY = 1_000_000_000n
/** Gas limits to try when a node refuses a larger one. */
const LESS_GAS = [300_000_000n, 100_000_000n, 50_000_000n, 30_000_000n, 15_000_000n]
/** Far in the future, so that no block has it. */
const TIME = 0x7fffffffn

type Ask = (method: string, params: readonly unknown[]) => Promise<Hex>

/** @throws RpcError when the endpoint fails, as opposed to refusing */
export async function readCapabilities(ask: Ask): Promise<Capabilities> {
  const call = { to: PROBE, data: abi.encodeFunctionData('read') }
  const overrides = { [PROBE]: { code: bytecode.EnvironmentProbe.runtime } }
  const run = (request: object, ...block: object[]) =>
    ask('eth_call', [request, 'latest', overrides, ...block]).then(decode, refused)
  const [plain, feeRecipient, coinbase, timed, gasCap] = await Promise.all([
    run(call),
    run(call, { feeRecipient: AUTHOR }),
    run(call, { coinbase: AUTHOR }),
    run(call, { number: quantity(TIME), time: quantity(TIME) }),
    readGasCap((gas) => ask('eth_call', [{ ...call, gas: quantity(gas) }, 'latest', overrides]).then(decode)),
  ])
  const named = (answer: Environment | null) => answer?.coinbase.toLowerCase() === AUTHOR
  return {
    stateOverrides: plain !== null,
    coinbaseField: named(feeRecipient) ? 'feeRecipient' : named(coinbase) ? 'coinbase' : null,
    // The number is not compared: on Arbitrum `block.number` is that of the chain below, whatever a call says.
    blockTime: timed?.timestamp === TIME,
    gasCap,
  }
}

/** Most nodes give a call less gas than it asks for; others refuse it. */
async function readGasCap(call: (gas: bigint) => Promise<Environment | null>): Promise<bigint | null> {
  for (const gas of [PLENTY, ...LESS_GAS]) {
    try {
      const gasLeft = (await call(gas))?.gasLeft ?? null
      return gas === PLENTY && gasLeft !== null && gasLeft > (PLENTY * 9n) / 10n ? null : gasLeft
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'GAS_CAP')) return refused(error)
    }
  }
  return null
}

type Environment = { readonly coinbase: string; readonly gasLeft: bigint; readonly timestamp: bigint }

/** A node that ignores overrides answers nothing, since nothing is there. */
function decode(answer: Hex): Environment | null {
  if (answer === '0x') return null
  const { coinbase, gasLeft, timestamp } = abi.decodeFunctionResult('read', answer)
  return { coinbase, gasLeft, timestamp }
}

const refusals: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'REVERTED', 'UNSUPPORTED', 'SIZE', 'GAS_CAP'])

function refused(error: unknown): null {
  if (error instanceof RpcError && refusals.has(error.code)) return null
  throw error
}
