/** The menu of the documentation site: its sections in order, and the pages of each section. */

type Section = {
  readonly title: string
  /** Path of each page's file in the repository, and the name of the page in the menu. */
  readonly pages: readonly (readonly [source: string, name: string])[]
}

/** All pages by section. The first page is the home page. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      ['docs/README.md', 'Overview'],
      ['docs/guides/start.md', 'First quote'],
      ['docs/mainnet.md', 'Real Ethereum, offline'],
      ['docs/glossary.md', 'Words and units'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['docs/guides/quote.md', 'Get a quote'],
      ['docs/guides/swap.md', 'Swap'],
      ['docs/guides/approve-and-permit.md', 'Approve and permit'],
      ['docs/guides/exact-output.md', 'Exact output'],
      ['docs/guides/streams.md', 'Streams'],
      ['docs/guides/smart-accounts.md', 'Smart accounts'],
      ['docs/guides/prices.md', 'Prices and depth'],
      ['docs/guides/simulate.md', 'Simulate'],
      ['docs/guides/verify.md', 'Verify a transaction'],
      ['docs/referee.md', 'Judge a mined swap'],
      ['docs/guides/errors-and-retries.md', 'Errors and retries'],
      ['docs/solver.md', 'Solvers and quoters'],
      ['docs/compatible.md', 'Shapes of other services'],
    ],
  },
  {
    title: 'Run',
    pages: [
      ['docs/run/self-host.md', 'Self-host'],
      ['docs/run/configuration.md', 'Configuration'],
      ['docs/commands.md', 'Commands'],
      ['docs/operations.md', 'Operations'],
      ['docs/understand/scaling.md', 'More than one process'],
      ['docs/scaling.md', 'Capacity'],
      ['docs/run/chains.md', 'Chains'],
      ['docs/adding-a-chain.md', 'Add a chain'],
    ],
  },
  {
    title: 'Understand',
    pages: [
      ['docs/understand/swap.md', 'How a swap runs'],
      ['docs/understand/quote.md', 'Life of a quote'],
      ['docs/understand/routing.md', 'Routing and its bound'],
      ['docs/certificates.md', 'Certificates'],
      ['docs/understand/simulation.md', 'Simulation'],
      ['docs/understand/guard.md', 'Guard and Executor'],
      ['docs/understand/trust.md', 'Trust'],
      ['docs/understand/accuracy.md', 'Accuracy'],
      ['docs/honesty.md', 'Accuracy: all figures'],
      ['docs/prices.md', 'Prices: all figures'],
      ['docs/shares.md', 'Prices of shares'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/api.md', 'Endpoints'],
      ['docs/errors.md', 'Error codes'],
      ['docs/dexes.md', 'DEX families'],
      ['docs/stability.md', 'API stability'],
      ['packages/client/README.md', 'TypeScript SDK'],
      ['packages/react/README.md', 'React hooks'],
      ['packages/mcp/README.md', 'MCP server'],
      ['packages/certificate/README.md', 'Certificate checker'],
      ['packages/program/FORMAT.md', 'Program format'],
      ['CHANGELOG.md', 'Changes'],
    ],
  },
  {
    title: 'Contribute',
    pages: [
      ['CONTRIBUTING.md', 'Contributing'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['docs/understand/modules.md', 'Modules'],
      ['SECURITY.md', 'Security'],
      ['contracts/README.md', 'Contracts'],
      ['packages/api/README.md', 'Package: api'],
      ['packages/bus/README.md', 'Package: bus'],
      ['packages/chains/README.md', 'Package: chains'],
      ['packages/devnet/README.md', 'Package: devnet'],
      ['packages/liquidity/README.md', 'Package: liquidity'],
      ['packages/pricing/README.md', 'Package: pricing'],
      ['packages/quoting/README.md', 'Package: quoting'],
      ['packages/routing/README.md', 'Package: routing'],
      ['packages/rpc/README.md', 'Package: rpc'],
      ['packages/server/README.md', 'Package: server'],
      ['packages/simulation/README.md', 'Package: simulation'],
      ['packages/solver/README.md', 'Package: solver'],
      ['packages/web/README.md', 'Package: web'],
    ],
  },
  {
    title: 'Decisions',
    pages: [
      ['docs/decisions/intermediates.md', 'Trust in pools and tokens'],
      ['docs/decisions/shared-knowledge.md', 'Limits of shared learning'],
      ['docs/decisions/measured-gas.md', 'Measured gas'],
      ['docs/decisions/pool-lists.md', 'Pool lists'],
      ['docs/decisions/sampled-pools.md', 'Sampled pools'],
      ['docs/decisions/failed-swaps.md', 'Failed swaps'],
      ['docs/decisions/preact.md', 'Preact'],
      ['docs/decisions/mcp.md', 'Tools for agents'],
      ['docs/decisions/solver.md', 'Solvers'],
      ['docs/decisions/recipient.md', 'Another recipient'],
      ['docs/decisions/docs-site.md', 'This site'],
      ['docs/decisions/no-remainder.md', 'No remainder in the Executor'],
    ],
  },
]
