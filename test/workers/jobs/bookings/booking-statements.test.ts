// Checks the statements of a booking: which ones a worker sends, and how Postgres runs them.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { BATCH_JOB, type Envelope } from '../../../../shared/jobs/jobs.ts'
import { runDelivery } from '../../../../workers/delivery/run.ts'
import { listStatements } from '../../../support/databases.ts'
import { createEnvelope, createSlot, type NewBooking, useTools } from '../../../support/faults/pipeline.ts'
import { useWorld } from '../../../support/world.ts'

describe('the statements of a booking', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  const book = (input: NewBooking) => {
    const data = createEnvelope(input)
    return listStatements(async () => {
      const done = await runDelivery({ id: data.attempt, name: 'bookings.create', data }, tools)
      expect(done).to.deep.equal({ status: 200 })
    })
  }

  const asksOwners = (text: string) => text.includes('bookable_assignees')
  const bookTogether = async (envelopes: Envelope[]) => {
    const attempts = envelopes.map((each) => ({ ...each, job: 'bookings.create' }))
    return runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts } }, tools)
  }

  it('ask who may book a desk only if the desk is assigned', async () => {
    const slot = await createSlot(world)
    expect((await book(slot)).filter(asksOwners)).to.have.length(0)
    const assigned = await createSlot(world)
    const { bookable_id, user_id } = assigned
    await world
      .database('bookables')
      .where({ id: bookable_id })
      .update({ status: BOOKABLE_STATUSES.assigned })
    await world.database('bookable_assignees').insert({ bookable_id, user_id })
    expect((await book(assigned)).filter(asksOwners)).to.have.length(1)
  })

  it('find out for each place of a batch who may book it', async () => {
    const [free, own, ofSomebodyElse, last] = await Promise.all(
      Array.from({ length: 4 }, () => createSlot(world)),
    )
    if (!free || !own || !ofSomebodyElse || !last) throw new Error('There are four')
    for (const [{ bookable_id }, user_id] of [
      [own, own.user_id],
      [ofSomebodyElse, own.user_id],
    ] as const) {
      await world
        .database('bookables')
        .where({ id: bookable_id })
        .update({ status: BOOKABLE_STATUSES.assigned })
      await world.database('bookable_assignees').insert({ bookable_id, user_id })
    }
    const results = await bookTogether([free, ofSomebodyElse, own, last].map((slot) => createEnvelope(slot)))
    expect(results).to.deep.equal([
      { status: 200 },
      { status: 409, refused: 'bookable_assigned' },
      { status: 200 },
      { status: 200 },
    ])
  })

  it('store the audit log and the changes in the order of the attempts', async () => {
    const slots = await Promise.all(Array.from({ length: 5 }, () => createSlot(world)))
    const descending = slots.sort((one, other) => other.bookable_id - one.bookable_id)
    const attempts = descending.map((slot) => createEnvelope(slot))
    await bookTogether(attempts)
    const ids = attempts.map(({ attempt }) => attempt)
    for (const [table, order] of [
      ['audit_log', 'id'],
      ['changes', 'sequence'],
    ] as const)
      expect(
        await world.database(table).whereIn('attempt', ids).orderBy(order).pluck('attempt'),
        table,
      ).to.deep.equal(ids)
  })

  it('never compare each booking of a batch with every other booking', async () => {
    const insert = (await book(await createSlot(world))).find((text) => text.includes('INSERT INTO bookings'))
    const { rows } = await world.database.raw(`EXPLAIN (GENERIC_PLAN) ${insert}`.replaceAll('?', '\\?'))
    const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
    expect(plan).to.include('Hash Cond: (inserted.id = wanted').and.not.to.include('Join Filter')
  })
})
