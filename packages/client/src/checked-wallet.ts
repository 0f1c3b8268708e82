/** Wraps a wallet: validates its results, converts its failures to ClientErrors, and binds it to one chain. */
import { ClientError, orWalletError } from './errors.ts'
import type { Outgoing, Wallet } from './wallet.ts'

/** Maximum length of hexadecimal data from a wallet. */
const MAX_HEX_CHARS = 4 * 1024 * 1024
/** Maximum length of a hash or id from a wallet. */
const MAX_HASH_CHARS = 4_096

/**
 * Wraps a wallet. Adds the chain id to every transaction. Before `send` and `signTypedData`, checks that the wallet is
 * on this chain. Methods of the result throw ClientError: `REJECTED` if the owner declines, `WALLET` for other
 * failures.
 */
export function checkedWallet(wallet: Wallet, chainId: number): Wallet {
  const checkedCall =
    <A extends readonly unknown[], T>(
      act: (...parameters: A) => Promise<T>,
      isValid: (answer: T) => boolean,
      answerName: string,
    ) =>
    async (...parameters: A): Promise<T> => {
      const answer = await orWalletError(() => act(...parameters), `${answerName}: `)
      if (!isValid(answer)) throw new ClientError('WALLET', `${answerName}: the wallet's answer is not valid`)
      return answer
    }
  const checkChain = async () => {
    const currentChainId = await checkedCopy.chainId()
    if (currentChainId !== chainId)
      throw new ClientError('WALLET', `the wallet is on chain ${currentChainId}, not ${chainId}`)
  }
  const isInteger = (value: number) => Number.isSafeInteger(value) && value >= 0
  const isHex = (value: string) =>
    typeof value === 'string' && value.length <= MAX_HEX_CHARS && /^0x[0-9a-fA-F]*$/.test(value)
  const isHash = (value: string) => typeof value === 'string' && value !== '' && value.length <= MAX_HASH_CHARS
  const { receipt, estimateGas, signTypedData, sign, request } = wallet
  const checkedCopy: Wallet = {
    address: wallet.address,
    chainId: checkedCall(() => wallet.chainId(), isInteger, 'chain id'),
    blockNumber: checkedCall(() => wallet.blockNumber(), isInteger, 'block number'),
    code: checkedCall((address: string) => wallet.code(address), isHex, 'code'),
    call: checkedCall((to, data, value?: bigint) => wallet.call(to, data, value), isHex, 'call'),
    succeeded: checkedCall(
      (hash: string) => wallet.succeeded(hash),
      (value) => typeof value === 'boolean',
      'receipt',
    ),
    async send(transaction) {
      await checkChain()
      const send = checkedCall((parameters: Outgoing) => wallet.send(parameters), isHash, 'transaction')
      return send({ ...transaction, chainId })
    },
    ...(receipt && {
      receipt: checkedCall(
        (hash: string) => receipt.call(wallet, hash),
        (value) => value === undefined || (typeof value?.succeeded === 'boolean' && isHash(value.hash)),
        'receipt',
      ),
    }),
    ...(estimateGas && {
      estimateGas: checkedCall(
        (parameters: Outgoing) => estimateGas.call(wallet, parameters),
        (gas) => typeof gas === 'bigint' && gas > 0n,
        'gas',
      ),
    }),
    ...(signTypedData && {
      signTypedData: checkedCall(
        async (typedData: Parameters<typeof signTypedData>[0]) => {
          await checkChain()
          return signTypedData.call(wallet, typedData)
        },
        isHex,
        'signature',
      ),
    }),
    ...(sign && {
      sign: checkedCall((parameters: Outgoing) => sign.call(wallet, { ...parameters, chainId }), isHex, 'signature'),
    }),
    ...(request && { request: guardedRequest((method, params) => request.call(wallet, method, params)) }),
  }
  return checkedCopy
}

/**
 * Converts JSON-RPC errors to ClientErrors. The original error stays as `cause`, because `sendBatch` reads its code.
 */
function guardedRequest(request: NonNullable<Wallet['request']>): NonNullable<Wallet['request']> {
  return (method, params) => orWalletError(async () => request(method, params), `${method}: `)
}
