// Tests a long queue of mails: mails that expire are sent first, outdated ones are dropped, and workers without a mail
// server queue none.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import { createBookable, createBooking, hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld, type World } from '../../../support/world.ts'
import { book, createMailSettings, createPerson, type MailedPerson } from './mailed-person.ts'
import { useSmtp } from './smtp-server.ts'
import { useMails } from './use-mails.ts'

const log = createLog('test', 'silent')
const CONFIRMATION_COUNT = 400
const RESPONSE_DELAY_MS = 40

/** Creates many people, each with a booking whose confirmation is due now. */
async function confirmMany({ database }: World, person: MailedPerson): Promise<void> {
  const values = [CONFIRMATION_COUNT, person.bookable_id]
  await database.raw(
    `WITH people AS (
       INSERT INTO users (name, email) SELECT 'Person ' || n, 'person-' || n || '@backlog.example.com'
       FROM generate_series(1, ?) AS n RETURNING id
     ), booked AS (
       INSERT INTO bookings (user_id, bookable_id, exclusive, during)
       SELECT id, ?, true, tstzrange(now() + (1000 + id) * interval '1 hour', now() + (1001 + id) * interval '1 hour')
       FROM people RETURNING id, user_id
     )
     INSERT INTO mails (kind, user_id, booking_ids, actor_type, actor_id)
     SELECT 'confirmation', user_id, ARRAY[id], 'user', user_id FROM booked`,
    values,
  )
}

describe('mails that expire', function () {
  this.timeout(120_000)
  const { smtp, world, createPerson: create } = useMails()

  it('are sent before all confirmations that are already waiting', async () => {
    const [person, waiting] = [await create(), await create()]
    smtp.beforeAnswer = () => wait(RESPONSE_DELAY_MS)
    await confirmMany(world, person)
    await eventually(() => expect(smtp.received).to.not.have.length(0))
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(24), hoursFromNow(32)])
    const { user_id, bookable_id } = waiting
    await world.database('waits').insert({ user_id, bookable_id, during })
    await offerPlaces(world.database, log)
    const reminded = await create()
    const minutes = (number: number) => new Date(Date.now() + number * 60_000).toISOString()
    const check = { check_in_from: minutes(-20), check_in_until: minutes(15), created_at: hoursFromNow(-20) }
    const { bookable_id: desk, user_id: id } = reminded
    // A later mail about bookings of the same person waits behind all other mails.
    await world.database('mails').insert({
      kind: 'confirmation',
      user_id: id,
      booking_ids: [
        await createBooking(world.database, { user_id: id, from: hoursFromNow(50), to: hoursFromNow(51) }),
      ],
    })
    await createBooking(world.database, {
      bookable_id: desk,
      user_id: id,
      from: minutes(-20),
      to: hoursFromNow(8),
      ...check,
    })
    await eventually(() => expect(smtp.sentTo(waiting.email)).to.have.length(1))
    await eventually(() => expect(smtp.sentTo(reminded.email)).to.not.have.length(0))
    smtp.beforeAnswer = undefined
    expect(smtp.sentTo(reminded.email)[0]?.headers).to.include('Subject: Check in by ')
    const confirmed = smtp.received.filter(({ to }) => to[0]?.endsWith('@backlog.example.com'))
    expect(confirmed.length).to.be.lessThan(CONFIRMATION_COUNT)
  })
})

describe('mails about meetings and answers', function () {
  this.timeout(120_000)
  const { smtp, world, queued, createPerson: create } = useMails()
  const client = useClient(world, 'booking-write', 'read')

  it('are sent before mails about bookings that are already waiting', async () => {
    const [organizer, colleague] = [await create(), await create()]
    const made = await client.post('events?invite=true', {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      from_time: hoursFromNow(40),
      to_time: hoursFromNow(41),
      attendees: [{ type: 'user', id: colleague.user_id }],
    })
    await queued()
    const answer = `events/${made.json.data.id}/attendees/${colleague.user_id}/answer`
    expect((await client.post(answer, { status: 1 })).status).to.equal(200)
    await queued()
    smtp.beforeAnswer = () => wait(RESPONSE_DELAY_MS)
    await confirmMany(world, await create())
    await eventually(() => expect(smtp.received).to.not.have.length(0))
    await world
      .database('mails')
      .whereIn('kind', ['meeting', 'answer'])
      .update({ next_at: world.database.fn.now() })
    await eventually(() =>
      expect([organizer, colleague].map(({ email }) => smtp.sentTo(email).length)).to.deep.equal([2, 1]),
    )
    smtp.beforeAnswer = undefined
    expect(smtp.received.filter(({ to }) => to[0]?.endsWith('@backlog.example.com')).length).to.be.lessThan(
      CONFIRMATION_COUNT,
    )
  })
})

describe('an outdated mail', () => {
  const { world, createPerson: create, mailsOf, send } = useMails()
  const client = useClient(world)

  const age = (person: MailedPerson, minutes: number) =>
    world
      .database('mails')
      .where({ user_id: person.user_id })
      .whereNull('sent_at')
      .update({ created_at: new Date(Date.now() - minutes * 60_000) })
  const queue = async (person: MailedPerson, bookings: number[], kind = 'confirmation') => {
    const next_at = hoursFromNow(1)
    const mail = { kind, user_id: person.user_id, booking_ids: bookings, actor_type: 'token', next_at }
    await world.database('mails').insert(mail)
  }

  it('is dropped if it confirms a booking made more than an hour ago', async () => {
    const [late, early] = [await create(), await create()]
    for (const [person, minutes] of [
      [late, 61],
      [early, 50],
    ] as const) {
      const { bookable_id, user_id } = person
      const span = { from: hoursFromNow(30), to: hoursFromNow(31) }
      await queue(person, [await createBooking(world.database, { bookable_id, user_id, ...span })])
      await age(person, minutes)
    }
    expect(await send(early)).to.have.length(1)
    expect(await send(late)).to.deep.equal([])
    expect(await mailsOf(late)).to.deep.equal([])
  })

  it('is still sent if it corrects a calendar entry', async () => {
    const person = await create()
    const id = await book(client, person)
    expect(await send(person)).to.have.length(1)
    const bookable_id = await createBookable(world.database, { location_id: person.location_id })
    await world.database('bookings').where({ id }).update({ bookable_id })
    await queue(person, [id])
    await age(person, 61)
    expect((await send(person))[1]?.headers).to.include('Subject: Moved: ')
  })

  it('is dropped if it is about a change of a booking that is over', async () => {
    const person = await create()
    const { bookable_id, user_id } = person
    const span = { from: hoursFromNow(-3), to: hoursFromNow(-1) }
    await queue(person, [await createBooking(world.database, { bookable_id, user_id, ...span })], 'changed')
    expect(await send(person)).to.deep.equal([])
    expect(await mailsOf(person)).to.deep.equal([])
  })

  it('is dropped if it answers a request for a time that is over', async () => {
    const person = await create()
    const { bookable_id, user_id } = person
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(-3), hoursFromNow(-1)])
    const hold = { kind: 'request', bookable_id, user_id, during, expires_at: hoursFromNow(-3) }
    const [{ id }] = await world
      .database('holds')
      .insert({ ...hold, state: 'lapsed', decided_at: hoursFromNow(-3) })
      .returning('id')
    await world.database('mails').insert({ kind: 'approval', user_id, hold_id: id })
    expect(await send(person)).to.deep.equal([])
    expect(await mailsOf(person)).to.deep.equal([])
  })
})

describe('workers without a mail server', function () {
  this.timeout(120_000)
  const smtp = useSmtp()
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)

  const positionOf = async () => (await world.database('mail_position').first()) ?? expect.fail('No position')
  const newest = async () => {
    const { rows } = await world.database.raw(
      'SELECT max(sequence) AS newest, max(horizon) AS horizon FROM changes',
    )
    return rows[0]
  }
  const read = async () => {
    const { horizon } = await newest()
    await eventually(async () => expect(Number((await positionOf()).horizon)).to.be.at.least(Number(horizon)))
  }

  it('queue no mails, so that people do not get outdated mails later', async () => {
    const [missed, told] = [await createPerson(world), await createPerson(world)]
    await book(client, missed)
    const without = await world.startWorkers(['upkeep'])
    await read()
    await without.stop()
    const sending = await world.startWorkers(['upkeep'], createMailSettings(smtp))
    await eventually(async () => expect((await positionOf()).sender_at).to.be.a('string'))
    await book(client, told)
    await eventually(async () =>
      expect(await world.database('mails').where({ user_id: told.user_id })).to.have.length(1),
    )
    expect(await world.database('mails').where({ user_id: missed.user_id })).to.deep.equal([])
    await sending.stop()
  })

  it('leave the creation of mails to workers that have a mail server', async () => {
    const person = await createPerson(world)
    await world.database('mail_position').update({ sender_at: new Date() })
    const { horizon } = await positionOf()
    await book(client, person)
    const without = await world.startWorkers(['upkeep'])
    await wait(500)
    await without.stop()
    expect((await positionOf()).horizon).to.equal(horizon)
  })
})

describe('the position in the changes from which mails are created', () => {
  const world = useWorld({ workers: [] })

  it('starts at the migration, not when the first process sends mail', async () => {
    expect(await world.database('mail_position')).to.have.length(1)
  })
})
