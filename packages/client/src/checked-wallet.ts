/** A wallet whose answers are checked, whose failures are ClientErrors, and which sends on one chain alone. */
import { ClientError, orClientError } from './errors.ts'
import type { Outgoing, Wallet } from './wallet.ts'

const MAX_TEXT = 4 * 1024 * 1024
/** Longest hash or id that a wallet may answer with. */
const MAX_HASH = 4_096

/**
 * Wraps a wallet. Every transaction names the chain, and the wallet's chain is read again right before it is sent.
 *
 * @throws ClientError `REJECTED` where the owner declines, `WALLET` for every other failure
 */
export function checkedWallet(wallet: Wallet, chainId: number): Wallet {
  const guarded =
    <A extends readonly unknown[], T>(act: (...of: A) => Promise<T>, isValid: (answer: T) => boolean, what: string) =>
    async (...of: A): Promise<T> => {
      const answer = await orClientError('WALLET', () => act(...of), `${what}: `)
      if (!isValid(answer)) throw new ClientError('WALLET', `${what}: the wallet's answer is not valid`)
      return answer
    }
  const checkChain = async () => {
    const current = await checked.chainId()
    if (current !== chainId) throw new ClientError('WALLET', `the wallet is on chain ${current}, not ${chainId}`)
  }
  const isInteger = (value: number) => Number.isSafeInteger(value) && value >= 0
  const isHex = (value: string) =>
    typeof value === 'string' && value.length <= MAX_TEXT && /^0x[0-9a-fA-F]*$/.test(value)
  const isHash = (value: string) => typeof value === 'string' && value !== '' && value.length <= MAX_HASH
  const { receipt, estimateGas, signTypedData, sign, request } = wallet
  const checked: Wallet = {
    address: wallet.address,
    chainId: guarded(() => wallet.chainId(), isInteger, 'chain id'),
    blockNumber: guarded(() => wallet.blockNumber(), isInteger, 'block number'),
    code: guarded((address: string) => wallet.code(address), isHex, 'code'),
    call: guarded((to, data, value?: bigint) => wallet.call(to, data, value), isHex, 'call'),
    succeeded: guarded(
      (hash: string) => wallet.succeeded(hash),
      (value) => typeof value === 'boolean',
      'receipt',
    ),
    async send(transaction) {
      await checkChain()
      const send = guarded((of: Outgoing) => wallet.send(of), isHash, 'transaction')
      return send({ ...transaction, chainId })
    },
    ...(receipt && {
      receipt: guarded(
        (hash: string) => receipt.call(wallet, hash),
        (value) => value === undefined || (typeof value?.succeeded === 'boolean' && isHash(value.hash)),
        'receipt',
      ),
    }),
    ...(estimateGas && {
      estimateGas: guarded(
        (of: Outgoing) => estimateGas.call(wallet, of),
        (gas) => typeof gas === 'bigint' && gas > 0n,
        'gas',
      ),
    }),
    ...(signTypedData && {
      signTypedData: guarded(
        async (typed: Parameters<typeof signTypedData>[0]) => {
          await checkChain()
          return signTypedData.call(wallet, typed)
        },
        isHex,
        'signature',
      ),
    }),
    ...(sign && { sign: guarded((of: Outgoing) => sign.call(wallet, { ...of, chainId }), isHex, 'signature') }),
    ...(request && { request: guardedRequest((method, params) => request.call(wallet, method, params)) }),
  }
  return checked
}

/** JSON-RPC whose errors keep their code for those who read it: a wallet's refusal of a batch has a meaning. */
function guardedRequest(request: NonNullable<Wallet['request']>): NonNullable<Wallet['request']> {
  return (method, params) => orClientError('WALLET', async () => request(method, params), `${method}: `)
}
