// A quote, the calls of a swap, and a stream of quotes, with fetch only. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT, and FROM.
const { BASE_URL, CHAIN, SRC, DST, AMOUNT, FROM } = process.env

/** Returns the response as JSON. The errors that it throws contain the cure. */
async function get(path, query) {
  const response = await fetch(`${BASE_URL}${path}/${CHAIN}?${new URLSearchParams(query)}`)
  const body = await response.json()
  if (response.ok) return body
  const retryAfter = response.headers.get('retry-after')
  throw new Error(`${body.code}: ${body.error} ${body.cure}${retryAfter ? ` (in ${retryAfter} s)` : ''}`)
}

const request = { src: SRC, dst: DST, amount: AMOUNT }
// For a swap form before a wallet is connected.
const { toAmount } = await get('/quote', request)
// For wallet_sendCalls or a smart account: the approvals that are missing, and the swap.
const { calls, minToAmount } = await get('/aggregator', { ...request, from: FROM, calls: '1' })
console.log(JSON.stringify({ toAmount, minToAmount, calls: calls.length }))

// One event for each block that changes the quote. In browsers, use EventSource.
const stream = await fetch(`${BASE_URL}/stream/${CHAIN}?${new URLSearchParams(request)}`)
for await (const text of stream.body.pipeThrough(new TextDecoderStream())) {
  if (text.startsWith(':')) continue
  const [, event, data] = /^event: (\w+)\n(?:id: \d+\n)?data: (.*)/.exec(text)
  console.log(JSON.stringify({ event, toAmount: JSON.parse(data).toAmount }))
  break
}
