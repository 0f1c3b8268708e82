/** `npm run bench:api`: throughput and latency of the API beside its yardsticks, kept in bench/results/api.json. */
await import('../bench/api/api.ts')
