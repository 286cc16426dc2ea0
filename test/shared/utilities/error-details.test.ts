// Tests the description of an error: enough to find the cause, without any value from a user.
import { once } from 'node:events'
import { expect } from 'chai'
import { jobs } from '../../../shared/jobs/jobs.ts'
import { describeError, formatError } from '../../../shared/utilities/error-details.ts'
import { openRedis } from '../../support/redis.ts'
import { useWorld } from '../../support/world.ts'

describe('the description of an error', () => {
  const world = useWorld({ workers: [] })

  const caught = (work: () => unknown) =>
    Promise.resolve()
      .then(work)
      .then(
        () => expect.fail('It should have failed'),
        (error: unknown) => error,
      )
  const said = (error: unknown) => JSON.stringify(describeError(error)) + formatError(error)

  it('names the violated constraint and its table, but not the values of the row', async () => {
    const { database } = world
    const row = { name: 'Ada', email: 'ada@example.com' }
    await database('users').insert(row)
    const error = await caught(() => database('users').insert(row))
    expect(said(error)).to.not.match(/\bada\b/i)
    expect(describeError(error)).to.include({ type: 'DatabaseError', code: '23505', table: 'users' })
    expect(describeError(error))
      .to.have.property('constraint')
      .that.matches(/^users__/)
    expect(formatError(error)).to.match(/^error: insert into "users" .*\n\s+at /s)
  })

  it('names the type of an invalid value, but not the value itself', async () => {
    const values = ['ada', 'a"d"a', 'ada\n    at ada (x.ts:1:1)']
    for (const value of values) {
      const error = await caught(() => world.database.raw('SELECT ?::integer', [value]))
      expect(said(error), value).to.not.match(/\bada\b|a\\?"d/i)
      expect(formatError(error)).to.include('invalid input syntax for type integer')
    }
  })

  it('names the command that Redis refused, even if the error is deeply nested', async () => {
    const redis = openRedis(world.config, { kind: 'fail-fast' })
    if (redis.status !== 'ready') await once(redis, 'ready')
    try {
      const one = await caught(() => redis.evalsha('0'.repeat(40), 0, 'ada'))
      const several = await caught(() => redis.multi().set('x', 'ada').call('nothing', 'ada').exec())
      expect(said(one))
        .to.include('evalsha')
        .and.to.not.match(/\bada\b/)
      expect(said(several))
        .to.include('EXECABORT')
        .and.to.not.match(/\bada\b/)
      expect(said(new AggregateError([one], 'All failed', { cause: several }))).to.not.match(/\bada\b/)
    } finally {
      redis.disconnect()
    }
  })

  it('names the invalid fields of an input', async () => {
    const input = { bookable_id: 'ada', guest_email: ['ada'], to_time: 'ada' }
    const error = await caught(() => jobs['bookings.create'].input.validateSync(input, { abortEarly: false }))
    expect(said(error))
      .to.include('bookable_id')
      .and.include('guest_email')
      .and.to.not.match(/\bada\b/)
  })

  it('omits a text that is not JSON', async () => {
    const error = await caught(() => JSON.parse('ada "ada" ada'))
    expect(said(error))
      .to.include('SyntaxError')
      .and.to.not.match(/\bada\b/)
  })

  it('omits the content of a thrown value that is not an error', () => {
    expect(said({ name: 'ada' })).to.not.match(/\bada\b/)
  })
})
