/** Checks the wrapped native token of a chain. */
import { WrapperProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { type Check, type Finding, fail, pass, type Subject, unknown } from './finding.ts'
import { hasCode, readDecimals } from './read.ts'

/** Unused address. The call overrides its code with WrapperProbe. */
const PROBE = toAddress('0x0000000000000000000000000000000057726170')
/** Wei to wrap. A wrapper with fewer decimals than the native token loses the last wei, so the check fails. */
const AMOUNT = 10n ** 12n + 1n

const probe = WrapperProbe__factory.createInterface()

export const checkNative: Check = async (subject) => {
  const { wrappedNative, nativeErc20 } = subject.chain
  if (wrappedNative === null)
    return [
      pass('wrapped native', 'none: NATIVE is refused'),
      ...(nativeErc20
        ? [await checkDecimals(subject, 'native ERC-20', nativeErc20.address, nativeErc20.decimals)]
        : []),
    ]
  if (!(await hasCode(subject, wrappedNative.address)))
    return [fail('wrapped native', `no code at ${wrappedNative.address}`)]
  return [
    await checkDecimals(subject, 'wrapped native decimals', wrappedNative.address, wrappedNative.decimals),
    await checkWrapping(subject, wrappedNative.address),
  ]
}

async function checkDecimals(
  subject: Subject,
  check: string,
  token: Address,
  recordedDecimals: number | null,
): Promise<Finding> {
  const decimals = await readDecimals(subject, token)
  if (decimals === null) return fail(check, `${token} does not report its decimals`)
  if (decimals === recordedDecimals) return pass(check, String(decimals))
  if (decimals === 0) return fail(check, `recorded as ${recordedDecimals}, but the token reports 0`)
  return fail(check, `recorded as ${recordedDecimals}, are ${decimals}`, (file) => {
    const entry = file.wrappedNative ?? file.nativeErc20
    if (entry) entry.decimals = decimals
  })
}

async function checkWrapping({ rpc, block, supportsOverrides }: Subject, wrapper: Address): Promise<Finding> {
  const check = 'deposit and withdraw'
  if (!supportsOverrides) return unknown(check, 'cannot be tested without overrides')
  try {
    const data = probe.encodeFunctionData('wrap', [wrapper, AMOUNT]) as Hex
    const accounts = { [PROBE]: { code: bytecode.WrapperProbe.runtime, balance: 10n ** 18n } }
    const answer = await rpc.call({ to: PROBE, data }, block, { overrides: accounts })
    const [wrapped, unwrapped] = probe.decodeFunctionResult('wrap', answer) as unknown as [bigint, bigint]
    return wrapped === AMOUNT && unwrapped === AMOUNT
      ? pass(check, 'one to one')
      : fail(check, `${AMOUNT} native became ${wrapped} wrapped, and ${unwrapped} native again`)
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return fail(check, `reverts: ${error.message}`)
    throw error
  }
}
