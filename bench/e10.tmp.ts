// Ten public reports tried on the running service.
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeProxy, startDevnet, request } from '@sluice/devnet'
import { devnetDir, serviceEnv, startService } from '@sluice/system-test/service'
import { get, swapUrl } from '@sluice/system-test/swap'
const only = process.argv[2]
const devnet = await startDevnet({ dir: devnetDir })
const { WETH, USDC } = devnet.info.tokens
const id = devnet.chainId
const query = { src: WETH!.address, dst: USDC!.address, amount: 10n ** 18n, from: devnet.info.accounts[0]!.address }
type Set = (node: NodeProxy) => void
async function trial(name: string, set: Set, { second, env = {}, after }: { second?: Set; env?: Record<string,string>; after?: (url: string, node: NodeProxy) => Promise<unknown> } = {}) {
  if (only && !name.startsWith(only)) return
  const nodes = [await NodeProxy.start(devnet.url), ...(second ? [await NodeProxy.start(devnet.url)] : [])]
  set(nodes[0]!); second?.(nodes[1]!)
  const service = await startService({ ...serviceEnv(devnet), [`RPC_URL_${id}`]: nodes.map((n) => n.url).join(','), DATA_DIR: '', CHAINS: String(id), REQUEST_TIMEOUT_MS: '60000', ...env })
  const times: number[] = []; const statuses: number[] = []; let to = ''
  for (let k = 0; k < 4; k++) {
    const t = performance.now()
    const { status, body } = await get<{ toAmount?: string }>(swapUrl(service.url, id, { ...query, amount: query.amount + BigInt(k) }))
    times.push(Math.round(performance.now() - t)); statuses.push(status); to = body.toAmount ?? JSON.stringify(body).slice(0, 120)
    await sleep(500)
  }
  let ready: any
  for (let k = 0; k < 200; k++) { ready = (await get<any>(`${service.url}/ready/${id}`)).body; if (['done', 'failing'].includes(ready.scan?.state)) break; await sleep(200) }
  await sleep(1000); ready = (await get<any>(`${service.url}/ready/${id}`)).body
  const extra = after ? await after(service.url, nodes[0]!) : undefined
  const logs = nodes[0]!.seen.filter((m) => m === 'eth_getLogs').length
  console.log(JSON.stringify({ name, statuses, times, to, pools: ready.pools, scan: ready.scan?.state, reason: ready.scan?.reason, perCall: ready.scan?.blocksPerCall, calls: nodes.map((n) => n.seen.length), getLogs: logs, extra }))
  await service.stop(); for (const n of nodes) await n.stop()
}
const err = (code: number, message: string) => ({ error: { code, message } })
const span = (p: any) => Number(p.toBlock) - Number(p.fromBlock) + 1
const hex = (n: number) => `0x${n.toString(16)}`
await trial('00 plain', () => {})
await trial('01 graph-node#776: more than 1000 results', (n) => { n.answer = ({ method, params }) => method === 'eth_getLogs' && (params[0] as any).fromBlock && span(params[0]) > 20 ? err(-32005, 'query returned more than 1000 results') : undefined })
await trial('02 reth#23810: retry with the same range', (n) => { n.answer = ({ method, params }) => { const p = params[0] as any; return method === 'eth_getLogs' && p.fromBlock && span(p) > 15 ? err(-32602, `query exceeds max results 20000, retry with the range ${Number(p.fromBlock)}-${Number(p.toBlock)}`) : undefined } })
await trial('03 zksync-era#3412: suggested range refused too', (n) => { n.answer = ({ method, params }) => { const p = params[0] as any; if (method !== 'eth_getLogs' || !p.fromBlock || span(p) <= 12) return undefined; return span(p) > 60 ? err(-32602, `Query returned more than 10000 results. Try with this block range [${p.fromBlock}, ${hex(Number(p.fromBlock) + 59)}].`) : err(-32008, 'Response is too big') } })
await trial('04 infura#237: range exceeds limit', (n) => { n.answer = ({ method, params }) => { const p = params[0] as any; return method === 'eth_getLogs' && p.fromBlock && span(p) > 10 ? err(-32602, `range ${span(p)} exceeds limit of 10`) : undefined } })
let k5 = 0
await trial('05 antseed#841: -32016 over rate limit in a 200 body, second endpoint healthy', (n) => { n.answer = ({ method }) => (method === 'eth_chainId' || k5++ % 4 === 0 ? undefined : err(-32016, 'over rate limit')) }, { second: () => {} })
await trial('05b the same, the only endpoint', (n) => { let k = 0; n.answer = () => (k++ % 3 !== 0 ? undefined : err(-32016, 'over rate limit')) })
await trial('06 arc-node#207: 429 with -32011', (n) => { let k = 0; n.fault = () => (k++ % 3 === 2 ? { status: 429, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32011, message: 'request limit reached' } }), headers: { 'content-type': 'application/json' } } : undefined) })
await trial('07 kyberswap-interface#3373: the first endpoint hangs', (n) => { n.fault = () => 'hang' }, { second: () => {} })
await trial('08 rolling-shutter#459, geth#26098: logs of the newest block come late as []', (n) => {
  const since = new Map<string, number>()
  n.answer = ({ method, params }) => { const h = (params[0] as any)?.blockHash; if (method !== 'eth_getLogs' || !h) return undefined; const t = since.get(h) ?? Date.now(); since.set(h, t); return Date.now() - t < 1500 ? { result: [] } : undefined } },
  { after: async (url, node) => {
    // a swap through the pair, by the returned transaction
    const { body } = await get<any>(swapUrl(url, id, { ...query, src: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }))
    await request(devnet.url, 'eth_sendTransaction', [{ from: query.from, to: body.tx.to, data: body.tx.data, value: hex(Number(body.tx.value)), gas: hex(3_000_000) }])
    const out: string[] = []
    for (let k = 0; k < 8; k++) { await request(devnet.url, 'evm_mine', []); await sleep(700); const { status, body } = await get<any>(swapUrl(url, id, query)); out.push(`${status}:${body.toAmount}`) }
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return { out: [...new Set(out)], repaired: metrics.match(/sluice_audited_pools\{[^}]*repaired[^}]*\} (\S+)/)?.[1] }
  } })
await trial('09 cow services#547: a backend lacks the block now and then', (n) => { let k = 0; n.answer = ({ method }) => (method === 'eth_call' && k++ % 3 === 1 ? err(-32000, 'header not found') : undefined) })
await trial('10 cow services#1130: fetching of liquidity by logs fails wholly', (n) => { n.answer = ({ method }) => (method === 'eth_getLogs' ? err(-32601, 'the method eth_getLogs does not exist/is not available') : undefined) })
await trial('11 smart-order-router#10, #80: eth_call gas cap of 50M', (n) => { n.answer = ({ method, params }) => { const g = Number((params[0] as any)?.gas ?? 50e6); return method === 'eth_call' && g > 50e6 ? err(-32000, 'eth_call gas limit exceeded') : undefined } })
await trial('12 ethers#3194: a batch answered in another order', (n) => { n.rewrite = (a) => [...a].reverse() })
await trial('13 v3-sdk#135: gas price is not supported', (n) => { n.answer = ({ method }) => (/gasPrice|feeHistory|maxPriority/.test(method) ? err(-32601, 'Method not found') : undefined) })
let k14 = 0
await trial('14 ithaca relay#1124: eth_call of a backend that is a block behind', (n) => { n.answer = async ({ method, params }) => (method === 'eth_call' && params[1] === 'latest' && k14++ % 2 ? { result: await request(devnet.url, 'eth_call', [params[0], hex(Number(await request<string>(devnet.url, 'eth_blockNumber', [])) - 1), ...params.slice(2)]).catch(() => '0x') } : undefined) })
await devnet.stop(); process.exit()
