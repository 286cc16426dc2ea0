// Tests backups as an operator uses them: all bookings are restored. Redis needs no backup, because accepted jobs run
// from Postgres even when Redis has lost everything.
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
import { BackupStage, runStatement } from './postgres.ts'

const USER_LIST_CSV = 'email,name\nann@restored.example,Ann\n'
// The age from which upkeep queues accepted jobs again, which it does every 15 seconds.
const REQUEUED_MS_MAX = 240_000
const HIGH_RATE_LIMIT = { RATE_LIMIT_PER_MINUTE: '1000000' }

describe('a backup', function suite() {
  this.timeout(600_000)
  const stage = use(() => new BackupStage(), { close: (made) => made.close() })
  const server = use(() => stage.createServer('original'))
  const original = use(() => createBerth('berth'))

  /**
   * Creates and migrates a database of the server, with a gateway and a worker for bookings; no worker runs imports.
   */
  async function createBerth(name: string): Promise<World> {
    await runStatement(server.url, `CREATE DATABASE ${name}`)
    const databaseUrl = withDatabaseName(server.url, name)
    const database = connectDatabase(databaseUrl)
    await migrateUp(database)
    await database.destroy()
    return createWorld({ databaseUrl, workers: ['writes'], environment: HIGH_RATE_LIMIT })
  }

  async function book(world: World, client: Client): Promise<number> {
    const { status, json } = await client.post('bookings', await createSlot(world))
    expect(status).to.equal(200)
    return json.data[0].id
  }

  async function accept(client: Client): Promise<string> {
    const accepted = await client.import(USER_LIST_CSV, {}, { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    return new URL(accepted.headers.get('Location') ?? '').pathname
  }

  /** Starts a Berth on the restored database, with an empty Redis and all workers. */
  async function expectRestored(
    databaseUrl: string,
    { token }: Client,
    path: string,
    bookings: number[],
  ): Promise<World> {
    const restored = await createWorld({ databaseUrl, workers: [], environment: HIGH_RATE_LIMIT })
    // Uses the integrator's own token, which follows the accepted jobs.
    const client = new Client(restored.url, token)
    const left: number[] = await restored.database('bookings').orderBy('id').pluck('id')
    expect(left).to.deep.equal(bookings)
    await restored.startWorkers()
    const { data } = await eventually(async () => {
      const { json } = await client.get(path)
      expect(json.data.state).to.be.oneOf(['done', 'failed'])
      return json
    }, REQUEUED_MS_MAX)
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

  it('restores a dump into an empty database, and accepted jobs then run', async () => {
    const client = await original.client()
    const bookings = [await book(original, client), await book(original, client)]
    const path = await accept(client)
    const dump = await stage.script('dump.sh', [stage.kept], { DATABASE_URL: original.databaseUrl })
    expect(dump).to.match(/\.dump$/)
    await book(original, client)

    await runStatement(server.url, 'CREATE DATABASE restored')
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

  it('restores the database to a moment before an accident, from a base backup and WAL', async () => {
    const client = await original.client()
    // Jobs accepted before are not part of this test.
    await original.database('jobs').delete()
    await stage.script('base-backup.sh', [stage.kept], { DATABASE_URL: server.url })
    await book(original, client)
    const path = await accept(client)
    const bookings: number[] = await original.database('bookings').orderBy('id').pluck('id')
    const [{ moment }] = (await runStatement(server.url, 'SELECT clock_timestamp()::text AS moment')) as [
      { moment: string },
    ]
    await wait(50)
    await original.database('bookings').delete()
    await original.database('jobs').delete()
    const [row] = await runStatement(server.url, 'SELECT pg_walfile_name(pg_switch_wal()) AS name')
    await eventually(() => expect(readdirSync(`${stage.kept}/wal`)).to.include(row?.['name']))

    await stage.script('restore-to-time.sh', [stage.kept, moment, `${stage.folder}/restored`])
    const { url } = await stage.startServer('restored')
    const databaseUrl = withDatabaseName(url, 'berth')
    const restored = await expectRestored(databaseUrl, client, path, bookings)
    // A copy of a whole cluster has the same identity as its original, as docs/operations.md says.
    expect(await identityOf(restored)).to.deep.equal(await identityOf(original))
  })

  it('refuses to overwrite data, or to restore a time before the oldest base backup', async () => {
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

  it('keeps the newest base backups, and the WAL since the oldest of them', async () => {
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
      await runStatement(withDatabaseName(url, 'berth'), 'SELECT count(*)::int AS bookings FROM bookings'),
    ).to.deep.equal([{ bookings: 0 }])
  })
})
