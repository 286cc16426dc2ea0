// Tests what a person reads when a place cannot be booked: plain words in both languages, without ids, and
// with free alternatives.
import { expect } from 'chai'
import { RULE_REFUSALS } from '../../../../../shared/messages/refusal-kinds.ts'
import {
  createBookable,
  createBooking,
  createGroup,
  createHold,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../../support/people/floor.ts'
import { useWorld } from '../../../../support/world.ts'

// People who book for themselves may do so while they are away.
const OWN_REFUSALS = RULE_REFUSALS.filter((code) => code !== 'user_away')

type RefusedCase = {
  rules?: object
  query?: string
  en: string
  de: string
  prepare?(found: TestFloor): Promise<unknown>
}
type TestFloor = Awaited<ReturnType<typeof createFloor>>
const DAYS_AHEAD = 7
const BUTTONS = { en: { book: 'Book', ask: 'Send request' }, de: { book: 'Buchen', ask: 'Anfragen' } }

describe('refused bookings on people’s own pages', () => {
  const world = useWorld()
  let board = 0
  let boss = 0
  before(async () => {
    board = await createGroup(world.database, { name: 'Board' })
    boss = await createUser(world.database)
  })

  const hasAnother = ({ desks, user_id }: TestFloor) =>
    createBooking(world.database, { user_id, bookable_id: desks[1], from: FROM, to: TO })
  const block = ({ desks }: TestFloor, status: number) =>
    world.database('bookables').where({ id: desks[0] }).update({ status })

  const refusals = (): Record<string, RefusedCase> => ({
    booking_conflict: {
      en: 'Desk 1 was just taken.',
      de: 'Desk 1 wurde gerade vergeben.',
      prepare: ({ desks }) => createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO }),
    },
    bookable_blocked: {
      en: 'Desk 1 cannot be booked at the moment.',
      de: 'Desk 1 kann zurzeit nicht gebucht werden.',
      prepare: (found) => block(found, 1),
    },
    bookable_assigned: { en: 'Desk 1 is assigned', de: 'Desk 1', prepare: (found) => block(found, 2) },
    closed: { rules: { closed: [{ from: FROM, to: TO, reason: 'Works' }] }, en: 'Works', de: 'Works' },
    not_for_this_user: {
      rules: { group_ids: [board] },
      en: 'Only members of the group Board can book Desk 1.',
      de: 'Desk 1 können nur Mitglieder der Gruppe Board buchen.',
    },
    outside_opening_hours: {
      rules: { opening_hours: [{ day: 1, from: '08:00', to: '18:00' }] },
      en: 'Desk 1 is closed on Tuesdays',
      de: 'Desk 1',
    },
    outside_slots: {
      rules: {
        slots: [
          { name: 'First', from: '09:00', to: '10:00' },
          { name: 'Last', from: '16:00', to: '17:00' },
        ],
        slot_only: true,
      },
      query: '&from=09:00&to=17:00',
      en: 'Desk 1 can only be booked for whole slots: First (09:00–10:00), Last (16:00–17:00)',
      de: 'Desk 1 kann nur für ganze Zeitfenster gebucht werden: First (09:00–10:00)',
    },
    too_far_ahead: { rules: { days_ahead_max: DAYS_AHEAD }, en: 'at most 7 days ahead', de: '7 Tage' },
    too_short: { rules: { minutes_min: 1_000 }, en: 'at least 1,000 minutes', de: '1.000 Minuten' },
    too_long: { rules: { minutes_max: 60 }, en: 'at most 1 hour', de: '1 Stunde' },
    needs_approval: {
      rules: { approvers: { user_ids: [boss] } },
      en: 'Desk 1 (Third floor, Quay) is requested',
      // Desk 1 has already been requested while the test ran in English.
      de: 'Desk 2',
    },
    too_many_bookings: {
      rules: { bookings_ahead_max: 1 },
      en: 'You can have 1 booking of this kind at a time in Third floor.',
      de: 'Sie können in Third floor gleichzeitig 1 solche Buchung haben.',
      prepare: hasAnother,
    },
    already_booked: {
      rules: { one_at_a_time: true },
      en: 'You already have Desk 2 (Third floor, Quay)',
      de: 'Sie haben schon Desk 2 (Third floor, Quay)',
      prepare: hasAnother,
    },
    already_booked_that_day: {
      rules: { one_desk_a_day: true },
      en: 'You already have Desk 2 (Third floor, Quay)',
      de: 'Sie haben schon Desk 2 (Third floor, Quay)',
      prepare: hasAnother,
    },
    too_many_open_requests: {
      rules: { approvers: { user_ids: [boss] } },
      en: 'You can have at most 10 requests waiting for a decision.',
      de: 'Sie können höchstens 10 Anfragen haben',
      async prepare({ desks, user_id }) {
        for (let hour = 0; hour < 10; hour++) {
          const from = new Date(Date.parse('2031-03-01T08:00:00Z') + hour * 3_600_000)
          const to = new Date(from.getTime() + 3_600_000)
          const span = { from: from.toISOString(), to: to.toISOString() }
          await createHold(world.database, { user_id, bookable_id: desks[2], ...span })
        }
      },
    },
  })

  it('are tested for every rule', () => {
    expect(Object.keys(refusals())).to.include.members(OWN_REFUSALS)
  })

  const others = ['booking_conflict', 'bookable_blocked', 'bookable_assigned', 'too_many_open_requests']
  for (const code of [...OWN_REFUSALS, ...others])
    it(`are explained in plain words, in both languages: ${code}`, async () => {
      const { rules, prepare, query = '', ...words } = refusals()[code] as RefusedCase
      const found = await createFloor(world, { rules })
      const { browser, desks } = found
      const asks = code === 'needs_approval' || code === 'too_many_open_requests'
      for (const language of ['en', 'de'] as const) {
        await browser.open(`/my/language/${language}`)
        await browser.open(
          `/my/book/${desks[code === 'needs_approval' && language === 'de' ? 1 : 0]}?date=${DAY}${query}`,
        )
        if (language === 'en') await prepare?.(found)
        await browser.submit(BUTTONS[language][asks ? 'ask' : 'book'])
        const said = /<div class="notice [^>]*>([\s\S]*?)<\/div>/.exec(browser.page.text)?.[1] ?? ''
        expect(browser.words).to.include(words[language])
        expect(said).to.not.match(/\buser|\bids?\b|Benutzer|\bIDs?\b/)
      }
    })
})

describe('the page Book, when nothing can be booked', () => {
  const world = useWorld()

  it('offers free desks on the floor and nearby, but not where a booking would be refused', async () => {
    const { browser, desks } = await createFloor(world)
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book', { repeat_on: '2' })
    expect(browser.words).to.include('Enter the last day.').and.not.include('instead')
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    await browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    await browser.submit('Book')
    expect(browser.words).to.include('Book Desk 2 instead')
  })

  it('shows why no desk of a floor can be booked, and does not offer to join a waitlist', async () => {
    const rules = { closed: [{ from: FROM, to: TO, reason: 'Works' }] }
    const { browser, place } = await createFloor(world, { rules })
    await browser.open(place)
    expect(browser.words).to.include('Third floor is closed').and.include('Works')
    expect(browser.words).to.not.include('Wait for a place')
  })

  it('offers a waitlist and free desks on other floors if all desks of the floor are taken', async () => {
    const { browser, place, desks, building_id } = await createFloor(world, { names: ['Desk 1'] })
    await createBooking(world.database, { bookable_id: desks[0], from: FROM, to: TO })
    const location_id = await createLocation(world.database, { building_id, name: 'Attic' })
    await createBookable(world.database, { location_id, name: 'Perch' })
    await browser.open(place)
    expect(browser.words).to.include('Nothing is free here at that time.').and.include('Wait for a place')
    expect(browser.words).to.include('Free on other floors Perch Attic')
  })

  it('shows an error for a time that is over or ends before it begins, and keeps the input', async () => {
    const { browser, desks, location_id } = await createFloor(world)
    await browser.open(`/my/book?location=${location_id}&date=2020-02-11`)
    expect(browser.page.status).to.equal(200)
    expect(browser.words).to.include('This time is over.')
    await browser.open(`/my/book?location=${location_id}&date=${DAY}&from=15:00&to=12:00`)
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('Until must be after From.')
    await browser.open(`/my/book/${desks[0]}?date=2020-02-11`)
    expect(browser.words).to.include('This time is over.')
  })

  it('says that the person already has a desk at the chosen time', async () => {
    const found = await createFloor(world)
    const { desks, user_id } = found
    await createBooking(world.database, { user_id, bookable_id: desks[1], from: FROM, to: TO })
    await found.browser.open(found.place)
    expect(found.browser.words).to.include('You already have Desk 2 (Third floor, Quay) at that time.')
    await found.browser.open(`/my/book/${desks[0]}?date=${DAY}`)
    expect(found.browser.words).to.include('You already have Desk 2 (Third floor, Quay), 09:00 – 17:00.')
  })
})
