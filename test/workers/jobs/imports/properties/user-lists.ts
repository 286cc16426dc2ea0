// The properties of user lists, over HTTP with real services, for as many runs as are asked for.
import { expect } from 'chai'
import fc from 'fast-check'
import type { Answered, Client } from '../../../../support/http/http.ts'
import { type Child, startWorkerProcess } from '../../../../support/processes.ts'
import { exportUsers, peopleOf, removeUsers, rowsOfUsers } from '../../../../support/user-lists.ts'
import { createWorld, type World } from '../../../../support/world.ts'
import { anyList, csvOf, listWithoutRepeats, options } from './lists.ts'
import { insertPeople, type Person, people } from './people.ts'

export function provePropertiesOfUserLists(runs: number) {
  let world: World
  let client: Client
  let worker: Child
  before(async () => {
    world = await createWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    client = await world.client('user-write')
    // Uses the built code, whose reading processes start in half the time.
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
  const rowsOf = async () => [await rowsOfUsers(world.database), await world.database('audit_log').count()]

  for (const format of ['csv', 'xlsx'] as const) {
    it(`that was exported as ${format} changes nothing when it is imported again (${runs} runs)`, () =>
      prove(
        runs,
        fc.tuple(
          people().filter((list) => list.some(({ isActive }) => isActive)),
          options(),
        ),
        async ([known, chosen]) => {
          await begin(known)
          const before = await rowsOfUsers(world.database)
          const file = await exportUsers(client, format)
          const result = resultOf(await client.import(file, { ...chosen, update: 'true' }))
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
          expect(await rowsOfUsers(world.database)).to.deep.equal(before)
        },
      ))
  }

  it(`has the result of its dry run, which changes nothing (${runs} runs)`, () =>
    prove(
      runs,
      people({ min: 2, max: 6 }).chain((known) => fc.tuple(fc.constant(known), anyList(known), options())),
      async ([known, list, chosen]) => {
        await begin(known)
        const before = await rowsOf()
        const dry = await client.import(csvOf(list), { ...chosen, dry_run: 'true' })
        expect(await rowsOf()).to.deep.equal(before)
        const real = await client.import(csvOf(list), chosen)
        expect(real.status).to.be.oneOf([200, 422])
        expect(real.status).to.equal(dry.status)
        if (real.status === 422) expect(real.json.errors).to.deep.equal(dry.json.errors)
        else expect(resultOf(dry)).to.deep.equal({ ...resultOf(real), dryRun: true })
      },
    ))

  it(`without repeated keys has the same result in any order of its rows (${runs} runs)`, () =>
    prove(
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
          const answer = await client.import(csvOf({ ...list, rows }), chosen)
          outcomes.push([answer.status, countsOf(answer), await peopleOf(world.database)])
        }
        expect(outcomes[0]).to.deep.equal(outcomes[1])
      },
    ))
}

function prove<T>(runs: number, values: fc.Arbitrary<T>, test: (value: T) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(values, test), { numRuns: runs, endOnFailure: runs < 50 })
}

function resultOf({ status, json, text }: Answered) {
  expect(status, text).to.equal(200)
  return json
}

function countsOf({ status, json }: Answered) {
  if (status !== 200) return json.errors
  const { created, updated, deleted, skipped, errors, rows } = json
  return [created.length, updated.length, deleted, skipped.length, errors.length, rows]
}
