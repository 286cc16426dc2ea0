// Several hosts of one Postgres: connections go to the one that may be written, and after a fail-over to the other.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type pg from 'pg'
import { startPostgres } from '../../../local/postgres/postgres.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { connectDatabase, connectPool } from '../../../shared/database/database.ts'
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import { makeFolder, query, removeFolder } from '../../local/support/local.ts'
import { eventually } from '../../support/time.ts'

const SETTINGS = { fsync: 'off' }

describe('a Postgres of several hosts', function () {
  this.timeout(120_000)
  let folder: string
  let primary: Server & { port: number; url: string }
  let standby: Server & { port: number; url: string }
  const pools: pg.Pool[] = []

  const open = (options = '') => {
    const { host, username, password } = new URL(primary.url)
    const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},${host}`
    const url = `postgres://${username}:${password}@${hosts}/berth${options}`
    const pool = connectPool(url, { connectionsMax: 2 })
    pools.push(pool)
    return { url, pool }
  }
  const portOf = async (pool: pg.Pool) => {
    const { rows } = await pool.query<{ port: number }>('SELECT inet_server_port() AS port')
    return rows[0]?.port
  }

  // A standby that follows nobody: what it has is what was there when it was copied.
  before(async () => {
    folder = makeFolder()
    const [from, to] = [join(folder, 'primary'), join(folder, 'standby')]
    const first = await startPostgres({ directory: from, settings: SETTINGS })
    const [row] = await query(first.url, `SELECT current_setting('data_directory') AS data`)
    await first.stop()
    execFileSync('cp', ['-a', from, to])
    writeFileSync(join(String(row?.data).replace(from, to), 'standby.signal'), '')
    primary = await startPostgres({ directory: from, settings: SETTINGS })
    standby = await startPostgres({ directory: to, settings: SETTINGS })
  })
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await Promise.all([primary?.stop(), standby?.stop()])
    removeFolder(folder)
  })

  it('is used at the writable host, wherever it stands in the list', async () => {
    const { pool, url } = open()
    expect(await portOf(pool)).to.equal(primary.port)
    const database = connectDatabase(url)
    const { rows } = await database.raw('SELECT inet_server_port() AS port')
    await database.destroy()
    expect(rows).to.deep.equal([{ port: primary.port }])
  })

  it('is used at a standby if the address asks for one', async () => {
    expect(await portOf(open('?target_session_attrs=standby').pool)).to.equal(standby.port)
    expect(await portOf(open('?target_session_attrs=prefer-standby').pool)).to.equal(standby.port)
  })

  it('is unavailable while no host is writable, and then used at the promoted one', async () => {
    const { pool } = open()
    expect(await portOf(pool)).to.equal(primary.port)
    await primary.stop()
    const error = await portOf(pool).catch((fault: unknown) => fault)
    expect(isDatabaseUnavailable(error), String(error)).to.equal(true)
    await query(standby.url, 'SELECT pg_promote()')
    expect(await eventually(() => portOf(pool))).to.equal(standby.port)
  })
})
