# The service alone: no sources, no tools, no development dependencies; configured by the environment (packages/api/src/config.ts).
# Runs as a user without rights on a read-only file system; only /data is written to.
# A tag, since no digest is kept up to date here. To pin it: --build-arg NODE_IMAGE=node:24-slim@sha256:<digest>
# (docker buildx imagetools inspect node:24-slim).
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# Not `npm ci`: see the traps in ARCHITECTURE.md.
RUN node scripts/bootstrap.mjs build && npm pack --workspace @sluice/server --pack-destination /tmp

FROM ${NODE_IMAGE} AS install
WORKDIR /app
COPY --from=build /tmp/sluice-server-*.tgz /tmp/
# The package's own lockfile, and no scripts of others; then what is in the image, as CycloneDX.
RUN tar -xzf /tmp/sluice-server-*.tgz --strip-components=1 \
 && npm pkg delete devDependencies scripts \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json \
 && mkdir /data

FROM ${NODE_IMAGE}
WORKDIR /app
# Metrics have a port of their own, which is not exposed: it is for the network of containers, not for callers.
ENV NODE_ENV=production PORT=3000 METRICS_PORT=9464 METRICS_HOST=0.0.0.0 DATA_DIR=/data
# The default of the service. `sluice-server` has a shorter one, for a terminal.
ENV SHUTDOWN_GRACE_MS=10000
COPY --from=install /app /app
COPY --from=install --chown=node:node /data /data
USER node
EXPOSE 3000
VOLUME /data
HEALTHCHECK CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/sluice-server.mjs"]
