/** `npm run bench:soak -- [minutes] [requests per second]`: memory under mixed load, kept in bench/results/soak.json. */
await import('../bench/api/soak.ts')
