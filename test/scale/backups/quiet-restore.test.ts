// Restores a dump as a role that owns only its database: the restore prints no warning and analyzes the tables.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import { migrateUp } from '../../../shared/database/migrations.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { findPostgresFolder, startDebianPostgres } from '../stage/debian-postgres.ts'

const POSTGRES_VERSION = 15

describe('restoring a dump as an ordinary role', function () {
  this.timeout(300_000)
  const postgres = use(() => startDebianPostgres(POSTGRES_VERSION, { fsync: 'off' }), {
    close: (made) => made.stop(),
  })
  const folder = use(() => ({ path: mkdtempSync(join(tmpdir(), 'berth-dumps-')) }), {
    close: ({ path }) => rmSync(path, { recursive: true }),
  })

  it('prints only that it has restored the dump', async () => {
    const server = connectDatabase(postgres.url)
    await eventually(() => server.raw("CREATE ROLE ordinary LOGIN PASSWORD 'berth'"))
    for (const name of ['original', 'restored']) await server.raw(`CREATE DATABASE ${name} OWNER ordinary`)
    await server.destroy()
    const addressOf = (name: string) => {
      const url = new URL(postgres.url)
      url.username = 'ordinary'
      url.pathname = `/${name}`
      return url.href
    }
    const original = connectDatabase(addressOf('original'))
    await migrateUp(original)
    await original.destroy()
    const run = (script: string, name: string, parameter: string) => {
      const env = {
        PATH: `${findPostgresFolder(POSTGRES_VERSION)}:${process.env.PATH}`,
        DATABASE_URL: addressOf(name),
      }
      return spawnSync(join(projectDirectory, 'deploy/backup', script), [parameter], {
        env,
        encoding: 'utf8',
      })
    }
    const dump = run('dump.sh', 'original', folder.path).stdout.trim()
    const { status, stdout, stderr } = run('restore-dump.sh', 'restored', dump)
    expect({ status, stdout, stderr }).to.deep.equal({ status: 0, stdout: `Restored ${dump}.\n`, stderr: '' })
    const restored = connectDatabase(addressOf('restored'))
    await eventually(async () => {
      const { rows } = await restored.raw(
        "SELECT FROM pg_stat_user_tables WHERE relname = 'bookings' AND last_analyze IS NOT NULL",
      )
      expect(rows).to.have.length(1)
    })
    await restored.destroy()
  })
})
