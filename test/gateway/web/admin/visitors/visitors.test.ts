// Tests the front desk's page of a day's visitors: who is expected, who has arrived, and whether the host
// knows.
import { expect } from 'chai'
import { eraseUser } from '../../../../../shared/erasures/erase-user.ts'
import {
  type Browser,
  createSignedIn,
  extractWords,
  parseForms,
  useSignedIn,
} from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { deleteAllResources } from '../../../../support/office.ts'
import { createClock, eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'
import { useSmtp } from '../../../../workers/pollers/mail/smtp-server.ts'

const NOW = Date.parse('2026-11-25T09:30:00Z')
const VISITORS_PATH = '/dashboard/visitors'

/** Creates an office with a meeting of two visitors, a guest at a desk, and their hosts. */
async function createVisits(database: ReturnType<typeof useWorld>['database']) {
  await deleteAllResources(database)
  const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Europe/Berlin' })
  const location_id = await createLocation(database, { building_id, name: 'Deck' })
  const make = (name: string, type = 0) => createBookable(database, { location_id, name, type })
  const anna = await createUser(database, { name: 'Anna Bauer', email: 'anna@example.com' })
  const [room, desk, seat] = [await make('Bridge', 2), await make('Bow 1'), await make('Bow 2')]
  const times = { from: '2026-11-25T10:00:00Z', to: '2026-11-25T11:00:00Z' }
  const event = { ...times, name: 'Launch', organizer_user_id: anna, from_timezone: 'Europe/Berlin' }
  const event_id = await createEvent(database, event)
  await createBooking(database, { ...times, event_id, bookable_id: room })
  const emails = ['grace@guests.example', 'joan@guests.example']
  await database('event_attendees').insert(emails.map((email) => ({ event_id, email })))
  const day = { from: '2026-11-25T08:00:00Z', to: '2026-11-25T16:00:00Z' }
  const guest = { user_id: anna, bookable_id: desk, guest_name: 'Mary Visitor' }
  const booking = await createBooking(database, { ...day, ...guest })
  await createBooking(database, { ...day, user_id: anna, bookable_id: seat })
  return { anna, building_id, location_id, event_id, booking, seat }
}

/** Returns the data that the button of a row sends. The button is outside its form. */
function findChange({ page }: Browser, label: string, about: string): string {
  const pattern = new RegExp(`value="([^"]+)" aria-label="${label}: ${about}"`)
  return pattern.exec(page.text)?.[1] ?? expect.fail(`${label}: ${about}`)
}

function send(browser: Browser, change: string) {
  const form = parseForms(browser.page.text).find(({ controls }) =>
    controls.some(({ name, value }) => name === '_action' && value === 'record'),
  )
  if (!form) expect.fail('No form')
  const button = { name: 'change', value: change, type: 'submit', checked: false, options: [] }
  return browser.send({ ...form, controls: [...form.controls, button] })
}

describe('the page of a day’s visitors', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let scene: Awaited<ReturnType<typeof createVisits>>
  beforeEach(async () => {
    scene = await createVisits(world.database)
  })

  const rows = () =>
    [...browser.page.text.matchAll(/<tr><th scope="row"[\s\S]*?(?=<tr>|<\/tbody>)/g)].map(([row]) =>
      extractWords(row),
    )
  const rowOf = (visitor: string) => rows().find((row) => row.startsWith(visitor)) ?? expect.fail(visitor)
  const press = (label: string, about: string) => send(browser, findChange(browser, label, about))

  it('lists visitors by the local date of their building', async () => {
    const building_id = await createBuilding(world.database, { timezone: 'America/New_York' })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { location_id })
    // Creates visits on the evening before, and on the local evening, when it is already the next day in Berlin.
    for (const [guest_name, hour] of [
      ['Yesterday’s guest', '2026-11-24T23'],
      ['Today’s guest', '2026-11-25T23'],
    ])
      await createBooking(world.database, {
        bookable_id,
        user_id: scene.anna,
        guest_name,
        from: `${hour}:00:00Z`,
        to: `${hour}:30:00Z`,
      })
    await browser.open(VISITORS_PATH)
    expect(browser.words).to.include('Today’s guest').and.not.include('Yesterday’s guest')
    await browser.open(`${VISITORS_PATH}?date=2026-11-24`)
    expect(browser.words).to.include('Yesterday’s guest').and.not.include('Today’s guest')
  })

  it('lists the visitors of a building, however many another one expects, and says if the list is cut', async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Alpha House', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(database, { building_id })
    const hall = await createBookable(database, { location_id, type: 2 })
    const times = { from: '2026-11-25T10:00:00Z', to: '2026-11-25T11:00:00Z' }
    const event = { ...times, organizer_user_id: scene.anna, from_timezone: 'Europe/Berlin' }
    const event_id = await createEvent(database, event)
    await createBooking(database, { ...times, event_id, bookable_id: hall })
    const emails = Array.from({ length: 320 }, (_, index) => `v${index}@guests.example`)
    await database('event_attendees').insert(emails.map((email) => ({ event_id, email })))
    await browser.open(`${VISITORS_PATH}?building=${scene.building_id}`)
    expect(browser.words).to.include('3 visitors, 0 arrived').and.not.include('Only the first')
    await browser.open(VISITORS_PATH)
    expect(browser.words).to.include('300 visitors').and.include('Only the first 300 are shown.')
  })

  it('lists visitors by building, with time, host, meeting and room, and the host’s desk', async () => {
    await browser.open(VISITORS_PATH)
    expect(browser.words).to.include('Harbour').and.include('3 visitors, 0 arrived')
    expect(rows().map((row) => row.replace(/ Arrived$/, ''))).to.deep.equal([
      'Mary Visitor 09:00 Anna Bauer Bow 2, Deck, Harbour, until 17:00 Booking '.concat(
        `${scene.booking} Bow 1 Deck`,
      ),
      'grace@guests.example 11:00 Anna Bauer Bow 2, Deck, Harbour, until 17:00 Launch Bridge Deck',
      'joan@guests.example 11:00 Anna Bauer Bow 2, Deck, Harbour, until 17:00 Launch Bridge Deck',
    ])
    expect(browser.page.text).to.include(
      `/dashboard/map?location=${scene.location_id}&amp;bookable=${scene.seat}`,
    )
    await browser.open(`${VISITORS_PATH}?search=launch+grace`)
    expect(rows()).to.have.length(1)
    await browser.follow('Tomorrow')
    expect(browser.words).to.include('26 November 2026').and.include('No visitors are expected.')
    await world.database('events').update({ status: 2 })
    await browser.open(VISITORS_PATH)
    expect(rows(), 'a cancelled meeting').to.have.length(1)
  })

  it('names no room that was released, and still expects the visitor in its building', async () => {
    const { event_id } = scene
    await world.database('bookings').where({ event_id }).update({ released_at: '2026-11-25T10:15:00Z' })
    await browser.open(VISITORS_PATH)
    expect(rowOf('grace@guests.example')).to.include('Launch').and.include('Deck').and.not.include('Bridge')
    expect(browser.words).to.include('Harbour').and.not.include('Without a building')
  })

  it('shows visitors by the name that the inviter entered, and finds them by name and by e-mail address', async () => {
    await world
      .database('event_attendees')
      .where({ email: 'grace@guests.example' })
      .update({ name: 'Grace Hopper' })
    for (const search of ['hopper', 'grace@guests.example']) {
      await browser.open(`${VISITORS_PATH}?search=${search}`)
      expect(rows(), search).to.have.length(1)
      expect(rowOf('Grace Hopper'), search).to.include('Anna Bauer').and.include('Bridge')
    }
  })

  it('marks visitors as arrived, shows who notified the host and when, and can undo both', async () => {
    await browser.open(VISITORS_PATH)
    await press('Arrived', 'grace@guests.example')
    expect(browser.words).to.include('grace@guests.example arrived.').and.include('3 visitors, 1 arrived')
    expect(rowOf('grace')).to.match(/Arrived 10:3\d Host notified Not arrived$/)
    expect(rowOf('joan'), 'somebody else').to.match(/Arrived$/)
    await press('Host notified', 'Anna Bauer')
    expect(rowOf('grace')).to.match(/Arrived 10:3\d Host notified 10:3\d, \S+@\S+ Not arrived$/)
    await press('Arrived', 'Mary Visitor')
    expect(browser.words).to.include('Mary Visitor arrived.')
    await press('Not arrived', 'grace@guests.example')
    expect(browser.words).to.include('3 visitors, 1 arrived')
    expect(rowOf('grace')).to.match(/Arrived$/)
    expect(await world.database('arrivals').pluck('booking_id')).to.deep.equal([scene.booking])
    const actions = await world
      .database('audit_log')
      .where({ resource: 'visitors' })
      .orderBy('id')
      .pluck('action')
    expect(actions).to.deep.equal([
      'visitors.arrive',
      'visitors.tell-host',
      'visitors.arrive',
      'visitors.undo-arrival',
    ])
  })

  it('marks a visitor as arrived once, even if two people at the front desk press the button at the same time', async () => {
    const other = await createSignedIn(world, 'desk@example.com', 'front-desk')
    await other.open(VISITORS_PATH)
    await browser.open(VISITORS_PATH)
    const change = findChange(browser, 'Arrived', 'Mary Visitor')
    await send(browser, change)
    const [first] = await world.database('arrivals')
    await send(other, change)
    expect(other.page.status).to.equal(200)
    expect(await world.database('arrivals')).to.deep.equal([first])
  })

  it('refuses to mark visitors as arrived who are no longer expected, and explains the refusal', async () => {
    await browser.open(VISITORS_PATH)
    const change = findChange(browser, 'Arrived', 'grace@guests.example')
    await world.database('event_attendees').where({ event_id: scene.event_id }).delete()
    await send(browser, change)
    expect(browser.words).to.include('This visitor is no longer expected.')
    await send(browser, 'arrive-x1')
    expect(browser.words).to.include('This form does not belong to this page.')
  })

  it('records walk-in visitors, and notifies their host', async () => {
    const walkIn = { visitor: 'Ada Walker', host: 'anna@example.com', building: String(scene.building_id) }
    await browser.open(VISITORS_PATH)
    await browser.submit('Arrived', { ...walkIn, host: 'nobody@example.com' })
    expect(browser.words).to.include('There is no active person with the e-mail “nobody@example.com”.')
    await browser.submit('Arrived', walkIn)
    expect(browser.words).to.include('Ada Walker arrived.').and.include('4 visitors, 1 arrived')
    expect(rowOf('Ada Walker')).to.match(/10:3\d Anna Bauer .* walk-in .*Arrived 10:3\d Host notified/)
    await press('Host notified', 'Anna Bauer')
    expect(rowOf('Ada Walker')).to.match(/Host notified 10:3\d, \S+@\S+ Not arrived$/)
    await press('Not arrived', 'Ada Walker')
    expect(browser.words).to.include('3 visitors, 0 arrived').and.not.include('Ada Walker')
    await browser.submit('Arrived', walkIn)
    const author = {
      actor: { type: 'system', id: null, name: 'test' },
      requestId: 'r',
      attempt: null,
    } as const
    await world.database.transaction((trx) =>
      eraseUser(trx, { id: scene.anna, now: new Date(NOW).toISOString() }, author),
    )
    expect(await world.database('arrivals')).to.deep.equal([])
  })

  it('deletes the arrival of visitors who are removed from the meeting', async () => {
    await browser.open(VISITORS_PATH)
    await press('Arrived', 'grace@guests.example')
    await world.database('event_attendees').where({ email: 'grace@guests.example' }).delete()
    expect(await world.database('arrivals')).to.deep.equal([])
  })

  it('escapes hostile names', async () => {
    for (const text of HOSTILE_TEXTS) {
      await world
        .database('bookings')
        .where({ id: scene.booking })
        .update({ guest_name: text.slice(0, 200) })
      await browser.open(VISITORS_PATH)
      expectHarmless(browser.page.text, text)
    }
  })
})

describe('the host of a visitor', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'berth@example.com',
    },
  }))
  const browser = useSignedIn(world)

  it('gets one mail when the front desk asks Berth to notify them', async () => {
    await createVisits(world.database)
    const grace = world.database('event_attendees').where({ email: 'grace@guests.example' })
    await grace.update({ name: 'Grace Hopper' })
    await browser.open(`${VISITORS_PATH}?date=2026-11-25`)
    const press = (label: string, about: string) => send(browser, findChange(browser, label, about))
    await press('Mark as arrived and e-mail the host', 'Grace Hopper')
    expect(browser.words).to.include('Grace Hopper arrived. The host gets an e-mail.')
    const [mail] = await eventually(() => {
      const sent = smtp.sentTo('anna@example.com')
      expect(sent).to.have.length(1)
      return sent
    })
    expect(mail?.headers).to.include('Subject: Your visitor has arrived')
    expect(mail?.text).to.match(/^Grace Hopper has arrived at \d\d:\d\d, Harbour\.\s+Meeting: Launch\s/)
    await eventually(async () => {
      await browser.open(`${VISITORS_PATH}?date=2026-11-25`)
      expect(browser.words).to.match(/Host notified by e-mail /)
    })
    expect(browser.page.text).to.not.include('aria-label="E-mail the host')
    await press('Arrived', 'joan@guests.example')
    await press('E-mail the host', 'Anna Bauer')
    await eventually(() => expect(smtp.sentTo('anna@example.com')).to.have.length(2))
  })
})
