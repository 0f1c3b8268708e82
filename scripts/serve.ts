/** `npm run serve`: the API alone, for the chains of `deployments/`, configured by the environment (packages/api/src/config.ts). */

await import('@sluice/api/main')
