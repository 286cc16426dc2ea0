// Tests the transaction of a long listing on a connection without its own settings, like a connection from
// PgBouncer.
import { expect } from 'chai'
import { ListingReader } from '../../../../gateway/server/http/listing-reader.ts'
import { connectPool } from '../../../../shared/database/database.ts'
import { useDatabase } from '../../../support/databases.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'

const CONNECTION_CHECK_SQL = 'SHOW client_connection_check_interval'

describe('the database transaction of a long listing', () => {
  const database = useDatabase()
  const open = () =>
    useWith(
      database,
      () => connectPool(database.databaseUrl),
      (pool) => pool.end(),
    )
  const pool = open()
  const observer = open()

  const read = async (all: string) => {
    const client = await pool.connect()
    const release = (destroy: boolean) => client.release(destroy)
    return new ListingReader({ client, release }, { all, beginning: undefined, range: undefined }, [])
  }
  const atWork = async () => {
    const { rows } = await observer.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`,
    )
    return rows.length
  }

  it('ends in Postgres when the reader of the listing stops', async () => {
    const reader = await read('SELECT pg_sleep(60)::text AS item')
    const broken = reader.next().catch((error: Error) => error)
    await eventually(async () => expect(await atWork()).to.equal(1))
    reader.stop()
    expect(await broken).to.be.an('error')
    await eventually(async () => expect(await atWork()).to.equal(0))
  })

  it('leaves the settings of its connection unchanged', async () => {
    const reader = await read('SELECT 7::text AS item')
    expect([await reader.next(), await reader.next()]).to.deep.equal(['7', undefined])
    const { rows } = await pool.query(CONNECTION_CHECK_SQL)
    expect(rows).to.deep.equal([{ client_connection_check_interval: '0' }])
  })
})
