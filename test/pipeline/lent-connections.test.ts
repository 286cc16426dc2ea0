// A connection that is lent out and breaks between two queries: nobody waits on it at that moment, and the process
// must not end of it.
import { expect } from 'chai'
import { connectPool } from '../../shared/database.ts'
import { useWorld } from '../support/world.ts'

describe('a connection of the gateway that breaks between two queries', () => {
  const world = useWorld({ workers: [] })

  it('fails the next query, and is replaced', async () => {
    const pool = connectPool(world.databaseUrl)
    const client = await pool.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    await world.database.raw('SELECT pg_terminate_backend(?)', [rows[0].pid])
    await ended
    const failure = await client.query('SELECT 1').catch((error: Error) => error)
    expect(failure).to.be.an('error')
    client.release(true)
    expect((await pool.query('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }])
    await pool.end()
  })
})
