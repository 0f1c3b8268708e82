// A price, the calls of a swap, and quotes kept up to date, by fetch alone. Needs BASE_URL, CHAIN, SRC, DST, AMOUNT and FROM.
const { BASE_URL, CHAIN, SRC, DST, AMOUNT, FROM } = process.env

/** The answer as JSON. Errors say what to do about them. */
async function ask(path, query) {
  const answer = await fetch(`${BASE_URL}${path}/${CHAIN}?${new URLSearchParams(query)}`)
  const body = await answer.json()
  if (answer.ok) return body
  const again = answer.headers.get('retry-after')
  throw new Error(`${body.code}: ${body.error} ${body.cure}${again ? ` (in ${again} s)` : ''}`)
}

const request = { src: SRC, dst: DST, amount: AMOUNT }
// For the input field of a form: nobody has connected a wallet yet.
const { toAmount } = await ask('/quote', request)
// For wallet_sendCalls or a smart account: approvals, as far as they are needed, and the swap.
const { calls, minToAmount } = await ask('/aggregator', { ...request, from: FROM, calls: '1' })
console.log(JSON.stringify({ toAmount, minToAmount, calls: calls.length }))

// An event whenever a block changes the answer. Browsers have EventSource for this.
const stream = await fetch(`${BASE_URL}/stream/${CHAIN}?${new URLSearchParams(request)}`)
for await (const text of stream.body.pipeThrough(new TextDecoderStream())) {
  if (text.startsWith(':')) continue
  const [, event, data] = /^event: (\w+)\n(?:id: \d+\n)?data: (.*)/.exec(text)
  console.log(JSON.stringify({ event, toAmount: JSON.parse(data).toAmount }))
  break
}
