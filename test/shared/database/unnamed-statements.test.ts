// Tests prepared_statements=false in a connection URL, for poolers without prepared statements: no statement stays
// prepared.
import { expect } from 'chai'
import type pg from 'pg'
import { connectDatabase, connectPool } from '../../../shared/database/database.ts'
import { useDatabase } from '../../support/databases.ts'

const PREPARED_STATEMENTS_SQL = 'SELECT name FROM pg_prepared_statements'
const NAMED_STATEMENT = { name: 'of-a-test', text: 'SELECT $1::int AS number', values: [7] }

describe('prepared statements, depending on the connection URL', () => {
  const database = useDatabase()
  const suffixes: Array<[options: string, prepared: unknown[]]> = [
    ['', [{ name: NAMED_STATEMENT.name }]],
    ['?prepared_statements=true', [{ name: NAMED_STATEMENT.name }]],
    ['?prepared_statements=false', []],
  ]

  for (const [options, prepared] of suffixes) {
    const urlOf = () => database.databaseUrl + options

    it(`number ${prepared.length} in a pool with “${options}”`, async () => {
      for (const pipeline of [false, true]) {
        const pool = connectPool(urlOf(), { connectionsMax: 1, pipeline })
        try {
          const answers = await Promise.all([pool.query(NAMED_STATEMENT), pool.query(NAMED_STATEMENT)])
          expect(answers.map(({ rows }) => rows)).to.deep.equal([[{ number: 7 }], [{ number: 7 }]])
          expect((await pool.query(PREPARED_STATEMENTS_SQL)).rows).to.deep.equal(prepared)
        } finally {
          await pool.end()
        }
      }
    })

    it(`number ${prepared.length} after a worker writes with “${options}”`, async () => {
      const knex = connectDatabase(urlOf(), { connectionsMax: 1 })
      const connection: pg.Client = await knex.client.acquireConnection()
      try {
        expect((await connection.query(NAMED_STATEMENT)).rows).to.deep.equal([{ number: 7 }])
        expect((await connection.query(PREPARED_STATEMENTS_SQL)).rows).to.deep.equal(prepared)
      } finally {
        knex.client.releaseConnection(connection)
        await knex.destroy()
      }
    })
  }
})
