// Tests mails that ask a person to act in time: to check in, or to accept an offer. They are sent once, and not after
// the person has acted.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createLog } from '../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import { queueOffers } from '../../../../workers/pollers/mail/hold-mails.ts'
import { queueReminders } from '../../../../workers/pollers/mail/reminders.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createDesk,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import type { MailedPerson } from './mailed-person.ts'
import { useMails } from './use-mails.ts'

const log = createLog('test', 'silent')
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('a person’s reminder to check in', () => {
  const { world, createPerson, mailsOf, send } = useMails()

  /** Creates a booking. By default, half of its check-in time is over. */
  const book = (
    { bookable_id, user_id }: MailedPerson,
    [opened, until] = [-20, 15],
    database: Knex = world.database,
  ) =>
    createBooking(database, {
      bookable_id,
      user_id,
      from: minutesFromNow(opened),
      to: hoursFromNow(8),
      check_in_from: minutesFromNow(opened),
      check_in_until: minutesFromNow(until),
      created_at: hoursFromNow(-20),
    })
  const change = (id: number, changes: object, database: Knex = world.database) =>
    database('bookings').where({ id }).update(changes)
  const remind = async (person: MailedPerson) => {
    for (let turn = 0; turn < 2; turn++) await queueReminders(world.database)
    return send(person)
  }

  it('is sent once, when half of the check-in time is over, with a link to My day', async () => {
    const [person, early] = [await createPerson(), await createPerson()]
    await book(person)
    await book(early, [-10, 15])
    const [mail, ...more] = await remind(person)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.match(
      new RegExp(`^Subject: Check in by \\d\\d:\\d\\d: ${person.name}\\r?$`, 'm'),
    )
    expect(mail?.text)
      .to.include('Please check in by ')
      .and.match(/http:\/\/desks\.example\.com\/my\r?\n/)
    expect(await remind(early)).to.deep.equal([])
    expect(await remind(person)).to.have.length(1)
  })

  it('is sent after half of the remaining time if the person booked after check-in had opened', async () => {
    const person = await createPerson()
    const id = await book(person, [-60, 15])
    await change(id, { created_at: new Date() })
    expect(await remind(person)).to.deep.equal([])
  })

  it('is written in the person’s language, and is not sent if the person has switched reminders off', async () => {
    const [german, muted] = [
      await createPerson({ language: 'de' }),
      await createPerson({ muted_mails: ['reminder'] }),
    ]
    for (const each of [german, muted]) await book(each)
    expect((await remind(german))[0]?.text).to.include('Bitte checken Sie bis ')
    expect(await remind(muted)).to.deep.equal([])
  })

  it('is not sent to a person who is away', async () => {
    const person = await createPerson()
    await book(person)
    const { user_id } = person
    const [from, to] = [hoursFromNow(-48), hoursFromNow(48)].map((each) => each.slice(0, 10))
    await createAbsence(world.database, { user_id, days: `[${from},${to})` })
    expect(await remind(person)).to.deep.equal([])
  })

  const SETTLED: Array<[string, (trx: Knex, id: number, person: MailedPerson) => Promise<unknown>]> = [
    ['the person has checked in', (trx, id) => change(id, { checked_in_at: new Date() }, trx)],
    ['the booking is cancelled', (trx, id) => trx('bookings').where({ id }).delete()],
    [
      'the booking has moved to another time',
      (trx, id) => change(id, { check_in_from: hoursFromNow(3), check_in_until: hoursFromNow(4) }, trx),
    ],
    [
      'somebody else has the booking now',
      async (trx, id) => change(id, { user_id: (await createDesk(trx)).user_id }, trx),
    ],
    ['the deadline is too close', (trx, id) => change(id, { check_in_until: minutesFromNow(0.5) }, trx)],
    [
      'the person has switched reminders off',
      (trx, _id, { user_id }) =>
        trx('person_settings')
          .where({ user_id })
          .update({ muted_mails: ['reminder'] }),
    ],
  ]
  for (const [what, settle] of SETTLED)
    it(`is not sent once ${what}`, async () => {
      const person = await createPerson()
      // No worker sends the mail before the transaction ends.
      await world.database.transaction(async (trx) => {
        const id = await book(person, [-20, 15], trx)
        await queueReminders(trx)
        expect(await trx('mails').where({ user_id: person.user_id })).to.have.length(1)
        await settle(trx, id, person)
      })
      expect(await send(person)).to.deep.equal([])
      expect(await mailsOf(person)).to.deep.equal([])
    })

  it('is sent again if the booking moves to another time, but not if it moves to another desk', async () => {
    const person = await createPerson()
    const id = await book(person)
    expect(await remind(person)).to.have.length(1)
    await change(id, {
      bookable_id: await createBookable(world.database, { location_id: person.location_id }),
    })
    expect(await remind(person)).to.have.length(1)
    await change(id, { check_in_until: minutesFromNow(14) })
    expect(await remind(person)).to.have.length(2)
  })

  it('is not sent for a booking that ends before the check-in deadline', async () => {
    const person = await createPerson()
    const id = await book(person)
    await change(id, {
      during: world.database.raw('tstzrange(?, ?)', [minutesFromNow(-20), minutesFromNow(10)]),
    })
    expect(await remind(person)).to.deep.equal([])
  })
})

describe('a person’s mail about an offered desk', () => {
  const { world, createPerson, mailsOf, send } = useMails()
  const SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

  /** Creates a person who waits for a desk that becomes free. */
  async function createOffer(settings: Parameters<typeof createPerson>[0] = {}) {
    const person = await createPerson(settings)
    const { bookable_id, user_id } = person
    const during = world.database.raw('tstzrange(?, ?)', [SPAN.from, SPAN.to])
    await world.database('waits').insert({ user_id, bookable_id, during })
    await offerPlaces(world.database, log)
    expect((await world.database('waits').where({ user_id }).first()).state).to.equal('offered')
    for (let turn = 0; turn < 2; turn++) await queueOffers(world.database)
    return person
  }

  it('is sent once, says until when the offer is valid, and links to the page for answering', async () => {
    const person = await createOffer()
    const [mail, ...more] = await send(person)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.match(
      new RegExp(`^Subject: Available for you until \\d\\d:\\d\\d: ${person.name}`, 'm'),
    )
    expect(mail?.text).to.include('it is offered to the next person').and.include(person.name)
    expect(mail?.text).to.match(/http:\/\/desks\.example\.com\/my\/waits\r?\n/)
    const browser = await signInAs(world, person.user_id)
    await browser.open('/my/waits')
    expect((await world.database('waits').where({ user_id: person.user_id }).first()).state).to.equal(
      'offered',
    )
    await browser.submit('Take it')
    await queueOffers(world.database)
    expect(
      (await send(person)).filter(({ headers }) => headers.includes('Available for you')),
    ).to.have.length(1)
  })

  it('is written in the person’s language', async () => {
    expect((await send(await createOffer({ language: 'de' })))[0]?.text).to.include('auf den Sie warten')
  })

  it('is not sent to people who have switched such mails off', async () => {
    expect(await send(await createOffer({ muted_mails: ['offer'] }))).to.deep.equal([])
  })

  it('is not sent once the offer was answered or has lapsed', async () => {
    for (const changes of [
      { state: 'declined', decided_at: new Date() },
      { expires_at: minutesFromNow(-1) },
    ]) {
      const person = await createPerson()
      const { bookable_id, user_id } = person
      await world.database.transaction(async (trx) => {
        const during = trx.raw('tstzrange(?, ?)', [SPAN.from, SPAN.to])
        const hold = { kind: 'offer', bookable_id, user_id, during, expires_at: hoursFromNow(1) }
        await trx('holds').insert(hold)
        await queueOffers(trx)
        await trx('holds').where({ user_id }).update(changes)
      })
      expect(await send(person)).to.deep.equal([])
      expect(await mailsOf(person)).to.deep.equal([])
    }
  })
})
