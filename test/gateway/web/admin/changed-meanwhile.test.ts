// Tests forms of resources that somebody else has changed since the form was opened. The form never overwrites such
// changes unnoticed.
import { expect } from 'chai'
import { type Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createWebhook } from '../../../support/dashboard/webhook-examples.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  createVehicle,
} from '../../../support/factories.ts'
import { createWorld, type World } from '../../../support/world.ts'

type Fields = Record<string, string | string[]>
type ResourceKind = {
  title: string
  create(): Promise<number>
  path(id: number): string
  button: string
  /** The fields that another administrator saves while the form is open. */
  theirs: Fields
  ours: Fields
  told: string[]
  /** The stored values after the first administrator saves the form anyway. */
  saved: object
  row(id: number): Promise<object>
}

describe('a form of a resource that another administrator has changed in the meantime', () => {
  let world: World
  let browser: Browser
  let other: Browser
  before(async () => {
    world = await createWorld({ workers: ['writes'] })
    browser = await createSignedIn(world)
    other = await createSignedIn(world, 'other@example.com')
  })
  after(() => world.close())

  const rowOf = (table: string) => (id: number) => world.database(table).where({ id }).first()
  const during = { from: '2098-03-02T09:00:00Z', to: '2098-03-02T10:00:00Z' }

  const kinds: ResourceKind[] = [
    {
      title: 'a building',
      create: () => createBuilding(world.database, { name: 'A', address: 'Old street' }),
      path: (id) => `/dashboard/places/buildings/${id}/details`,
      button: 'Save changes',
      theirs: { name: 'B', address: 'New street' },
      ours: { name: 'C' },
      told: ['Name was “A”, is now “B”. You entered “C”.', 'Address was “Old street”, is now “New street”.'],
      saved: { name: 'C', address: 'New street' },
      row: rowOf('buildings'),
    },
    {
      title: 'a location',
      create: () => createLocation(world.database, { name: 'A', code: '' }),
      path: (id) => `/dashboard/places/locations/${id}/details`,
      button: 'Save changes',
      theirs: { code: 'B-1' },
      ours: { name: 'C' },
      told: ['Code was empty, is now “B-1”.'],
      saved: { name: 'C', code: 'B-1' },
      row: rowOf('locations'),
    },
    {
      title: 'a bookable',
      create: () => createBookable(world.database, { name: 'A', tags: ['window'] }),
      path: (id) => `/dashboard/places/bookables/${id}`,
      button: 'Save changes',
      theirs: { status: '1', tags: 'window, lamp', requires_vehicle: 'true' },
      ours: { name: 'C', tags: 'quiet' },
      told: [
        'Status was “Flexible”, is now “Blocked”.',
        'Tags was “window”, is now “window, lamp”. You entered “quiet”.',
        'Bookings require a vehicle was “no”, is now “yes”.',
      ],
      saved: { name: 'C', status: 1, tags: ['quiet'], requires_vehicle: true },
      row: rowOf('bookables'),
    },
    {
      title: 'a position on the floor plan',
      async create() {
        const location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(30, 20)))
        return createBookable(world.database, { location_id, position_x: 0.25, position_y: 0.5 })
      },
      path: (id) => `/dashboard/places/bookables/${id}`,
      button: 'Save position',
      theirs: { left: '33.333' },
      ours: { left: '70', top: '80' },
      told: ['Distance from the left (%) was “25”, is now “33.333”. You entered “70”.'],
      saved: { position_x: 0.7, position_y: 0.8 },
      row: rowOf('bookables'),
    },
    {
      title: 'a person',
      create: () => createUser(world.database, { name: 'A', email: 'a@example.com' }),
      path: (id) => `/dashboard/people/${id}/edit`,
      button: 'Save changes',
      theirs: { groups: 'Sales\nStaff', license_plates: 'B-ER 1' },
      ours: { name: 'C', groups: 'Board' },
      told: [
        'Groups was empty, is now “Sales Staff”. You entered “Board”.',
        'License plates was empty, is now “B-ER 1”.',
      ],
      saved: { name: 'C', groups: ['Board'], plates: ['B-ER 1'] },
      async row(id) {
        const groups = await world.database('groups').join('group_members', 'group_id', 'groups.id')
        const plates = await world.database('vehicles').where({ user_id: id }).pluck('license_plate')
        const own = groups.filter(({ user_id }) => user_id === id).map(({ name }) => name)
        return { ...(await rowOf('users')(id)), groups: own, plates }
      },
    },
    {
      title: 'a booking',
      async create() {
        const user_id = await createUser(world.database)
        await createVehicle(world.database, { user_id, license_plate: 'B-ER 2' })
        const bookable_id = await createBookable(world.database, { type: 1 })
        return createBooking(world.database, { user_id, bookable_id, ...during })
      },
      path: (id) => `/dashboard/bookings/${id}`,
      button: 'Save changes',
      theirs: { to_time: '2098-03-02T11:00' },
      ours: { from_time: '2098-03-02T08:00' },
      told: ['Until was “2098-03-02T10:00”, is now “2098-03-02T11:00”.'],
      saved: { from: '2098-03-02T08:00:00.000Z', to: '2098-03-02T11:00:00.000Z' },
      row: async (id) => {
        const { rows } = await world.database.raw(
          'SELECT lower(during) AS "from", upper(during) AS "to" FROM bookings WHERE id = ?',
          [id],
        )
        return { from: new Date(rows[0].from).toISOString(), to: new Date(rows[0].to).toISOString() }
      },
    },
    {
      title: 'an event',
      async create() {
        const organizer_user_id = await createUser(world.database, { name: 'Olga' })
        const id = await createEvent(world.database, { name: 'A', organizer_user_id, ...during })
        const attendee = { event_id: id, user_id: organizer_user_id, role: 0, status: 1 }
        await world.database('event_attendees').insert(attendee)
        return id
      },
      path: (id) => `/dashboard/events/${id}/change`,
      button: 'Save changes',
      theirs: { name: 'B', description: 'x'.repeat(300), classification: '1' },
      ours: { name: 'C' },
      told: [
        'Name was “A”, is now “B”. You entered “C”.',
        `Description was empty, is now “${'x'.repeat(200)}…”.`,
        'Classification was “Default”, is now “Private”.',
      ],
      saved: { name: 'C', description: 'x'.repeat(300), classification: 1 },
      row: rowOf('events'),
    },
    {
      title: 'a webhook',
      create: () => createWebhook(world.database, { types: ['user.*', 'event.created'] }),
      path: (id) => `/dashboard/integrations/webhooks/${id}`,
      button: 'Save changes',
      theirs: { url: 'https://new.example.com/berth', groups: ['booking.*', 'user.*'], actions: '' },
      ours: { description: 'Kitchen' },
      told: [
        'URL was “https://hooks.example.net/berth”, is now “https://new.example.com/berth”.',
        'Send changes of was “People”, is now “Bookings, People”.',
        'Other changes was “event.created”, is now empty.',
      ],
      saved: {
        url: 'https://new.example.com/berth',
        description: 'Kitchen',
        types: ['booking.*', 'user.*'],
      },
      row: rowOf('webhooks'),
    },
    {
      title: 'the types of a webhook',
      create: () => createWebhook(world.database, { types: ['user.*'] }),
      path: (id) => `/dashboard/integrations/webhooks/${id}`,
      button: 'Save changes',
      theirs: { groups: ['booking.*', 'user.*'] },
      ours: { groups: ['event.*'] },
      told: ['Send changes of was “People”, is now “Bookings, People”. You entered “Meetings”.'],
      saved: { types: ['event.*'] },
      row: rowOf('webhooks'),
    },
  ]

  for (const { title, create, path, button, theirs, ours, told, saved, row } of kinds) {
    it(`shows the differences of ${title}, and saves when it is sent again`, async () => {
      const id = await create()
      await browser.open(path(id))
      await other.open(path(id))
      expect((await other.submit(button, theirs)).status).to.equal(200)
      const between = await row(id)
      expect((await browser.submit(button, ours)).status).to.equal(409)
      for (const sentence of told) expect(browser.words).to.include(`Changed in the meantime: ${sentence}`)
      expect(browser.words.match(/Changed in the meantime/g)).to.have.length(told.length)
      expect(await row(id), 'nothing is saved before it was seen').to.deep.equal(between)
      expect((await browser.submit(button)).status).to.equal(200)
      expect(await row(id)).to.deep.include(saved)
    })
  }

  it('shows the differences even if the first attempt contained a mistake', async () => {
    const id = await createBuilding(world.database, { name: 'A' })
    const path = `/dashboard/places/buildings/${id}/details`
    await browser.open(path)
    await other.open(path)
    await other.submit('Save changes', { name: 'B' })
    expect((await browser.submit('Save changes', { name: ' ' })).status).to.equal(422)
    expect((await browser.submit('Save changes', { name: 'Our own' })).status).to.equal(409)
    expect(browser.words).to.include('Name was “A”, is now “B”. You entered “Our own”.')
  })

  it('shows attendees whom others have added to an event, and keeps them', async () => {
    const organizer_user_id = await createUser(world.database, { name: 'Olga' })
    const id = await createEvent(world.database, { organizer_user_id, ...during })
    const row = { event_id: id, user_id: organizer_user_id, role: 0, status: 1 }
    await world.database('event_attendees').insert(row)
    const guest = await createUser(world.database, { name: 'Gustav' })
    await browser.open(`/dashboard/events/${id}/change`)
    await other.open(`/dashboard/events/${id}/change?add=u${guest}`)
    expect((await other.submit('Save changes')).status).to.equal(200)
    expect((await browser.submit('Save changes', { name: 'C' })).status).to.equal(409)
    expect(browser.words).to.include('The list of people was “Olga”, is now “Olga, Gustav”.')
    expect((await browser.submit('Save changes')).status).to.equal(200)
    const users = await world.database('event_attendees').where({ event_id: id }).pluck('user_id')
    expect(users).to.have.members([organizer_user_id, guest])
  })

  it('is saved if the other administrator changed only other fields', async () => {
    const id = await createBookable(world.database, { name: 'A' })
    const path = `/dashboard/places/bookables/${id}`
    await browser.open(path)
    await world.database('bookables').where({ id }).update({ position_x: 0.5, position_y: 0.5 })
    expect((await browser.submit('Save changes', { name: 'C' })).status).to.equal(200)
    expect(await rowOf('bookables')(id)).to.deep.include({ name: 'C', position_x: 0.5 })
  })

  it('escapes hostile values of the changed resource', async () => {
    const id = await createBuilding(world.database, { name: 'A' })
    for (const hostile of ['{', 'null', '7', '{"name":{"x":1}}', '{"name":"<script>alert(1)</script>"}']) {
      await browser.open(`/dashboard/places/buildings/${id}/details`)
      const fields = { name: 'Hostile', _version: 'x', _filled: hostile }
      expect((await browser.submit('Save changes', fields)).status, hostile).to.equal(409)
      expect(browser.page.text).to.not.include('<script>alert')
    }
  })
})
