// An address that says prepared_statements=false, for a pooler that cannot keep them: nothing stays prepared.
import { expect } from 'chai'
import type pg from 'pg'
import { connectDatabase, connectPool } from '../../../shared/database/database.ts'
import { useDatabase } from '../../support/databases.ts'

const PREPARED = 'SELECT name FROM pg_prepared_statements'
const NAMED = { name: 'of-a-test', text: 'SELECT $1::int AS number', values: [7] }

describe('named statements', () => {
  const database = useDatabase()
  const suffixes: Array<[options: string, prepared: unknown[]]> = [
    ['', [{ name: NAMED.name }]],
    ['?prepared_statements=true', [{ name: NAMED.name }]],
    ['?prepared_statements=false', []],
  ]

  for (const [options, prepared] of suffixes) {
    const urlOf = () => database.databaseUrl + options

    it(`leave ${prepared.length} prepared statements in a pool with “${options}”`, async () => {
      for (const pipeline of [false, true]) {
        const pool = connectPool(urlOf(), { connectionsMax: 1, pipeline })
        try {
          const answers = await Promise.all([pool.query(NAMED), pool.query(NAMED)])
          expect(answers.map(({ rows }) => rows)).to.deep.equal([[{ number: 7 }], [{ number: 7 }]])
          expect((await pool.query(PREPARED)).rows).to.deep.equal(prepared)
        } finally {
          await pool.end()
        }
      }
    })

    it(`leave ${prepared.length} prepared statements after a worker writes with “${options}”`, async () => {
      const knex = connectDatabase(urlOf(), { connectionsMax: 1 })
      const connection: pg.Client = await knex.client.acquireConnection()
      try {
        expect((await connection.query(NAMED)).rows).to.deep.equal([{ number: 7 }])
        expect((await connection.query(PREPARED)).rows).to.deep.equal(prepared)
      } finally {
        knex.client.releaseConnection(connection)
        await knex.destroy()
      }
    })
  }
})
