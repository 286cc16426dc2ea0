// Tests the doctor with different replicas: one that works, one that lags, one of another database, and one
// that was promoted.
import { expect } from 'chai'
import type { Finding } from '../../commands/doctor/findings.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { readServerUrls, withDatabaseName } from '../support/databases.ts'
import { ReplicatedPostgres } from '../support/faults/replica.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { runAgainst } from './support/run.ts'

describe('npm run doctor with a replica', function () {
  this.timeout(120_000)
  const postgres = use(() => ReplicatedPostgres.start(), { close: (made) => made.stop() })

  const examine = async (replicaUrl: string) => {
    const settings = {
      REDIS_URL: readServerUrls().redisUrl,
      DATABASE_READ_URL: replicaUrl,
      REPLICA_LAG_MS_MAX: '500',
    }
    const { stdout } = await runAgainst({ databaseUrl: postgres.url }, settings)('doctor', ['--json'])
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return Object.fromEntries(findings.map(({ about, level }) => [about, level]))
  }
  const onPrimary = async (statement: string) => {
    const database = connectDatabase(postgres.url)
    await database.raw(statement)
    await database.destroy()
  }

  it('accepts a replica that lags only a little', async () => {
    const findings = await eventually(async () => {
      const found = await examine(postgres.replicaUrl)
      expect(found['lag of the replica']).to.equal('ok')
      return found
    })
    expect(findings).to.include({ DATABASE_READ_URL: 'ok', 'connections of the replica': 'ok' })
    expect(findings, 'hot_standby_feedback').to.include({ 'long listings': 'warning' })
  })

  it('reports a replica that lags too far', async () => {
    await postgres.pauseReplay()
    await onPrimary('CREATE TABLE written_meanwhile ()')
    expect(await examine(postgres.replicaUrl)).to.include({ 'lag of the replica': 'warning' })
    await postgres.resumeReplay()
  })

  it('reports a replica of another database', async () => {
    await onPrimary('CREATE DATABASE other')
    const other = connectDatabase(withDatabaseName(postgres.url, 'other'))
    await migrateUp(other)
    await other.destroy()
    await eventually(async () =>
      expect(await examine(withDatabaseName(postgres.replicaUrl, 'other'))).to.include({
        'database of the replica': 'problem',
      }),
    )
  })

  it('reports a replica that has been promoted to a primary', async () => {
    await postgres.promoteReplica()
    await eventually(async () =>
      expect(await examine(postgres.replicaUrl)).to.include({ 'role of the replica': 'warning' }),
    )
  })
})
