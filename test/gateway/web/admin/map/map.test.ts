// Tests the map of a location: the states of bookables at a time, who has them until when, and where a booking is.

import { expect } from 'chai'
import { extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { deleteAllResources } from '../../../../support/office.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// It is 10:30 in Berlin.
const NOW = '2026-11-20T09:30:00Z'
const MORNING = { from: '2026-11-20T09:00:00Z', to: '2026-11-20T11:00:00Z' }

describe('the map of a floor in the dashboard', () => {
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  const browser = useSignedIn(world)
  let location_id: number
  let ada: number
  beforeEach(async () => {
    await deleteAllResources(world.database)
    const building_id = await createBuilding(world.database, {
      name: 'Harbour House',
      timezone: 'Europe/Berlin',
    })
    location_id = await createLocation(world.database, { building_id, name: '3rd floor' })
    ada = await createUser(world.database, { name: 'Ada Lovelace' })
  })

  const make = (name: string, row: object = {}) =>
    createBookable(world.database, { location_id, name, ...row })
  const open = (query = '') => browser.open(`/dashboard/map?location=${location_id}${query}`)
  /** Returns the label and content of a cell. */
  const cellOf = (name: string): [state: string, words: string] => {
    const cells = [...browser.page.text.matchAll(/<a\b([^>]*\sclass="cell"[^>]*)><title>([^<]*)<\/title>/g)]
    const [, own = '', title = ''] = cells.find(([, , words = '']) => words.startsWith(`${name}:`)) ?? []
    return [/data-state="(\w+)"/.exec(own)?.[1] ?? '', extractWords(title).slice(name.length + 2)]
  }
  const markedOf = () => /data-bookable="(\d+)"[^>]*data-marked="true"/.exec(browser.page.text)?.[1]

  it('shows the plan of a floor without desks, and says what to do next', async () => {
    await world
      .database('locations')
      .where({ id: location_id })
      .update(createFloorPlanColumns(drawPng(60, 40)))
    const { text } = await open()
    expect(text).to.include('/floor-plans/').and.include(`/places/locations/${location_id}/add"`)
    expect(browser.words).to.include('No desks, rooms or parking yet.')
  })

  it('offers a booking on an evening whose midnight the clocks skip', async () => {
    await world.database('buildings').update({ timezone: 'Africa/Cairo' })
    const bookable = await make('Desk')
    // In Cairo, the day 2027-04-30 begins at 01:00.
    const { status, text } = await open(`&bookable=${bookable}&date=2027-04-29&time=23:30`)
    expect(status).to.equal(200)
    expect(text).to.include('data-to="2027-04-30T01:30"').and.include('to=2027-04-30T01%3A30')
  })

  it('shows bookings with their people and ends in the time zone of the building', async () => {
    const desk = await make('Desk')
    await createBooking(world.database, {
      bookable_id: desk,
      user_id: ada,
      ...MORNING,
      guest_name: 'Guest G',
    })
    const next = await make('Next')
    await createBooking(world.database, { bookable_id: next, from: '2026-11-20T10:15:00Z', to: null })
    const ending = await make('Ended')
    await createBooking(world.database, { bookable_id: ending, from: '2026-11-20T08:00:00Z', to: NOW })
    const endless = await make('Endless', { status: 1 })
    await createBooking(world.database, {
      bookable_id: endless,
      user_id: ada,
      from: '2026-11-01T08:00:00Z',
      to: null,
    })
    const room = await make('Room', { type: 2 })
    const night = { from: '2026-11-20T09:00:00Z', to: '2026-11-21T09:00:00Z' }
    const event_id = await createEvent(world.database, {
      name: 'Night shift',
      organizer_user_id: ada,
      ...night,
    })
    await createBooking(world.database, { bookable_id: room, event_id, ...night })
    await make('Broken', { status: 1 })
    const owned = await make('Owned', { status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: owned, user_id: ada })
    await make('Gone', { deleted_at: new Date() })
    await open()
    expect(cellOf('Desk')).to.deep.equal(['occupied', 'Ada Lovelace for Guest G until 12:00'])
    expect(cellOf('Next')).to.deep.equal(['free', 'Free until 11:15'])
    expect(cellOf('Ended')).to.deep.equal(['free', 'Free for at least a day'])
    expect(cellOf('Endless')).to.deep.equal(['occupied', 'Ada Lovelace, open-ended'])
    expect(cellOf('Room')).to.deep.equal([
      'occupied',
      'Night shift, Ada Lovelace until Sat, 21 Nov 2026, 10:00',
    ])
    expect(cellOf('Broken')).to.deep.equal(['blocked', 'Blocked: nobody can book it'])
    expect(cellOf('Owned')).to.deep.equal(['assigned', 'Assigned to Ada Lovelace; free for at least a day'])
    expect(cellOf('Gone')).to.deep.equal(['', ''])
    expect(browser.words).to.include('Time zone: Europe/Berlin').and.include('Live: this map updates')
    // The list shows the same texts as the map.
    expect(browser.words).to.include('Desk occupied Ada Lovelace for Guest G until 12:00.')
  })

  it('shows closed desks as blocked with the reason, and as free only until the next closing', async () => {
    const closed = (from: string, to: string, reason: string) => ({
      rules: JSON.stringify({ closed: [{ from, to, reason }] }),
    })
    await make('Shut', closed('2026-11-20T08:00:00Z', '2026-11-20T15:00:00Z', 'Repairs'))
    await make('Later', closed('2026-11-20T12:00:00Z', '2026-11-20T15:00:00Z', 'Repairs'))
    await make('Before', closed('2026-11-19T08:00:00Z', '2026-11-19T15:00:00Z', 'Repairs'))
    await open()
    expect(cellOf('Shut')).to.deep.equal(['blocked', 'Closed until 16:00: Repairs'])
    expect(cellOf('Later')).to.deep.equal(['free', 'Free until 13:00'])
    expect(cellOf('Before')).to.deep.equal(['free', 'Free for at least a day'])
    const closedBuilding = closed('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 'Holiday')
    await world.database('buildings').update(closedBuilding)
    try {
      await open()
      expect(cellOf('Later')).to.deep.equal(['blocked', 'Closed until Sat, 21 Nov 2026, 01:00: Holiday'])
    } finally {
      await world.database('buildings').update({ rules: null })
    }
  })

  it('shows a chosen time, in the time zone of the building', async () => {
    const desk = await make('Desk')
    await createBooking(world.database, { bookable_id: desk, ...MORNING })
    const at = async (query: string) => {
      await open(query)
      return cellOf('Desk')[0]
    }
    expect(await at('&date=2026-11-20&time=09:59')).to.equal('free')
    expect(await at('&date=2026-11-20&time=10:00')).to.equal('occupied')
    expect(await at('&time=12:00')).to.equal('free')
    expect(await at('&date=2026-11-21'), 'at the same time of another day').to.equal('free')
    expect(browser.words).to.include('Sat, 21 Nov 2026, 10:30').and.include('Back to now')
    expect(await at('&date=&time='), 'emptied fields').to.equal('occupied')
    // The clocks went back the night before: 10:00 is now 09:00 UTC, and was 08:00 UTC on the previous day.
    await createBooking(world.database, {
      bookable_id: desk,
      from: '2026-10-25T09:00:00Z',
      to: '2026-10-25T10:00:00Z',
    })
    expect(await at('&date=2026-10-25&time=10:00')).to.equal('occupied')
    expect(await at('&date=2026-03-29&time=02:30'), 'a time that never was').to.equal('free')
  })

  it('shows an error for an invalid time or location', async () => {
    for (const [query, sentence] of [
      ['&date=2026-02-30', 'Day must be a date, such as 2026-11-20.'],
      ['&date=tomorrow', 'Day must be a date, such as 2026-11-20.'],
      ['&time=25:00', 'Time must be a time, such as 09:30.'],
    ] as const) {
      expect((await open(query)).status, query).to.equal(422)
      expect(browser.words).to.include(sentence)
    }
    expect((await browser.open('/dashboard/map?location=999999')).status).to.equal(404)
    expect(browser.words).to.include('This floor does not exist, or it has been deleted.')
    await browser.open('/dashboard/map')
    expect(browser.page.path, 'without a redirect').to.equal('/dashboard/map')
    expect(browser.page.text, 'the location with the most desks').to.include(
      `data-refresh="/dashboard/map?location=${location_id}&amp;`,
    )
  })

  it('counts the people who share a home office', async () => {
    const home = await make('Home', { type: 3 })
    for (let number = 0; number < 5; number++) {
      await createBooking(world.database, { bookable_id: home, exclusive: false, ...MORNING })
    }
    await open()
    expect(cellOf('Home')[1]).to.match(
      /^User \d+ until 12:00; User \d+ until 12:00; User \d+ until 12:00 and 2 more$/,
    )
  })

  it('redirects from the live map URL of the API to the place and time of a booking', async () => {
    const [desk, other] = [await make('Desk'), await make('Other')]
    const span = { from: '2026-12-01T13:00:00Z', to: '2026-12-01T14:00:00Z' }
    const id = await createBooking(world.database, { bookable_id: desk, user_id: ada, ...span })
    await createBooking(world.database, { bookable_id: other, ...MORNING })
    await browser.open(`/api/v1/bookings/${id}/livemap`)
    expect(browser.page.path).to.equal(`/dashboard/map?booking=${id}`)
    expect(markedOf()).to.equal(String(desk))
    expect(cellOf('Desk')).to.deep.equal(['occupied', 'Ada Lovelace until 15:00'])
    expect(cellOf('Other')[0], 'at that time').to.equal('free')
    expect(browser.words).to.include('Ada Lovelace booked Desk from 14:00 until 15:00 (Europe/Berlin)')
    await browser.submit('Show', { date: '2026-11-20', time: '10:30' })
    expect(markedOf(), 'still marked at another time').to.equal(String(desk))
    expect(cellOf('Other')[0]).to.equal('occupied')
    await browser.follow('Back to now')
    expect(markedOf()).to.equal(undefined)
  })

  it('shows the place of a current or past booking, and answers 404 for an unknown booking', async () => {
    const [desk, other] = [await make('Desk'), await make('Other')]
    const running = await createBooking(world.database, { bookable_id: desk, user_id: ada, ...MORNING })
    await createBooking(world.database, { bookable_id: other, from: '2026-11-20T09:20:00Z', to: null })
    await browser.open(`/dashboard/map?booking=${running}`)
    expect(cellOf('Other')[0]).to.equal('occupied')
    const gone = await make('Gone', { deleted_at: new Date() })
    const past = await createBooking(world.database, {
      bookable_id: gone,
      user_id: ada,
      from: '2026-01-01T09:00:00Z',
      to: '2026-01-01T10:00:00Z',
    })
    await browser.open(`/dashboard/map?booking=${past}`)
    expect(cellOf('Gone')).to.deep.equal(['occupied', 'Ada Lovelace until 11:00'])
    expect(browser.words).to.include(', deleted')
    expect((await browser.open('/dashboard/map?booking=999999')).status).to.equal(404)
    expect(browser.words).to.include('This booking does not exist, or it has been cancelled.')
  })

  it('replaces only the cells and list items that have changed when it reloads', async () => {
    const desk = await make('Desk')
    await open()
    const part = () => browser.open(`/dashboard/map?location=${location_id}&_part=map`)
    const { text } = await part()
    expect(text)
      .to.match(/^<div data-slot="cells"><svg.*<div data-slot="list"><h2>Now/s)
      .and.include('data-state="free"')
    expect((await part()).text, 'the same again').to.equal(text)
    await createBooking(world.database, { bookable_id: desk, ...MORNING })
    await eventually(async () => {
      const [cells, list] = (await part()).text.split('data-slot="list"')
      expect(cells).to.include('data-state="occupied"')
      expect(list).to.include('occupied')
    })
  })

  it('shows bookables at their position on the plan, or in a grid if there is no plan', async () => {
    const desk = await make('Desk', { position_x: 0.5, position_y: 0.25 })
    await make('Waiting')
    await open()
    expect(browser.page.text).to.not.include('<image').and.to.not.include('Arrange floor plan')
    await world
      .database('locations')
      .where({ id: location_id })
      .update(createFloorPlanColumns(drawPng(300, 200)))
    await open(`&bookable=${desk}`)
    expect(browser.page.text).to.match(
      /<image href="\/dashboard\/floor-plans\/\d+\/[\da-f]{16}" width="1200" height="800"/,
    )
    const at = (id: number) =>
      new RegExp(`data-bookable="${id}"[^>]*transform="translate\\(([\\d.]+) ([\\d.]+)\\)`)
    expect(at(desk).exec(browser.page.text)?.slice(1).map(Number)).to.deep.equal([600, 200])
    expect(Number(at(desk + 1).exec(browser.page.text)?.[2]), 'below the plan').to.be.greaterThan(800)
    expect(markedOf()).to.equal(String(desk))
  })

  const wordsIn = (name: string) => {
    const cell = new RegExp(`<title>${name}:[^<]*</title>(.*?)</a>`, 's').exec(browser.page.text)
    return extractWords(cell?.[1] ?? '')
  }

  it('shows a name, initials or no text in each cell', async () => {
    const [desk, room] = [await make('Desk'), await make('Room', { type: 2 })]
    await createBooking(world.database, { bookable_id: desk, user_id: ada, ...MORNING })
    const event_id = await createEvent(world.database, {
      name: 'Planning',
      organizer_user_id: ada,
      ...MORNING,
    })
    await createBooking(world.database, { bookable_id: room, event_id, ...MORNING })
    const owned = await make('Owned', { status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: owned, user_id: ada })
    const visited = await make('Visited')
    const guest = { user_id: ada, guest_email: 'g@example.com', booking_info: 'A visit' }
    await createBooking(world.database, { bookable_id: visited, ...guest, ...MORNING })
    await open()
    expect(cellOf('Visited')[1], 'the guest, and no purpose').to.equal(
      'Ada Lovelace for g@example.com until 12:00',
    )
    await world.database('bookings').where({ bookable_id: visited }).delete()
    await open()
    // Both texts are in the page, and the style sheet hides one of them.
    expect([wordsIn('Desk'), wordsIn('Room'), wordsIn('Owned')]).to.deep.equal([
      'AL Desk Ada Lovelace',
      'P Room Planning',
      'Owned assigned',
    ])
    await browser.follow('Initials')
    expect([wordsIn('Desk'), wordsIn('Room')]).to.deep.equal(['AL Desk', 'AL Room'])
    expect(cellOf('Desk')[1]).to.equal('AL until 12:00')
    expect(browser.page.text).to.not.match(/Lovelace|Planning/)
    await browser.follow('Hidden')
    expect([wordsIn('Desk'), wordsIn('Room')]).to.deep.equal(['Desk taken', 'Room taken'])
    expect(cellOf('Owned')[1]).to.equal('Assigned; free for at least a day')
    expect(browser.page.text).to.not.match(/Lovelace|Planning|AL until/)
    const part = await browser.open(`${browser.page.path}&_part=map`)
    expect(part.text, 'renewed as it was').to.include('Taken until').and.not.include('Lovelace')
  })

  it('lists taken, free or all bookables, and counts each list', async () => {
    for (const name of ['D1', 'D2', 'D3']) await make(name)
    const taken = await make('D4')
    await createBooking(world.database, { bookable_id: taken, user_id: ada, ...MORNING })
    await make('Broken', { status: 1 })
    await open('&date=2026-11-20&time=10:00')
    expect(browser.words).to.include('Taken 1').and.include('Free 3').and.include('All 5')
    const listed = () =>
      [...(browser.page.text.split('data-slot="list"')[1] ?? '').matchAll(/<li><p><a [^>]*>([^<]*)</g)].map(
        ([, name]) => name,
      )
    expect(listed()).to.deep.equal(['Broken', 'D1', 'D2', 'D3', 'D4'])
    await browser.follow('Taken 1')
    expect(listed()).to.deep.equal(['D4'])
    expect(browser.page.path, 'the same moment').to.include('date=2026-11-20&time=10%3A00')
    await browser.follow('Free 3')
    expect(listed()).to.deep.equal(['D1', 'D2', 'D3'])
    await browser.open(`/dashboard/map?location=${location_id}&shown=none`)
    expect(browser.page.status).to.equal(422)
  })

  it('keeps the selected time in its links to other floors of the building', async () => {
    const [{ building_id }] = await world
      .database('locations')
      .where({ id: location_id })
      .select('building_id')
    const other = await createLocation(world.database, { building_id, name: '4th floor' })
    await createLocation(world.database, { name: 'Elsewhere' })
    await make('Desk')
    await open('&date=2026-11-24&time=10:00&names=initials')
    expect(browser.page.text).to.not.match(/<a\b[^>]*>[^<]*Elsewhere/)
    await browser.follow('4th floor')
    expect(browser.page.path).to.equal(
      `/dashboard/map?location=${other}&date=2026-11-24&time=10%3A00&names=initials`,
    )
    await open()
    await browser.follow('4th floor')
    expect(browser.page.path, 'now stays now').to.equal(`/dashboard/map?location=${other}`)
  })

  it('links from a person to their place at the chosen time', async () => {
    const tokyo = await createBuilding(world.database, { name: 'Tokyo', timezone: 'Asia/Tokyo' })
    const away = await createLocation(world.database, { building_id: tokyo, name: '1st floor' })
    const desk = await createBookable(world.database, { location_id: away, name: 'Desk T' })
    await createBooking(world.database, { bookable_id: desk, user_id: ada, ...MORNING })
    await make('Desk')
    await open('&date=2026-11-20&time=11:00')
    await browser.submit('Show', { person: 'lovelace' })
    expect(browser.page.path, 'the same moment there').to.equal(
      `/dashboard/map?location=${away}&bookable=${desk}&date=2026-11-20&time=19%3A00`,
    )
    expect(markedOf()).to.equal(String(desk))
    await open('&date=2026-11-20&time=11:00&names=hidden')
    await browser.submit('Show', { person: 'lovelace' })
    expect(browser.page.path, 'nobody else is named there either').to.match(/&names=hidden$/)
    await open('&date=2026-11-20&time=13:00&person=lovelace')
    expect(browser.words).to.include('Ada Lovelace : no desk or room at this time')
    const owned = await make('Owned', { status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: owned, user_id: ada })
    await createUser(world.database, { name: 'Bea Lovelace' })
    await open('&date=2026-11-20&time=13:00&person=lovelace')
    expect(browser.words).to.include('Owned , 3rd floor, Harbour House assigned, not booked')
    expect(browser.words).to.include('Bea Lovelace : no desk or room at this time')
    await open('&person=nobody')
    expect(browser.words).to.include('No active people found.')
  })

  it('shows actions for the selected bookable', async () => {
    const desk = await make('Desk')
    const booking = await createBooking(world.database, { bookable_id: desk, user_id: ada, ...MORNING })
    const links = () =>
      Object.fromEntries(
        [
          ...(/(<a [^>]*class="button primary".*?)<\/ul>/s.exec(browser.page.text)?.[1] ?? '').matchAll(
            /<a href="([^"]*)"[^>]*>([^<]*)</g,
          ),
        ].map(([, address, text]) => [text, address?.replaceAll('&amp;', '&')]),
      )
    await open(`&date=2026-11-20&time=11:00&bookable=${desk}&_part=panel`)
    expect(links()).to.deep.equal({
      'Open booking': `/dashboard/bookings/${booking}`,
      'Move to another place': `/dashboard/bookings/${booking}/move`,
      'Ada Lovelace': `/dashboard/people/${ada}`,
      'Book for later': `/dashboard/bookings/new?bookable=${desk}&from=2026-11-20T12%3A00`,
      Block: `/dashboard/places/bookables/${desk}#edit`,
      'Block for a time': `/dashboard/places/bookables/${desk}/block?from=2026-11-20T11%3A00`,
      'Open Desk': `/dashboard/places/bookables/${desk}`,
    })
    expect(Object.keys(links())[0], 'the button').to.equal('Open booking')
    await open(`&date=2026-11-20&time=13:00&bookable=${desk}&_part=panel`)
    const here = `/dashboard/bookings/new?bookable=${desk}&from=2026-11-20T13%3A00&to=2026-11-20T17%3A00`
    expect(links()['Book']).to.equal(here)
    await browser.open(`${here}&user=${ada}`)
    expect(browser.form('Create booking').controls.find(({ name }) => name === 'from_time')?.value).to.equal(
      '2026-11-20T13:00',
    )
    await world.database('bookables').where({ id: desk }).update({ status: 1 })
    await open(`&date=2026-11-20&time=13:00&bookable=${desk}`)
    expect(Object.keys(links())).to.deep.equal(['Unblock', 'Open Desk'])
    expect((await open('&bookable=999999&_part=panel')).status).to.equal(404)
  })

  it('escapes hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      await deleteAllResources(world.database)
      const building_id = await createBuilding(world.database, { name: text })
      const location_id = await createLocation(world.database, { building_id, name: text })
      const user_id = await createUser(world.database, { name: text })
      const bookable_id = await createBookable(world.database, { location_id, name: text })
      const id = await createBooking(world.database, { bookable_id, user_id, guest_name: text, ...MORNING })
      const owned = await createBookable(world.database, { location_id, name: 'Owned', status: 2 })
      await world.database('bookable_assignees').insert({ bookable_id: owned, user_id })
      for (const query of [`?location=${location_id}`, `?booking=${id}`, `?booking=${id}&_part=map`]) {
        expect((await browser.open(`/dashboard/map${query}`)).status).to.equal(200)
        expectHarmless(browser.page.text, text)
      }
    }
  })
})
