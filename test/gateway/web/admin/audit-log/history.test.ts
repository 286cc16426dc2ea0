// Tests the history of a resource on its page and in the audit log: sentences with names, which contain only
// what has changed.
import { expect } from 'chai'
import { createSignedIn, extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// A time before the bookings.
const NOW = Date.parse('2031-03-01T09:30:00Z')

describe('the history of a resource in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building: number
  let location: number
  let desk: number
  let anna: number
  beforeEach(async () => {
    await world.database('audit_log').delete()
    building = await createBuilding(world.database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
    location = await createLocation(world.database, { building_id: building, name: '3rd floor' })
    desk = await createBookable(world.database, { location_id: location, name: 'Desk 7' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  const entries = () => {
    const [, list = ''] = browser.page.text.split('<h2 id="history">')
    return [...list.matchAll(/<li><p>(.*?)<\/p>/gs)].map(([, text = '']) =>
      extractWords(text).replace(/ ([,.;:])/g, '$1'),
    )
  }
  async function book(): Promise<number> {
    await browser.open(`/dashboard/bookings/new?user=${anna}&bookable=${desk}`)
    await browser.submit('Create booking', { from_time: '2031-03-03T09:00', to_time: '2031-03-03T12:00' })
    return Number(/bookings\/(\d+)/.exec(browser.page.path)?.[1])
  }

  it('shows people who made a change themselves by their current name', async () => {
    await world.database('audit_log').insert({
      actor_type: 'user',
      actor_id: anna,
      actor_name: `User ${anna}`,
      request_id: 'r',
      action: 'bookables.edit',
      resource: 'bookables',
      resource_id: desk,
      before: { name: 'Desk 6' },
      after: { name: 'Desk 7' },
    })
    await world.database('users').where({ id: anna }).update({ name: 'Anna Berg' })
    await browser.open(`/dashboard/places/bookables/${desk}/history`)
    expect(browser.words).to.include('Anna Berg').and.not.include(`User ${anna}`)
  })

  it('says who booked a desk, who moved the booking and who cancelled it, in the local time zone', async () => {
    const id = await book()
    await browser.submit('Save changes', { from_time: '2031-03-03T10:00', to_time: '2031-03-03T12:00' })
    const moved =
      'admin@example.com moved the booking of Desk 7 for Anna Bauer from Mon, 3 Mar 2031, 09:00 to 12:00 to Mon, 3 Mar 2031, 10:00 to 12:00.'
    const booked = 'admin@example.com booked Desk 7 for Anna Bauer, Mon, 3 Mar 2031, 09:00 to 12:00.'
    expect(entries()).to.deep.equal([moved, booked])
    await browser.open(`/dashboard/bookings/${id}/cancel`)
    await browser.submit('Cancel booking')
    const cancelled =
      'admin@example.com cancelled the booking of Desk 7 for Anna Bauer, Mon, 3 Mar 2031, 10:00 to 12:00.'
    for (const path of [`/places/bookables/${desk}/history`, `/people/${anna}`]) {
      await browser.open(`/dashboard${path}`)
      expect(entries(), path).to.deep.equal([cancelled, moved, booked])
    }
    await browser.follow('Desk 7')
    expect(browser.page.path).to.equal(`/dashboard/places/bookables/${desk}`)
  })

  it('says which bookings were moved from one desk to another', async () => {
    const other = await createBookable(world.database, { location_id: location, name: 'Desk 8' })
    const id = await book()
    await browser.open(`/dashboard/bookings/${id}/move`)
    await browser.submit('Move booking', { bookable_id: String(other) })
    for (const path of [desk, other]) {
      await browser.open(`/dashboard/places/bookables/${path}/history`)
      expect(entries()[0], String(path)).to.include(
        'moved the booking for Anna Bauer from Desk 7 to Desk 8, Mon, 3 Mar 2031, 09:00 to 12:00',
      )
    }
    await browser.open(`/dashboard/places/bookables/${desk}/history`)
    expect(entries()).to.have.length(2)
  })

  it('says which events use a room, and which events no longer do', async () => {
    const room = await createBookable(world.database, { location_id: location, name: 'Bridge', type: 2 })
    const client = await world.client('booking-write')
    const { json } = await client.post('events', {
      name: 'Planning',
      organizer_user_id: anna,
      from_time: '2031-03-03T09:00:00Z',
      to_time: '2031-03-03T10:00:00Z',
      attendees: [{ type: 'bookable', id: String(room) }],
    })
    const path = `/dashboard/places/bookables/${room}/history`
    await browser.open(path)
    expect(entries()).to.have.length(1)
    expect(entries()[0]).to.include('created the meeting Planning')
    expect((await client.delete(`events/${json.data.id}`)).status).to.equal(204)
    await browser.open(path)
    expect(entries()).to.have.length(2)
    expect(entries()[0]).to.include('cancelled the meeting Planning')
    await browser.open(`/dashboard/places/bookables/${desk}/history`)
    expect(entries()).to.have.length(0)
  })

  it('shows only changed fields, with names, and links to each full entry', async () => {
    const other = await createLocation(world.database, { building_id: building, name: '4th floor' })
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { name: 'Desk 8', location_id: String(other) })
    await browser.open(`/dashboard/places/bookables/${desk}/history`)
    expect(entries()).to.deep.equal([
      'admin@example.com changed Desk 8: name Desk 7 → Desk 8; floor 3rd floor → 4th floor.',
    ])
    const { id } = await world.database('audit_log').first('id')
    await browser.open(`/dashboard/audit-log/${id}`)
    expect(browser.words, 'the whole of it').to.include('capacity').and.include('Before and after')
    await browser.open('/dashboard/audit-log')
    expect(browser.words).to.include('floor 3rd floor → 4th floor')
  })

  it('also appears on buildings, locations, events and bookings, and says if it is empty', async () => {
    const ofBuilding = `/dashboard/places/buildings/${building}`
    await browser.open(`${ofBuilding}/history`)
    expect(browser.words).to.include('Nothing has been recorded yet.')
    await browser.open(`${ofBuilding}/details`)
    await browser.submit('Save changes', { name: 'Harbour Hall' })
    await browser.open(`${ofBuilding}/history`)
    expect(entries()[0]).to.include('changed the building Harbour Hall: name Harbour House → Harbour Hall')
    await browser.open(`/dashboard/places/locations/${location}/details`)
    await browser.submit('Save changes', { code: 'L3' })
    await browser.open(`/dashboard/places/locations/${location}/history`)
    expect(entries()[0]).to.match(/changed 3rd floor: code .* → L3/)
    const event = await world.client('booking-write')
    const { json } = await event.post('events', {
      name: 'Planning',
      organizer_user_id: anna,
      from_time: '2031-03-03T09:00:00Z',
      to_time: '2031-03-03T10:00:00Z',
    })
    await browser.open(`/dashboard/events/${json.data.id}`)
    expect(entries()[0]).to.match(
      /token created the meeting Planning, Mon, 3 Mar 2031, \d\d:00 to \d\d:00\.$/,
    )
  })

  it('shows only the newest entries, and links to the older ones', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({
      actor_type: 'token',
      actor_name: `Kiosk ${index}`,
      action: 'bookables.update',
      resource: 'bookables',
      resource_id: desk,
      request_id: 'r',
    }))
    await book()
    await world.database('audit_log').insert(rows)
    await browser.open(`/dashboard/places/bookables/${desk}/history`)
    expect(entries()).to.have.length(8)
    expect(entries()[0]).to.include('Kiosk 11 token changed Desk 7')
    await browser.follow('View in audit log')
    expect(browser.words).to.include('Kiosk 0').and.include('booked Desk 7 for Anna Bauer')
    await browser.submit('Search', { name: 'kiosk 0' })
    expect(browser.words).to.include('Kiosk 0').and.not.include('booked Desk 7 for Anna Bauer')
  })

  it('is hidden from administrators with the role reader', async () => {
    const reader = await createSignedIn(world, 'r@example.com', 'reader')
    await book()
    await reader.open(`/dashboard/places/bookables/${desk}`)
    expect(reader.page.status).to.equal(200)
    expect(reader.words).to.include('Desk 7').and.not.include('History')
  })

  it('finds the bookings of a desk and of a person with an index', async () => {
    const conditions = [
      `resource = 'bookings' AND coalesce(after, before) ->> 'bookable_id' = 7::bigint::text`,
      `resource = 'bookings' AND coalesce(after, before) ->> 'user_id' = 7::bigint::text`,
      `before ->> 'bookable_id' <> after ->> 'bookable_id' AND before ->> 'bookable_id' = 7::bigint::text`,
    ]
    for (const condition of conditions) {
      const plan: string = await world.database.transaction(async (trx) => {
        await trx.raw('SET LOCAL enable_seqscan = off')
        const { rows } = await trx.raw(
          `EXPLAIN SELECT * FROM audit_log WHERE ${condition} ORDER BY at DESC, id DESC LIMIT 9`,
        )
        return JSON.stringify(rows)
      })
      expect(plan, condition)
        .to.match(/audit_log__(bookable|user|moved)_lookup/)
        .and.not.include('Sort')
    }
  })

  it('escapes hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      await world.database('bookables').where({ id: desk }).update({ name: text })
      await world.database('audit_log').insert({
        actor_type: 'admin',
        actor_name: text,
        action: 'bookables.edit',
        resource: 'bookables',
        resource_id: desk,
        before: JSON.stringify({ [text]: text, name: text }),
        after: JSON.stringify({ [text]: 1, name: 'x', during: text }),
        request_id: 'r',
      })
      for (const path of [`/places/bookables/${desk}/history`, '/audit-log']) {
        expect((await browser.open(`/dashboard${path}`)).status).to.equal(200)
        expectHarmless(browser.page.text, text)
      }
    }
  })
})
