// Tests reads with a streaming replica: callers see their own writes, even if the replica fails or lags.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../../../shared/database/database.ts'
import { migrateUp } from '../../../../shared/database/migrations.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { withDatabaseName } from '../../../support/databases.ts'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import { ReplicatedPostgres } from '../../../support/faults/replica.ts'
import { parseMetrics, sumMetrics } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { openRedis } from '../../../support/redis.ts'
import { eventually } from '../../../support/time.ts'
import { use } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('reads with a streaming replica', function suite() {
  this.timeout(180_000)
  const postgres = use(() => ReplicatedPostgres.start(), { close: (made) => made.stop() })
  const world = useWorld(() => ({
    databaseUrl: postgres.url,
    workers: ['writes', 'imports'],
    environment: { DATABASE_READ_URL: postgres.replicaUrl, REPLICA_LAG_MS_MAX: '3600000' },
  }))
  const writer = useClient(world)
  /** A client whose token never writes. */
  const reader = useClient(world, 'read')
  const browser = useSignedIn(world)

  const figureOf = async (name: string, labels = {}, url = world.url) =>
    sumMetrics(parseMetrics((await new Client(url).get('/metrics')).text), name, labels)
  const answeredByReplica = () => figureOf('berth_reads_total', { server: 'replica' })
  const problemOf = async (url: string) => {
    const { status, json } = await new Client(url).get('/readyz')
    // The gateway stays ready although the replica is down.
    expect(status).to.equal(200)
    return json.replica.ok ? undefined : json.replica.detail
  }
  const usable = (url = world.url) => eventually(async () => expect(await problemOf(url)).to.equal(undefined))

  async function book(client = writer) {
    const desk = await createDesk(world.database)
    const booked = await client.post('bookings', { ...desk, to_time: hoursFromNow(2) })
    expect(booked.status).to.equal(200)
    return { bookableId: desk.bookable_id, id: booked.json.data[0].id as number }
  }

  async function bookingsOf(client: Client, bookableId: number): Promise<number[] | number> {
    const range = `from=${hoursFromNow(-1)}&to=${hoursFromNow(4)}`
    const { status, json } = await client.get(`bookables/${bookableId}/bookings?${range}`)
    return status === 200 ? json.data.map(({ id }: { id: number }) => id) : status
  }

  /** Clears Redis, and waits until every client has reconnected. */
  async function loseRedis() {
    const redis = openRedis(world.config)
    const countClients = async () =>
      String(await redis.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n').length
    const clients = await countClients()
    await redis.flushdb()
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal')
    await eventually(async () => expect(await countClients()).to.be.at.least(clients))
    redis.disconnect()
  }

  /** Creates a desk, and waits until the reader sees it. */
  async function createReplicatedDesk() {
    const desk = await createDesk(world.database)
    await eventually(async () => expect(await bookingsOf(reader, desk.bookable_id)).to.deep.equal([]))
    return desk
  }

  beforeEach(() => usable())
  afterEach(() => postgres.resumeReplay())

  it('use the replica once it has the caller’s writes', async () => {
    const { bookableId, id } = await book()
    await eventually(async () => {
      const before = await answeredByReplica()
      expect(await bookingsOf(writer, bookableId)).to.deep.equal([id])
      expect(await answeredByReplica()).to.equal(before + 1)
    })
  })

  it('see the caller’s last write even if the replica lacks it', async () => {
    const desk = await createReplicatedDesk()
    await postgres.pauseReplay()
    const { json } = await writer.post('bookings', { ...desk, to_time: hoursFromNow(2) })
    const [{ id }] = json.data
    expect(await bookingsOf(writer, desk.bookable_id)).to.deep.equal([id])
    // If this machine is so busy that the replica counts as down, the primary answers for a moment.
    await eventually(async () =>
      expect(
        await bookingsOf(reader, desk.bookable_id),
        'the replica, for whoever never writes',
      ).to.deep.equal([]),
    )
    await postgres.resumeReplay()
    await eventually(async () => expect(await bookingsOf(reader, desk.bookable_id)).to.deep.equal([id]))
  })

  it('see the caller’s last write in every process of the gateway', async () => {
    const other = await world.startGateway()
    await usable(other.url)
    await postgres.pauseReplay()
    const { bookableId, id } = await book()
    expect(await bookingsOf(new Client(other.url, writer.token), bookableId)).to.deep.equal([id])
  })

  it('see the caller’s last write even after Redis has lost its data', async () => {
    const other = await world.startGateway()
    await usable(other.url)
    await postgres.pauseReplay()
    const { bookableId, id } = await book()
    await loseRedis()
    await eventually(async () =>
      expect((await new Client(other.url).get('/readyz')).json.redis.ok).to.equal(true),
    )
    expect(await bookingsOf(new Client(other.url, writer.token), bookableId)).to.deep.equal([id])
  })

  it('see the changes of an accepted import as soon as its job is reported as done', async () => {
    await postgres.pauseReplay()
    const accepted = await writer.import('email,name\nada@example.com,Ada\n', {}, { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    const job = `jobs/${accepted.headers.get('Location')?.split('/').at(-1)}`
    await eventually(async () => expect((await writer.get(job)).json.data.state).to.equal('done'))
    expect((await writer.get('users/by-email/ada@example.com')).status).to.equal(200)
  })

  it('show an administrator’s changes on the dashboard immediately, and keep showing them', async () => {
    await postgres.pauseReplay()
    await browser.open('/dashboard/places/buildings/new')
    await browser.submit('Create building', { name: 'Lighthouse', address: '', timezone: 'Europe/Berlin' })
    for (let look = 0; look < 2; look++) {
      const { text } = await browser.open('/dashboard/places')
      expect(text).to.include('Lighthouse')
    }
  })

  it('wait a short time for the replica to catch up', async () => {
    const patient = await world.startGateway({ REPLICA_WAIT_MS: '60000' })
    await usable(patient.url)
    const client = new Client(patient.url, writer.token)
    // If this machine is so busy that the replica counts as down, the reads do not wait for the replica.
    await eventually(async () => {
      await postgres.pauseReplay()
      const { bookableId, id } = await book(client)
      let isAnswered = false
      const read = bookingsOf(client, bookableId).finally(() => {
        isAnswered = true
      })
      await wait(100)
      const hasWaited = !isAnswered
      const before = await figureOf('berth_reads_total', { server: 'replica' }, patient.url)
      await postgres.resumeReplay()
      expect(await read).to.deep.equal([id])
      expect(hasWaited).to.equal(true)
      expect(await figureOf('berth_reads_total', { server: 'replica' }, patient.url)).to.equal(before + 1)
    })
  })

  it('use the primary while the replica lags too far behind', async () => {
    const strict = await world.startGateway({ REPLICA_LAG_MS_MAX: '100' })
    await usable(strict.url)
    const client = new Client(strict.url, reader.token)
    const desk = await createReplicatedDesk()
    await postgres.pauseReplay()
    const { json } = await writer.post('bookings', { ...desk, to_time: hoursFromNow(2) })
    await eventually(async () =>
      expect(await problemOf(strict.url)).to.match(
        /^The replica is \d+\.\d s behind\. Reads go to the primary\.$/,
      ),
    )
    expect(await bookingsOf(client, desk.bookable_id)).to.deep.equal([json.data[0].id])
    expect(await figureOf('berth_replica_up', {}, strict.url)).to.equal(0)
    await eventually(async () =>
      expect(await figureOf('berth_replica_lag_seconds', {}, strict.url)).to.be.above(0.1),
    )
    await postgres.resumeReplay()
    // With such a low limit, a busy machine may make the replica count as up and down in turn.
    await eventually(async () => expect(await figureOf('berth_replica_up', {}, strict.url)).to.equal(1))
  })

  it('use the primary while the replica is down, and return to the replica afterwards', async () => {
    const { bookableId, id } = await book()
    await postgres.killReplica()
    // The first read already notices that the replica is down.
    for (let read = 0; read < 20; read++) expect(await bookingsOf(reader, bookableId)).to.deep.equal([id])
    await eventually(async () =>
      expect(await problemOf(world.url)).to.equal('The replica is not responding. Reads go to the primary.'),
    )
    await postgres.restartReplica()
    await usable()
    await eventually(async () => {
      const before = await answeredByReplica()
      expect(await bookingsOf(writer, bookableId)).to.deep.equal([id])
      expect(await answeredByReplica()).to.equal(before + 1)
    })
  })

  it('never use a replica of another database, or one that refuses the gateway’s connection', async () => {
    const otherUrl = withDatabaseName(postgres.url, 'other')
    const primary = connectDatabase(postgres.url)
    await primary.raw('CREATE DATABASE other')
    await primary.destroy()
    const other = connectDatabase(otherUrl)
    await migrateUp(other)
    await other.destroy()
    const password = new URL(postgres.replicaUrl)
    password.password = 'wrong'
    const { bookableId, id } = await book()
    const wrong: Array<[url: string, detail: string]> = [
      [withDatabaseName(postgres.replicaUrl, 'other'), 'DATABASE_READ_URL leads to another database.'],
      [withDatabaseName(postgres.replicaUrl, 'postgres'), 'The replica does not have the tables of Berth.'],
      [password.href, 'The replica refuses the password.'],
    ]
    for (const [url, detail] of wrong) {
      const gateway = await world.startGateway({ DATABASE_READ_URL: url })
      await eventually(async () =>
        expect(await problemOf(gateway.url)).to.equal(`${detail} Reads go to the primary.`),
      )
      expect(await bookingsOf(new Client(gateway.url, reader.token), bookableId)).to.deep.equal([id])
      expect(await figureOf('berth_reads_total', { server: 'replica' }, gateway.url)).to.equal(0)
    }
  })

  it('never use a replica that has been promoted to a primary', async () => {
    await postgres.promoteReplica()
    await eventually(async () =>
      expect(await problemOf(world.url)).to.equal(
        'DATABASE_READ_URL leads to a server that is no replica. Reads go to the primary.',
      ),
    )
    const { bookableId, id } = await book()
    expect(await bookingsOf(reader, bookableId)).to.deep.equal([id])
  })
})
