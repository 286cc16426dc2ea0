# The image for every process of the Procfile, which the container's command selects: `docker build -t berth .`
# test/long/image.test.ts executes these lines by hand, in clean folders and as an ordinary user.
FROM node:24.11.1-bookworm-slim AS build
WORKDIR /berth
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24.11.1-bookworm-slim AS packages
WORKDIR /berth
COPY package.json package-lock.json ./
# TypeScript remains as a peer of a peer dependency: a fifth of the total, and nothing runs it.
RUN npm ci --omit=dev --no-audit --no-fund && rm -r node_modules/typescript node_modules/@typescript

FROM node:24.11.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /berth
COPY --from=packages /berth/node_modules ./node_modules
COPY --from=build /berth/dist ./dist
COPY package.json Procfile command.mjs ./
# For a machine with Postgres's programs: docs/backups.md explains how to copy them.
COPY deploy/backup ./deploy/backup
# The process cannot write to any of the files above.
USER node
EXPOSE 3000
# For a gateway. Other processes listen on no port, and run without it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/gateway/main.js"]
