/**
 * Simulated node in a thread. Serves blocks with logs of pool changes over HTTP. The node has no state, so that calls
 * revert.
 */
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { IUniswapV2PairEvents__factory, IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import { toBeHex } from 'ethers'

export type ChangedPool = { readonly address: string; readonly family: string }
/**
 * Block with trades in the given pools, which the node adds after the block with the previous number. Blocks of a fork
 * have another `branch`.
 */
export type BlockToAdd = { readonly number: number; readonly branch: number; readonly changed: readonly ChangedPool[] }

const pairEvents = IUniswapV2PairEvents__factory.createInterface()
const poolEvents = IUniswapV3PoolEvents__factory.createInterface()

type Block = { readonly header: object; readonly logs: string }
const chain: Block[] = []
const blockByHash = new Map<string, Block>()
export const hashOf = (number: number, branch: number) => toBeHex(BigInt(number) * 1_000n + BigInt(branch) + 1n, 32)

function addBlock({ number, branch, changed }: BlockToAdd): void {
  const parent = chain[number - 1]?.header as { hash: string } | undefined
  const hash = hashOf(number, branch)
  const quantity = (n: number) => `0x${n.toString(16)}`
  const header = {
    number: quantity(number),
    hash,
    parentHash: parent?.hash ?? toBeHex(0, 32),
    timestamp: quantity(Math.floor(Date.now() / 1_000)),
    gasLimit: quantity(30_000_000),
    miner: toBeHex(7, 20),
  }
  const logs = changed.map(({ address, family }, i) => ({
    address,
    ...(family === 'uniswap-v3' ? swapLog(address, number + i) : syncLog(number + branch + i)),
    blockNumber: header.number,
    blockHash: hash,
    logIndex: quantity(i),
    transactionHash: hashOf(i, 1),
    transactionIndex: quantity(i),
    removed: false,
  }))
  const block = { header, logs: JSON.stringify(logs) }
  chain.length = number
  chain.push(block)
  blockByHash.set(hash, block)
}

const ONE_TOKEN = 10n ** 18n
function syncLog(n: number) {
  const move = BigInt(n % 100) * 10n ** 15n
  return pairEvents.encodeEventLog('Sync', [100_000n * ONE_TOKEN + move, 90_000n * ONE_TOKEN - move])
}

function swapLog(address: string, n: number) {
  return poolEvents.encodeEventLog('Swap', [address, address, 1n, -1n, (1n << 96n) + BigInt(n), 100n * ONE_TOKEN, 0])
}

function resultOf(method: string, params: readonly unknown[]): string {
  const [firstParam] = params
  if (method === 'eth_chainId') return '"0x1"'
  if (method === 'eth_blockNumber') return `"0x${(chain.length - 1).toString(16)}"`
  if (method === 'eth_getBlockByHash') return JSON.stringify(blockByHash.get(firstParam as string)?.header ?? null)
  if (method === 'eth_getBlockByNumber') {
    const block = firstParam === 'latest' ? chain.at(-1) : chain[Number(firstParam)]
    return JSON.stringify(block?.header ?? null)
  }
  if (method === 'eth_getLogs') return blockByHash.get((firstParam as { blockHash: string }).blockHash)?.logs ?? '[]'
  return ''
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const parsed = JSON.parse(Buffer.concat(parts).toString())
    const answers = [parsed].flat().map(({ id, method, params }) => {
      const result = resultOf(method, params)
      const body = result ? `"result":${result}` : '"error":{"code":3,"message":"execution reverted","data":"0x"}'
      return `{"jsonrpc":"2.0","id":${id},${body}}`
    })
    response.setHeader('content-type', 'application/json')
    response.end(Array.isArray(parsed) ? `[${answers.join()}]` : answers[0])
  })
})

if (parentPort) {
  const port = parentPort
  port.on('message', (block: BlockToAdd) => {
    addBlock(block)
    port.postMessage(block.number)
  })
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as { port: number }).port))
}
