// Tests the properties of user lists over HTTP with real services, for the requested number of runs.
import { expect } from 'chai'
import fc from 'fast-check'
import type { ApiAnswer, Client } from '../../../../support/http/http.ts'
import { type Child, startWorkerProcess } from '../../../../support/processes.ts'
import { exportUsers, readPeople, readUserRows, removeUsers } from '../../../../support/user-lists.ts'
import { createWorld, type World } from '../../../../support/world.ts'
import { formatCsv, generateList, listWithoutRepeats, options } from './lists.ts'
import { insertPeople, type Person, people } from './people.ts'

export function testPropertiesOfUserLists(runs: number) {
  let world: World
  let client: Client
  let worker: Child
  before(async () => {
    world = await createWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    client = await world.client('user-write')
    // Uses the built code, whose processes for reading files start twice as fast.
    const addresses = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }
    worker = await startWorkerProcess(addresses, ['imports', 'exports'])
  })
  after(async () => {
    worker.kill('SIGTERM')
    await worker.ended
    await world.close()
  })

  const begin = async (known: Person[]) => {
    await removeUsers(world.database)
    await insertPeople(world.database, known)
  }
  const rowsOf = async () => [await readUserRows(world.database), await world.database('audit_log').count()]

  for (const format of ['csv', 'xlsx'] as const) {
    it(`changes nothing if it was exported as ${format} and is imported again (${runs} runs)`, () =>
      checkProperty(
        runs,
        fc.tuple(
          people().filter((list) => list.some(({ isActive }) => isActive)),
          options(),
        ),
        async ([known, chosen]) => {
          await begin(known)
          const before = await readUserRows(world.database)
          const file = await exportUsers(client, format)
          const result = expectResult(await client.import(file, { ...chosen, update: 'true' }))
          const active = known.filter(({ isActive }) => isActive)
          expect(result).to.deep.equal({
            dryRun: false,
            created: [],
            updated: [],
            deleted: 0,
            skipped: active.map((_, place) => place + 2),
            errors: [],
            errorMessages: {},
            rows: active.length,
            filename: 'users.csv',
          })
          expect(await readUserRows(world.database)).to.deep.equal(before)
        },
      ))
  }

  it(`is imported with the same result as in its dry run, which changes nothing (${runs} runs)`, () =>
    checkProperty(
      runs,
      people({ min: 2, max: 6 }).chain((known) =>
        fc.tuple(fc.constant(known), generateList(known), options()),
      ),
      async ([known, list, chosen]) => {
        await begin(known)
        const before = await rowsOf()
        const dry = await client.import(formatCsv(list), { ...chosen, dry_run: 'true' })
        expect(await rowsOf()).to.deep.equal(before)
        const real = await client.import(formatCsv(list), chosen)
        expect(real.status).to.be.oneOf([200, 422])
        expect(real.status).to.equal(dry.status)
        if (real.status === 422) expect(real.json.errors).to.deep.equal(dry.json.errors)
        else expect(expectResult(dry)).to.deep.equal({ ...expectResult(real), dryRun: true })
      },
    ))

  it(`has the same result in any order of its rows if no key is repeated (${runs} runs)`, () =>
    checkProperty(
      runs,
      people({ min: 2, max: 6 }).chain((known) =>
        listWithoutRepeats(known).chain((list) =>
          fc.tuple(
            fc.constant(known),
            fc.constant(list),
            fc.shuffledSubarray(list.rows, { minLength: list.rows.length }),
            options().map((chosen) => ({ ...chosen, key_column: 'id' })),
          ),
        ),
      ),
      async ([known, list, shuffled, chosen]) => {
        const outcomes: unknown[] = []
        for (const rows of [list.rows, shuffled]) {
          await begin(known)
          const answer = await client.import(formatCsv({ ...list, rows }), chosen)
          outcomes.push([answer.status, countResults(answer), await readPeople(world.database)])
        }
        expect(outcomes[0]).to.deep.equal(outcomes[1])
      },
    ))
}

function checkProperty<T>(
  runs: number,
  values: fc.Arbitrary<T>,
  test: (value: T) => Promise<void>,
): Promise<void> {
  return fc.assert(fc.asyncProperty(values, test), { numRuns: runs, endOnFailure: runs < 50 })
}

function expectResult({ status, json, text }: ApiAnswer) {
  expect(status, text).to.equal(200)
  return json
}

function countResults({ status, json }: ApiAnswer) {
  if (status !== 200) return json.errors
  const { created, updated, deleted, skipped, errors, rows } = json
  return [created.length, updated.length, deleted, skipped.length, errors.length, rows]
}
