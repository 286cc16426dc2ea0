// Tests that Postgres uses an index to find users by the filters that identity providers use.
import { expect } from 'chai'
import { createPageStatement, SCIM_USER_KIND } from '../../../../gateway/api/scim/scim-reads.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

const PERSON_COUNT = 20_000
const ROWS_READ_MAX = 10

/** Returns the scans of the tables with many rows. */
const listScans = (plan: Plan): Plan[] => [
  ...(/users$/.test(plan['Relation Name'] ?? '') ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(listScans),
]

describe('the SQL plan of a SCIM filter', () => {
  const database = useConnection(useDatabase())

  before(async () => {
    await database.raw(
      `INSERT INTO users (name, email, upn)
       SELECT 'User ' || n, 'user' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'upn' || n || '@example.com' END
       FROM generate_series(1, ${PERSON_COUNT}) AS n`,
    )
    await database.raw(
      "INSERT INTO provisioned_users (user_id, external_id) SELECT id, 'external-' || id FROM users WHERE id % 2 = 0",
    )
    await database.raw('ANALYZE')
  })

  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    for (const filter of [
      'userName eq "UPN500@example.com"',
      'userName eq "user501@example.com"',
      'emails[type eq "work"].value eq "user700@example.com"',
      'externalId eq "external-800"',
      'id eq "900"',
    ]) {
      it(`reads few rows for ${filter}, with ${mode}`, async () => {
        const { text, values } = createPageStatement(SCIM_USER_KIND, filter)
        const types = [
          'text',
          'bigint',
          'bigint',
          ...values.map(() => (filter.startsWith('id') ? 'bigint' : 'text')),
        ]
        const given = ["'http://localhost'", '0', '100', ...values.map((value) => `'${value}'`)]
        const { rows } = await database.transaction(async (trx) => {
          await trx.raw(`SET LOCAL plan_cache_mode = ${mode}`)
          await trx.raw(`PREPARE page (${types.join(', ')}) AS ${text.replaceAll('?', '\\?')}`)
          const explained = await trx.raw(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page (${given.join(', ')})`)
          await trx.raw('DEALLOCATE page')
          return explained
        })
        const scans = listScans(rows[0]['QUERY PLAN'][0].Plan)
        expect(
          scans.map((scan) => scan['Node Type']),
          JSON.stringify(scans),
        ).to.not.include('Seq Scan')
        for (const scan of scans)
          expect(scan['Actual Rows'] * scan['Actual Loops'], JSON.stringify(scan)).to.be.at.most(
            ROWS_READ_MAX,
          )
      })
    }
  }
})
