// Backups, tested as an operator would: all bookings are restored, and Redis needs no backup, because what was accepted
// is done from Postgres with a Redis that has lost everything.
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectDatabase } from '../../../shared/database/database.ts'
import { migrateUp } from '../../../shared/database/migrations.ts'
import { readIdentity } from '../../../shared/identity/identity.ts'
import { withDatabaseName } from '../../support/databases.ts'
import { createSlot } from '../../support/faults/pipeline.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { createWorld, type World } from '../../support/world.ts'
import { BackupStage, onServer } from './postgres.ts'

const LIST = 'email,name\nann@restored.example,Ann\n'
// Upkeep looks every 15 seconds for accepted jobs that are older than that.
const REQUEUED_MS = 240_000
const MANY_REQUESTS = { RATE_LIMIT_PER_MINUTE: '1000000' }

describe('a backup', function suite() {
  this.timeout(600_000)
  const stage = use(() => new BackupStage(), { close: (made) => made.close() })
  const server = use(() => stage.createServer('original'))
  const original = use(() => createBerth('berth'))

  /** A new database of the server, migrated, with a gateway and a worker for bookings; nobody does imports. */
  async function createBerth(name: string): Promise<World> {
    await onServer(server.url, `CREATE DATABASE ${name}`)
    const databaseUrl = withDatabaseName(server.url, name)
    const database = connectDatabase(databaseUrl)
    await migrateUp(database)
    await database.destroy()
    return createWorld({ databaseUrl, workers: ['writes'], environment: MANY_REQUESTS })
  }

  async function book(world: World, client: Client): Promise<number> {
    const { status, json } = await client.post('bookings', await createSlot(world))
    expect(status).to.equal(200)
    return json.data[0].id
  }

  async function accept(client: Client): Promise<string> {
    const accepted = await client.import(LIST, {}, { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    return new URL(accepted.headers.get('Location') ?? '').pathname
  }

  /** What was restored, as a Berth with a Redis that is empty, and all workers. */
  async function expectRestored(
    databaseUrl: string,
    { token }: Client,
    path: string,
    bookings: number[],
  ): Promise<World> {
    const restored = await createWorld({ databaseUrl, workers: [], environment: MANY_REQUESTS })
    // The integrator's own, who follows what was accepted.
    const client = new Client(restored.url, token)
    const left: number[] = await restored.database('bookings').orderBy('id').pluck('id')
    expect(left).to.deep.equal(bookings)
    await restored.startWorkers()
    const { data } = await eventually(async () => {
      const { json } = await client.get(path)
      expect(json.data.state).to.be.oneOf(['done', 'failed'])
      return json
    }, REQUEUED_MS)
    expect(data).to.deep.include({ state: 'done', error: null })
    expect(await restored.database('users').where({ email: 'ann@restored.example' })).to.have.length(1)
    expect(await restored.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    await book(restored, client)
    return restored
  }

  const identityOf = (world: World) =>
    readIdentity(
      async (sql) => (await world.database.raw<{ rows: Array<Record<string, unknown>> }>(sql)).rows,
    )

  it('by dump restores an empty database, and accepted jobs then run', async () => {
    const client = await original.client()
    const bookings = [await book(original, client), await book(original, client)]
    const path = await accept(client)
    const dump = await stage.script('dump.sh', [stage.kept], { DATABASE_URL: original.databaseUrl })
    expect(dump).to.match(/\.dump$/)
    await book(original, client)

    await onServer(server.url, 'CREATE DATABASE restored')
    const environment = { DATABASE_URL: withDatabaseName(server.url, 'restored') }
    await stage.script('restore-dump.sh', [dump], environment)
    const restored = await expectRestored(environment.DATABASE_URL, client, path, bookings)
    const [before, after] = [await identityOf(original), await identityOf(restored)]
    expect(after.id).to.equal(before.id)
    expect(after.place, 'a copy is told from its original').to.not.equal(before.place)

    const again = await stage.script('restore-dump.sh', [dump], environment).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
    expect(again).to.match(/^The database is not empty: .* Nothing was restored\.\n$/)
  })

  it('by copy and WAL restores the moment before an accident', async () => {
    const client = await original.client()
    // What was accepted before is not in question here.
    await original.database('jobs').delete()
    await stage.script('base-backup.sh', [stage.kept], { DATABASE_URL: server.url })
    await book(original, client)
    const path = await accept(client)
    const bookings: number[] = await original.database('bookings').orderBy('id').pluck('id')
    const [{ moment }] = (await onServer(server.url, 'SELECT clock_timestamp()::text AS moment')) as [
      { moment: string },
    ]
    await wait(50)
    await original.database('bookings').delete()
    await original.database('jobs').delete()
    const [row] = await onServer(server.url, 'SELECT pg_walfile_name(pg_switch_wal()) AS name')
    await eventually(() => expect(readdirSync(`${stage.kept}/wal`)).to.include(row?.['name']))

    await stage.script('restore-to-time.sh', [stage.kept, moment, `${stage.folder}/restored`])
    const { url } = await stage.startServer('restored')
    const databaseUrl = withDatabaseName(url, 'berth')
    const restored = await expectRestored(databaseUrl, client, path, bookings)
    // Nothing tells a copy of a whole cluster from its original, as docs/operations.md says.
    expect(await identityOf(restored)).to.deep.equal(await identityOf(original))
  })

  it('is not restored if it would overwrite data, or begins too late', async () => {
    const refused = async (...parameters: string[]) =>
      stage.script('restore-to-time.sh', parameters).then(
        () => '',
        ({ stderr }: { stderr: string }) => stderr,
      )
    expect(await refused(stage.kept, 'latest', `${stage.folder}/restored`)).to.match(
      /is there already\. Nothing was restored/,
    )
    expect(await refused(stage.kept, '2020-01-01 00:00:00+00', `${stage.folder}/early`)).to.match(
      /No copy .* is from before/,
    )
    expect(existsSync(`${stage.folder}/early`)).to.equal(false)
  })

  it('keeps the newest copies, and the WAL from the oldest of them on', async () => {
    const copies = () => readdirSync(stage.kept).filter((name) => name.startsWith('base-'))
    const wal = () => readdirSync(`${stage.kept}/wal`).sort()
    const [first] = copies()
    const before = wal()
    for (let number = 0; number < 2; number++)
      await stage.script('base-backup.sh', [stage.kept], { DATABASE_URL: server.url })
    expect(copies()).to.have.length(2).and.not.include(first)
    expect(wal()).to.not.include(before[0])
    await stage.script('restore-to-time.sh', [stage.kept, 'latest', `${stage.folder}/latest`])
    const { url } = await stage.startServer('latest')
    expect(
      await onServer(withDatabaseName(url, 'berth'), 'SELECT count(*)::int AS bookings FROM bookings'),
    ).to.deep.equal([{ bookings: 0 }])
  })
})
