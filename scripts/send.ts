/**
 * `npm run send -- '<swap url>'`: requests a route from a running `npm start` or `npm run mainnet`, approves the Guard
 * if needed, signs the transaction with the sender's key of the local chain, sends it, and prints the balance changes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IERC20__factory } from '@sluice/bindings'
import { NATIVE } from '@sluice/chains'
import { JsonRpcProvider, Wallet } from 'ethers'
import { root } from './lib/run.ts'

type DevnetJson = {
  readonly apiUrl: string
  readonly rpcUrl: string
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[]
  readonly tokens: Readonly<Record<string, { readonly address: string; readonly decimals: number }>>
}

const url = process.argv[2]
if (!url) fail("usage: npm run send -- '<swap url>'   (npm start prints one)")
if (!URL.canParse(url)) fail(`${url} is not a URL: paste the line of npm start with its quotes`)
const { origin, searchParams } = new URL(url)
// Finds the service by its port, because `npm start` and `npm run mainnet` may both be running.
const devnets = ['.devnet/devnet.json', '.devnet/mainnet/devnet.json'].flatMap((file) => readJson<DevnetJson>(file))
const devnet = devnets.find(({ apiUrl }) => new URL(apiUrl).port === new URL(origin).port)
if (!devnet) fail(`no service of this folder answers on ${origin}: run npm start or npm run mainnet first`)
const from = searchParams.get('from')?.toLowerCase()
const account = devnet.accounts.find(({ address }) => address.toLowerCase() === from)
if (!account) fail('from must be one of the accounts in .devnet/devnet.json, whose keys are known')

const provider = new JsonRpcProvider(devnet.rpcUrl, undefined, {
  staticNetwork: true,
  cacheTimeout: -1,
  pollingInterval: 100,
})
const wallet = new Wallet(account.privateKey, provider)

let route = await requestRoute(url)
if (route.src.toLowerCase() !== NATIVE) {
  const token = IERC20__factory.connect(route.src, wallet)
  const allowance = await token.allowance(account.address, route.tx.to)
  if (allowance < BigInt(route.fromAmount)) {
    // USDT and some other tokens change an allowance only to or from 0.
    if (allowance > 0n) await (await token.approve(route.tx.to, 0n)).wait()
    const approval = await token.approve(route.tx.to, route.fromAmount)
    await approval.wait()
    console.log(`approved ${route.tx.to} for ${route.fromAmount} of ${route.src}`)
    route = await requestRoute(url)
  }
}
const balanceBefore = await readBalance(route.dst)
const sentTransaction = await wallet.sendTransaction({
  to: route.tx.to,
  data: route.tx.data,
  value: BigInt(route.tx.value),
  gasLimit: (BigInt(route.gasEstimate) * 12n + 9n) / 10n,
})
const receipt = await sentTransaction.wait()
if (!receipt) fail('the transaction was dropped')
const feePaid = route.dst.toLowerCase() === NATIVE ? receipt.gasUsed * receipt.gasPrice : 0n
console.log(
  `transaction ${receipt.hash} in block ${receipt.blockNumber}, gas ${receipt.gasUsed} of ${route.gasEstimate} estimated`,
)
console.log(
  `promised ${route.toAmount}, received ${(await readBalance(route.dst)) - balanceBefore + feePaid} of ${route.dst}`,
)
provider.destroy()

type Route = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly toAmount: string
  readonly gasEstimate: string
  readonly tx: { readonly to: string; readonly data: string; readonly value: string }
}

async function requestRoute(swapUrl: string): Promise<Route> {
  const response = await fetch(swapUrl)
  const text = await response.text()
  if (!response.ok) fail(`the quote was refused with ${response.status}: ${text}`)
  return JSON.parse(text) as Route
}

function readBalance(token: string): Promise<bigint> {
  return token.toLowerCase() === NATIVE
    ? provider.getBalance(account!.address)
    : IERC20__factory.connect(token, provider).balanceOf(account!.address)
}

/** Returns the content of a JSON file as a list of one element; empty if the file cannot be read. */
function readJson<T>(file: string): T[] {
  try {
    return [JSON.parse(readFileSync(join(root, file), 'utf8')) as T]
  } catch {
    return []
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
