/**
 * Texts of docs/dexes.md, by family: reasons why the service does not serve some DEX deployments (rows of the registry)
 * or some of their pools, and state of the served pools that changes without a log.
 */

/** Reason for pairs that swap at the price of an oracle. Their callers must name the output. */
const ORACLE_PAIR =
  'an oracle sets the price, and the caller must name the output, which no step of the Executor computes for such a pair'

/** Reasons why rows are not served, by family of the registry. */
export const REASONS: Readonly<Record<string, string>> = {
  'other-pair-amm': 'pairs with their own curve or fee',
  'balancer-v1': 'a fork without a registry that lists pools by pair',
  'prop-amm': 'disabled until drift measurements confirm the quotes of the venue',
  curve: 'unsupported kind of registry',
}

/**
 * Reasons why the rows of a DEX are not served, by brand. A brand is listed if its reason differs from that of its
 * family.
 */
export const REASONS_BY_BRAND: Readonly<Record<string, string>> = {
  'Antfarm Finance':
    'the fee is paid in another token than those of the pair (ATF), and no step of the Executor buys it',
  Brownfi: ORACLE_PAIR,
  'Brownfi V3': ORACLE_PAIR,
  Integral:
    "pairs accept swaps only from the trader that Integral's owner sets; no step of the Executor calls its relayer",
}

type ExcludedPools = { readonly pools: string; readonly why: string }

/** Reason for pools that cannot be quoted by math, and cannot be sampled either. */
const NEITHER_MATH_NOR_SAMPLES = 'unknown math; only pools of up to four tokens are sampled'

const EKUBO_EXCLUDED: ExcludedPools = {
  pools: 'pools whose extension accepts swaps only from itself',
  why: 'no step of the Executor calls it',
}
const CURVE_EXCLUDED: ExcludedPools = {
  pools:
    'of unknown implementations, those of more than four coins; of a pair with over 16 pools of a factory, all but the 16 deepest',
  why: `${NEITHER_MATH_NOR_SAMPLES}; anyone can create any number`,
}

/** Pools of served rows that the service leaves out, by family. Only families that leave out pools are listed. */
export const EXCLUDED: Readonly<Record<string, ExcludedPools>> = {
  algebra: { pools: 'pools of version 2', why: 'no genuine code to check against' },
  'algebra-integral': {
    pools: 'pools of custom deployers that the row does not name',
    why: 'their deployer can choose any plugin',
  },
  ambient: { pools: 'pools with an oracle that restricts trading', why: 'the creator chose the code of the oracle' },
  'balancer-v2': {
    pools: 'of other types than weighted and stable, those of more than four tokens',
    why: NEITHER_MATH_NOR_SAMPLES,
  },
  'balancer-v3': {
    pools: 'of unknown types or with a hook in swaps, those of more than four tokens',
    why: NEITHER_MATH_NOR_SAMPLES,
  },
  'caller-fee-v3': {
    pools: 'beyond the budget of a block, pools of less recently requested tokens',
    why: 'each sample costs the node a swap',
  },
  'curve-crypto': CURVE_EXCLUDED,
  'curve-stable': CURVE_EXCLUDED,
  'curve-llamma': {
    pools:
      'between the ends of a route, markets of LlamaLend; of a factory with over 256 markets, all but the 256 oldest; beyond the budget of a block, pools of less recently requested tokens',
    why: 'an oracle that anyone can choose moves the price without a trade, so they earn no trust; anyone can create any number; each sample costs the node a quote',
  },
  'dodo-v2': {
    pools: 'of a pair with over 8 pools of a factory in one order, all but the 8 deepest and 32 newer ones',
    why: 'anyone can create any number',
  },
  ekubo: EKUBO_EXCLUDED,
  'ekubo-v2': EKUBO_EXCLUDED,
  'euler-swap': {
    pools:
      'of a pair with over 16 pools, all but the 16 of the largest deposits, among the 64 oldest and the 64 newest, and 32 newer ones',
    why: 'anyone can create any number',
  },
  'kyber-classic': {
    pools: 'of a pair with over 16 pools, all but the 16 deepest and 32 newer ones',
    why: 'anyone can create any number',
  },
  'maverick-v2': {
    pools:
      'pools with an accessor; of a pair with over 16 pools, all but the 16 deepest when the service started; beyond the budget of a block, pools of less recently requested tokens',
    why: 'the accessor may change fees; anyone can create any number; each sample costs the node a swap',
  },
  'pancake-stable': { pools: 'killed pools', why: 'no swap is possible' },
  saddle: { pools: 'paused pools', why: 'no swap is possible' },
  solidly: { pools: 'pairs whose quotes no known fee reproduces', why: 'another kind of pair' },
  'syncswap-aqua': {
    pools:
      'pools of tokens whose balances are in unusual storage; beyond the budget of a block, pools of less recently requested tokens',
    why: 'overrides cannot give them to the lens; each sample costs the node a swap',
  },
  'uniswap-v4-hooks': {
    pools:
      'pools whose hook needs hook data or a known caller; beyond the budget of a block, pools of less recently requested tokens',
    why: 'no sample can be taken; each sample costs the node a swap',
  },
}

type SilentState = {
  /** State that is refreshed at every block. */
  readonly refreshed?: string
  /** State that is read only after a log that triggers a read of the pool, and at each audit. */
  readonly audited?: string
}

/** State that changes without a log that the market follows, by family. Only families with such state are listed. */
export const SILENT: Readonly<Record<string, SilentState>> = {
  'aave-gsm': { refreshed: 'all' },
  'aave-v3': { refreshed: 'all' },
  algebra: { refreshed: 'as of the version of the pool' },
  'algebra-integral': { refreshed: 'fee of a plugin' },
  'algebra-v1': { refreshed: 'price, fees' },
  ambient: { refreshed: 'all' },
  'balancer-v2': {
    refreshed: 'rates, weights and suspension of bootstrapping pools, amplification while it moves',
  },
  'balancer-v3': {
    refreshed: 'virtual balances of reCLAMM, shares of buffers, rates and yield fees, amplification while it moves',
  },
  'caller-fee-v3': { refreshed: 'samples' },
  'curve-crypto': {
    refreshed: 'A and gamma while they ramp',
    audited: 'pools that are killed, possible only in their first 60 days',
  },
  'curve-llamma': { refreshed: 'samples' },
  'curve-stable': {
    refreshed:
      'rates, A while it ramps, balances of lending pools, of rebasing coins of NG pools, and of all older pools',
    audited: 'not detected: older pools that are killed, possible only in their first 60 days',
  },
  'dodo-v2': { refreshed: 'all' },
  echodex: { refreshed: 'fee token of the factory' },
  ekubo: { refreshed: 'price, liquidity in range' },
  'ekubo-v2': { refreshed: 'price, liquidity in range' },
  erc4626: { refreshed: 'all' },
  'euler-swap': { refreshed: 'all' },
  'fluid-dex': { refreshed: 'all' },
  'kyber-classic': { refreshed: 'all' },
  'liquidity-book': { refreshed: 'volatility, by the time of the block and without a read' },
  'lite-psm': { refreshed: 'all' },
  'maverick-v2': { refreshed: 'samples' },
  'pancake-stable': { refreshed: 'A' },
  'prop-amm': { refreshed: 'samples' },
  psm3: { refreshed: 'all' },
  'ramses-cl': { refreshed: 'fee' },
  'rate-wrapper': { refreshed: 'all' },
  saddle: { refreshed: 'A while it ramps, price of the share in metapools' },
  slipstream: { refreshed: 'fee' },
  solidly: {
    refreshed: 'fee that a factory or its owner sets',
    audited: 'not detected: pause of a factory, which pairs of some forks ignore',
  },
  syncswap: { refreshed: 'fees' },
  'syncswap-aqua': { refreshed: 'samples' },
  'uniswap-v2': { audited: 'not detected: the fee of forks whose fee the row only assumes, which is measured once' },
  'uniswap-v4': { refreshed: 'fee that a hook sets' },
  'uniswap-v4-hooks': { refreshed: 'samples' },
  'velodrome-v2': { refreshed: 'fee, pause' },
  'woofi-v2': { refreshed: 'all' },
}
