# Berth as an image, for every process of the Procfile: what runs is said where a container is started. `docker build -t berth .`
# test/long/image.test.ts carries these lines out by hand, in clean folders and as an ordinary user.
FROM node:24.11.1-bookworm-slim AS build
WORKDIR /berth
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24.11.1-bookworm-slim AS packages
WORKDIR /berth
COPY package.json package-lock.json ./
# TypeScript stays behind as a peer of a peer: a fifth of all that is there, and nothing runs it.
RUN npm ci --omit=dev --no-audit --no-fund && rm -r node_modules/typescript node_modules/@typescript

FROM node:24.11.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /berth
COPY --from=packages /berth/node_modules ./node_modules
COPY --from=build /berth/dist ./dist
COPY package.json Procfile command.mjs ./
# For a machine that has Postgres's programs: docs/backups.md says how they get there.
COPY deploy/backup ./deploy/backup
# Nothing of the above is theirs to write.
USER node
EXPOSE 3000
# Of a gateway; other processes listen to no port, and are started without.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/gateway/main.js"]
