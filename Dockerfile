# The API alone; configured by the environment (packages/api/src/config.ts).
FROM node:24-slim AS build
WORKDIR /app
COPY . .
# Not `npm ci`: see the traps in ARCHITECTURE.md.
RUN node scripts/bootstrap.mjs build

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production PORT=3000
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/api/src/main.ts"]
