// Tests streams of long listings: for slow readers, readers that stop or disconnect, and several readers at
// the same time. An incomplete response never looks complete.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { grantGateway } from '../../../../shared/database/grants.ts'
import { createManyBookings } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { eventually, openAnswer, readAll, readSlowly } from '../../../support/http/reading.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { promised } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'
// About 65 MB, more than the socket buffers can hold: Linux lets them grow to 37 MB.
const BOOKING_COUNT = 25_000
// A range of 4,000 bookings, which is also streamed but takes only a moment.
const SHORT_RANGE_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-02T01:06:40Z'
const SHORT_RANGE_BOOKING_COUNT = 4_000
const ATTRIBUTES = { extensionAttribute1: 'x'.repeat(1_000), extensionAttribute2: 'y'.repeat(1_000) }
const IDLE_MS = 1_500

type Backend = { pid: number; usename: string; state: string }

describe('long listings', function suite() {
  this.timeout(120_000)
  const cutOff: string[] = []
  const world = useWorld({
    workers: [],
    onLog: (line) => line.includes('"cutOff":true') && cutOff.push(line),
    environment: { STREAM_CONNECTIONS_MAX: '2', STREAM_IDLE_MS: String(IDLE_MS) },
  })
  const client = useClient(world, 'read')
  const other = useClient(world, 'read')
  const third = useClient(world, 'read')
  // A gateway with a long timeout for idle readers: on a busy machine a slow reader may look idle.
  const patient = useWith(world, () => world.startGateway({ STREAM_IDLE_MS: '60000' }))
  const patiently = ({ token }: Client) => new Client(patient.url, token)
  let office: Office
  let path: string
  before(async () => {
    office = await createOffice(world.database)
    await world.database('users').update({ extension_attributes: ATTRIBUTES })
    const row = { bookable_id: office.home.id, user_id: office.user.id }
    await createManyBookings(world.database, { ...row, number: BOOKING_COUNT })
    path = `bookings?${WEEK_QUERY}`
  })

  const backends = async () => {
    const { rows } = await world.database.raw<{ rows: Backend[] }>(
      `SELECT pid, usename, state FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'berth-streams' AND state <> 'idle'`,
    )
    return rows
  }
  const noneAtWork = (withinMs = IDLE_MS + 3_000) =>
    eventually(backends, (rows) => rows.length === 0, promised(withinMs))
  const expectServed = async (by = client) =>
    expect(idsIn(await readAll(await openAnswer(by, `bookings?${SHORT_RANGE_QUERY}`)))).to.have.length(
      SHORT_RANGE_BOOKING_COUNT,
    )
  const idsIn = (text: string) => JSON.parse(text).data.map(({ id }: { id: number }) => id)

  afterEach('leave no connection at work', () => noneAtWork())

  it('contain every item in order', async () => {
    const answer = await openAnswer(client, path)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    const ids = idsIn(await readAll(answer))
    expect(ids).to.deep.equal(await world.database('bookings').orderByRaw('lower(during), id').pluck('id'))
  })

  it('are complete even if the reader takes longer than the statement timeout', async () => {
    const answer = await openAnswer(patiently(client), path)
    const reading = readSlowly(answer, 2_500)
    await new Promise((resolve) => setTimeout(resolve, 2_300))
    expect(await backends(), 'still at it').to.have.length(1)
    expect(idsIn(await reading)).to.have.length(BOOKING_COUNT)
  })

  it('are cut off if the client stops reading', async () => {
    const answer = await openAnswer(client, path)
    await noneAtWork()
    const cut = await readAll(answer).catch((error) => error)
    expect(cut)
      .to.be.an('error')
      .with.property('message')
      .match(/cut off|ECONNRESET/)
  })

  it('free their database connection whenever the client disconnects', async () => {
    const leaver = patiently(client)
    for (let round = 0; round < 6; round++) {
      const answer = await openAnswer(leaver, path)
      if (round % 2) await once(answer.socket, 'readable')
      answer.socket.destroy()
      await noneAtWork(1_000)
    }
    // Disconnects before the response begins.
    await Promise.all(
      [1, 5, 10, 20, 40, 60].map(async (ms) => {
        const leaving = AbortSignal.timeout(ms)
        await fetch(`${patient.url}/api/v1/${path}`, {
          headers: { Authorization: `Bearer ${client.token}` },
          signal: leaving,
        })
          .then((response) => response.text())
          .catch(() => undefined)
      }),
    )
    await noneAtWork(1_000)
    await expectServed(leaver)
  })

  it('free their database connection after a HEAD request', async () => {
    for (let round = 0; round < 4; round++) {
      const head = await client.ask(path, { method: 'HEAD' })
      expect([head.status, head.text]).to.deep.equal([200, ''])
    }
    await expectServed()
  })

  it('serve several readers at the same time; one more reader gets 503, and short listings continue', async () => {
    const refused = new AbortController()
    const refusal = once(refused.signal, 'abort')
    const readers: Promise<string>[] = []
    for (const each of [client, other])
      readers.push(readSlowly(await openAnswer(patiently(each), path), refusal))
    const last = patiently(third)
    const [more, short] = await Promise.all([last.get(path), last.get(`${path}&limit=2`)])
    refused.abort()
    expect(short.status).to.equal(200)
    expect([more.status, more.json.code]).to.deep.equal([503, 'unavailable'])
    expect(more.json.detail).to.equal(
      'Too many long listings are being read. Try again shortly, or request pages with “limit”.',
    )
    expect(Number(more.headers.get('Retry-After'))).to.be.greaterThan(0)
    for (const text of await Promise.all(readers)) expect(idsIn(text)).to.have.length(BOOKING_COUNT)
  })

  it('give one token at most half of the slots, so that a stalled client blocks no other token', async () => {
    const stalled = await Promise.all([1, 2, 3, 4].map(() => openAnswer(client, path)))
    expect(stalled.map(({ status }) => status)).to.have.members([200, 429, 429, 429])
    const refused = stalled.find(({ status }) => status === 429)
    expect(refused?.headers.get('Retry-After')).to.equal('2')
    expect(String(refused?.begun)).to.include('This token is reading too many long listings at once.')
    const answer = await openAnswer(other, path)
    expect(answer.status).to.equal(200)
    for (const { socket } of [...stalled, answer]) socket.destroy()
    await noneAtWork()
    const again = await openAnswer(client, path)
    expect(again.status).to.equal(200)
    again.socket.destroy()
  })

  it('are cut off if the client takes too long in total, even if it reads steadily', async () => {
    const gateway = await world.startGateway({ STREAM_MS_MAX: '600' })
    const answer = await openAnswer(new Client(gateway.url, client.token), path)
    const cut = await readSlowly(answer, 5_000).catch((error) => error)
    expect(cut)
      .to.be.an('error')
      .with.property('message')
      .match(/cut off|ECONNRESET/)
  })

  describe('long listings that wait for a connection', () => {
    // Starts a request that pauses between its two statements until `go` is called.
    async function beginWaiting<Begun>(begin: (gateway: Client) => Begun) {
      const gateway = await world.startGateway({ STREAM_CONNECTIONS_MAX: '1' })
      const ahead = await openAnswer(new Client(gateway.url, client.token), path)
      const begunAt = (await world.database.raw('SELECT clock_timestamp() AS now')).rows[0].now
      const begun = begin(new Client(gateway.url, other.token))
      await eventually(
        () =>
          world.database
            .raw<{ rows: object[] }>(
              `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
                 AND application_name = 'berth-gateway' AND query LIKE '%WITH known AS%' AND query_start > ?`,
              [begunAt],
            )
            .then(({ rows }) => rows),
        (rows) => rows.length > 0,
      )
      return { begun, go: () => ahead.socket.destroy() }
    }

    it('show one snapshot, in which a booking that moves during the read appears once', async () => {
      // Finds the last booking first, because a request does not wait long for a connection.
      const [last] = await world.database('bookings').orderByRaw('lower(during) DESC, id DESC').limit(1)
      const { begun, go } = await beginWaiting((gateway) => openAnswer(gateway, path))
      const toTheFront = "tstzrange('2026-03-01T23:00:00Z', '2026-03-02T01:00:00Z')"
      await world.database.raw(`UPDATE bookings SET during = ${toTheFront} WHERE id = ?`, [last.id])
      go()
      const ids = idsIn(await readAll(await begun))
      expect([ids.length, ids.filter((id: number) => id === last.id).length]).to.deep.equal([
        BOOKING_COUNT,
        1,
      ])
    })
  })

  it('short responses are also cut off if the client does not read', async () => {
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(1_000))
    const cutHere = async () => cutOff.filter((line) => line.includes('openapi.json'))
    await eventually(cutHere, (lines) => lines.length > 0, promised(8_000)).finally(() => socket.destroy())
  })

  it('end the connection if they fail in the middle', async () => {
    const answer = await openAnswer(client, path)
    const [backend] = await eventually(backends, (rows) => rows.length > 0)
    await world.database.raw('SELECT pg_terminate_backend(?)', [backend?.pid ?? 0])
    const broken = await readAll(answer).catch((error) => error)
    expect(broken)
      .to.be.an('error')
      .with.property('message')
      .match(/cut off|ECONNRESET/)
    await expectServed()
  })

  it('use the gateway’s own database role if one is set', async () => {
    const role = `gateway_${randomBytes(4).toString('hex')}`
    await grantGateway(world.database, role, 'secret')
    const address = new URL(world.databaseUrl)
    address.username = role
    address.password = 'secret'
    const gateway = await world.startGateway({ GATEWAY_DATABASE_URL: address.href })
    const answer = await openAnswer(new Client(gateway.url, client.token), path)
    const [backend] = await eventually(backends, (rows) => rows.length > 0)
    expect(backend?.usename).to.equal(role)
    answer.socket.destroy()
    await noneAtWork()
  })
})
