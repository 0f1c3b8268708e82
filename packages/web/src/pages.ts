/** Titles and introductions of the pages. The build writes them into the HTML, so that they show before scripts run. */

export type PageText = {
  readonly path: string
  /** Label of the link in the navigation. */
  readonly name: string
  readonly heading: string
  /** Introduction below the heading. */
  readonly lede: string
}

export const pages = {
  swap: {
    path: '/',
    name: 'Swap',
    heading: 'Swap',
    lede: 'Sluice splits your order over the pools of a chain, runs the transaction on the latest block, and shows every pool before you sign. No fee, no account.',
  },
  explain: {
    path: '/app/explain',
    name: 'Explain',
    heading: 'Explain a transaction',
    lede: 'Paste what you are about to sign. Nothing is sent: it is read in this page, and each fact shows the bytes that prove it.',
  },
  simulate: {
    path: '/app/simulate',
    name: 'Simulate',
    heading: 'Simulate',
    lede: 'See what any swap transaction would do, of any router: it runs once on the current state, without funds, approvals, or keys.',
  },
  referee: {
    path: '/app/referee',
    name: 'Referee',
    heading: 'Referee',
    lede: 'How good was this swap? Any mined swap of any router, compared with the best route at the same state of the chain, and with a bound that no route over the known pools can beat.',
  },
  prices: {
    path: '/app/prices',
    name: 'Prices',
    heading: 'Prices and depth',
    lede: 'In US dollars, from the pools of this chain alone. A token without enough liquidity behind it has no price, never a guess.',
  },
  honesty: {
    path: '/app/honesty',
    name: 'Accuracy',
    heading: 'Quote accuracy',
    lede: 'We re-simulate quotes one and two blocks later. Negative: you would have received less than quoted.',
  },
  chains: {
    path: '/app/chains',
    name: 'Chains',
    heading: 'Chains',
    lede: 'The same Guard address on almost every chain. Not there yet? Anyone can deploy it.',
  },
  api: {
    path: '/app/api',
    name: 'API',
    heading: 'API',
    lede: 'No key, no registration. Parameters are pre-filled with working values; edit one and the code updates. Sending runs the request on this service.',
  },
} as const satisfies Readonly<Record<string, PageText>>

export type PageName = keyof typeof pages
