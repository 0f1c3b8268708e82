/**
 * `npm run bench:router [-- <peer.mjs>…]`: routes side by side with other routers, by an evaluator of their own; the figures
 * are printed and kept in bench/results/router.json.
 */
await import('../bench/router/bench.ts')
