// Tests several hosts of one Postgres: connections use the writable host, and the other host after a failover.
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

const POSTGRES_SETTINGS = { fsync: 'off' }

describe('Postgres with several hosts', function () {
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

  // A standby without a primary. Its data stays as it was when it was copied.
  before(async () => {
    folder = makeFolder()
    const [from, to] = [join(folder, 'primary'), join(folder, 'standby')]
    const first = await startPostgres({ directory: from, settings: POSTGRES_SETTINGS })
    const [row] = await query(first.url, `SELECT current_setting('data_directory') AS data`)
    await first.stop()
    execFileSync('cp', ['-a', from, to])
    writeFileSync(join(String(row?.data).replace(from, to), 'standby.signal'), '')
    primary = await startPostgres({ directory: from, settings: POSTGRES_SETTINGS })
    standby = await startPostgres({ directory: to, settings: POSTGRES_SETTINGS })
  })
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await Promise.all([primary?.stop(), standby?.stop()])
    removeFolder(folder)
  })

  it('uses the writable host, regardless of its position in the list', async () => {
    const { pool, url } = open()
    expect(await portOf(pool)).to.equal(primary.port)
    const database = connectDatabase(url)
    const { rows } = await database.raw('SELECT inet_server_port() AS port')
    await database.destroy()
    expect(rows).to.deep.equal([{ port: primary.port }])
  })

  it('uses a standby if the connection URL asks for a standby', async () => {
    expect(await portOf(open('?target_session_attrs=standby').pool)).to.equal(standby.port)
    expect(await portOf(open('?target_session_attrs=prefer-standby').pool)).to.equal(standby.port)
  })

  it('is unavailable while no host is writable, and then uses the promoted host', async () => {
    const { pool } = open()
    expect(await portOf(pool)).to.equal(primary.port)
    await primary.stop()
    const error = await portOf(pool).catch((fault: unknown) => fault)
    expect(isDatabaseUnavailable(error), String(error)).to.equal(true)
    await query(standby.url, 'SELECT pg_promote()')
    expect(await eventually(() => portOf(pool))).to.equal(standby.port)
  })
})
