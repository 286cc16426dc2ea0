// deploy/nginx/berth.conf before two gateways: what it lets through, and a gateway that hangs.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect } from 'chai'
import { findFreePort } from '../../local/tools/ports.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { type Child, startGatewayProcess } from '../support/processes.ts'
import { timed } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { startNginx } from './rolling-restart/nginx.ts'

const QUICK_MS_MAX = 12_000
const SLOW_MS_MAX = 45_000
// fail_timeout, and a moment.
const FAILED_MS = 1_500
const ROUNDS_MAX = 20

describe('nginx before two gateways', function () {
  this.timeout(300_000)
  const world = useWorld()
  const folder = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-nginx-')) }), {
    close: ({ path }) => rm(path, { recursive: true }),
  })
  const gateways = use(
    async () => {
      const ports = [await findFreePort(), await findFreePort()] as [number, number]
      const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, TRUST_PROXY: 'true' }
      const start = (port: number) => startGatewayProcess({ ...environment, PORT: String(port) })
      return { ports, all: (await Promise.all(ports.map(start))) as Child[] }
    },
    { close: ({ all }) => all.map((each) => each.kill('SIGKILL')) },
  )
  const nginx = use(() => startNginx(folder.path, gateways.ports), { close: (made) => made.stop() })

  // As it is written: fetch would tidy the path up.
  function ask(
    method: string,
    path: string,
    { token = '', body = '' } = {},
  ): Promise<{ status: number; text: string }> {
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    return new Promise((resolve, reject) => {
      const port = Number(new URL(nginx.url).port)
      const socket = connect({ host: '127.0.0.1', port, ca: readFileSync(nginx.authority) })
      let text = ''
      socket.setEncoding('utf8')
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', reject)
      socket.on('end', () => resolve({ status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), text }))
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    })
  }

  it('hides the endpoints of operators from the world, however their paths are written', async () => {
    for (const name of ['metrics', 'readyz', 'healthz'])
      for (const path of [
        `/${name}`,
        `/${name}/`,
        `//${name}`,
        `/${name.toUpperCase()}`,
        `/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
        `/api/../${name}`,
        `/api/%2e%2e/${name}/`,
        `/./${name}`,
        `/${name}?x`,
      ]) {
        const { status, text } = await ask('GET', path)
        expect([status, text.includes('nginx')], path).to.deep.equal([404, true])
      }
    for (const path of ['/api/docs', '/api/v1/openapi.json', '/dashboard/sign-in'])
      expect((await ask('GET', path)).status, path).to.equal(200)
  })

  it('answers reads by the other gateway if one hangs, and delays no write for a minute', async () => {
    const { token } = await world.client()
    const [hung] = gateways.all
    hung?.kill('SIGSTOP')
    try {
      const reads = await Promise.all(
        Array.from({ length: 10 }, () => timed(() => ask('GET', '/api/v1/groups', { token }))),
      )
      for (const { answer, tookMs } of reads) {
        expect(answer.status, answer.text).to.equal(200)
        expect(tookMs).to.be.below(QUICK_MS_MAX)
      }
      let unanswered = 0
      for (let round = 0; round < ROUNDS_MAX && unanswered === 0; round++) {
        // Until nginx asks it again.
        await wait(FAILED_MS)
        const slots = await Promise.all(Array.from({ length: 6 }, () => createSlot(world)))
        const writes = await Promise.all(
          slots.map((slot) =>
            timed(() => ask('POST', '/api/v1/bookings', { token, body: JSON.stringify(slot) })),
          ),
        )
        for (const { answer, tookMs } of writes) {
          expect(answer.status, answer.text).to.be.oneOf([200, 504])
          expect(tookMs).to.be.below(SLOW_MS_MAX)
          if (answer.status === 504) unanswered++
        }
      }
      expect(unanswered, 'sent to the gateway that hangs').to.be.above(0)
    } finally {
      hung?.kill('SIGCONT')
    }
  })
})
