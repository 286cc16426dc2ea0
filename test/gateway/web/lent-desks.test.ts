// Tests that an assigned desk that its owner lends is shown as free for everybody, and is found like any free desk.
import { expect } from 'chai'
import pg from 'pg'
import { findWorkplace, listSeats } from '../../../gateway/web/pages/search/seats.ts'
import { createSignedIn } from '../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLoan,
  createLocation,
  createUser,
} from '../../support/factories.ts'
import { signInAs } from '../../support/people/person.ts'
import { createScreen } from '../../support/screens/screens.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useClient, useWorld } from '../../support/world.ts'

// It is a Tuesday at 10:00 in Berlin.
const NOW = '2031-02-11T09:00:00Z'
const DAY = '2031-02-11'

describe('a desk that its owner lends', () => {
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  const client = useClient(world, 'read')
  const pool = useWith(
    world,
    () => new pg.Pool({ connectionString: world.databaseUrl, max: 1 }),
    (opened) => opened.end(),
  )

  async function createScene(days: string | null = '[2031-02-10,2031-02-15)') {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Quay', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(database, { name: 'Deck', building_id })
    const bookable_id = await createBookable(database, { name: 'Desk 7', location_id, status: 2 })
    const user_id = await createUser(database, { name: 'Ada Lovelace' })
    if (days) await createLoan(database, { bookable_id, user_id, days })
    else await database('bookable_assignees').insert({ bookable_id, user_id })
    return { building_id, location_id, bookable_id, user_id }
  }
  const open = async (path: string) => (await fetch(`${world.url}${path}`)).text()
  const openDashboard = async (path: string) => {
    const browser = await createSignedIn(world)
    await browser.open(`/dashboard${path}`)
    return browser.words
  }

  it('is free in the live map of the API, which says that it is lent', async () => {
    const draw = async ({ location_id }: { location_id: number }) => {
      const bookable_id = await createBookable(world.database, { location_id, name: 'Desk 8' })
      const id = await createBooking(world.database, {
        bookable_id,
        from: NOW,
        to: '2031-02-11T10:00:00Z',
      })
      return (await client.get(`bookings/${id}/livemap`)).text
    }
    expect(await draw(await createScene())).to.include('<title>Desk 7: free, lent</title>')
    expect(await draw(await createScene(null))).to.include('<title>Desk 7: assigned</title>')
    expect(await draw(await createScene('[2031-02-12,2031-02-13)'))).to.include(
      '<title>Desk 7: assigned</title>',
    )
  })

  it('is free on the map of the dashboard, with its owner and the last day of the loan', async () => {
    const { location_id, user_id, bookable_id } = await createScene()
    await createLoan(world.database, { bookable_id, user_id, days: '[2031-02-15,2031-02-17)' })
    const words = await openDashboard(`/map?location=${location_id}&bookable=${bookable_id}&shown=free`)
    expect(words).to.include('Desk 7 free').and.not.include('Desk 7 assigned')
    expect(words).to.include('Assigned to Ada Lovelace, lent until Sun 16 Feb; free for at least a day.')
  })

  it('counts as free on Today', async () => {
    const names = await Promise.all(
      ['[2031-02-10,2031-02-15)', null].map(async (days) => {
        const { location_id } = await createScene(days)
        const name = `Deck ${location_id}`
        await world.database('locations').where({ id: location_id }).update({ name })
        return name
      }),
    )
    // Signing in shows Today too, which keeps its numbers for two seconds.
    await eventually(async () =>
      expect(await openDashboard(''))
        .to.include(`${names[0]} 1 of 1`)
        .and.include(`${names[1]} 0 of 1`),
    )
  })

  it('has its loan on its page and in the list of its floor', async () => {
    const { location_id, bookable_id } = await createScene()
    expect(await openDashboard(`/places/locations/${location_id}`)).to.include(
      'assigned lent until Fri 14 Feb',
    )
    expect(await openDashboard(`/places/bookables/${bookable_id}`))
      .to.include('assigned lent until Fri 14 Feb')
      .and.include('Anyone can book it for these days.')
  })

  it('has its loan where the dashboard books, at the time of the booking', async () => {
    const { building_id, location_id, bookable_id } = await createScene()
    for (const [day, isLent] of [
      ['2031-02-12', true],
      ['2031-02-17', false],
    ] as const) {
      const time = `from=${day}T10:00&to=${day}T11:00`
      const floor = `building=${building_id}&location=${location_id}`
      for (const query of [`${floor}&place=Desk 7`, `bookable=${bookable_id}`]) {
        const words = await openDashboard(`/bookings/new?${time}&${query}`)
        expect(words.includes('Desk 7 assigned lent until Fri 14 Feb'), `${query} on ${day}`).to.equal(isLent)
        expect(words).to.include('Desk 7 assigned')
      }
      const free = await openDashboard(`/bookings/new?${time}&${floor}`)
      expect(free.includes('Desk 7 assigned lent until Fri 14 Feb'), `free on ${day}`).to.equal(isLent)
    }
  })

  it('can be booked at its door, and is free in the lobby', async () => {
    for (const days of ['[2031-02-10,2031-02-15)', null]) {
      const { bookable_id, building_id } = await createScene(days)
      const booking_user_id = await createUser(world.database)
      const door = await createScreen(world.database, { bookable_id, booking_user_id })
      const lobby = await createScreen(world.database, { kind: 'lobby', building_id, names: 'full' })
      const isLent = days !== null
      expect((await open(door.path)).includes('value="30"')).to.equal(isLent)
      const shown = await open(lobby.path)
      expect(shown).to.include(isLent ? 'Desk 7: free' : 'Desk 7: assigned')
      expect(shown).to.include(isLent ? '1 of 1' : '0 of 1')
    }
  })

  it('can be booked at its code', async () => {
    const browser = await signInAs(world, await createUser(world.database))
    for (const days of ['[2031-02-10,2031-02-15)', null]) {
      const { bookable_id } = await createScene(days)
      const code = `code-${bookable_id}`
      await world.database('bookable_codes').insert({ bookable_id, code })
      await browser.open(`/my/at/${code}`)
      if (days) expect(browser.words).to.include('Free lent until Fri 14 Feb').and.include('Book until')
      else expect(browser.words).to.include('Reserved for others')
    }
  })

  it('is listed as free and lent where people book, and no longer as its owner’s', async () => {
    const { location_id } = await createScene()
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open(`/my/book?location=${location_id}&date=2031-02-12`)
    expect(browser.words).to.include('Desk 7 lent').and.not.include('own desk')
    await browser.open(`/my/book?location=${location_id}&date=2031-02-17`)
    expect(browser.words).to.include('Ada Lovelace').and.include('own desk').and.not.include('Desk 7 lent')
  })

  it('is not where its owner sits', async () => {
    const { user_id, bookable_id } = await createScene()
    expect(await listSeats(pool, [user_id], `${DAY}T12:00:00Z`)).to.deep.equal([])
    expect(await findWorkplace(pool, user_id, `${DAY}T12:00:00Z`)).to.equal(undefined)
    const [seat] = await listSeats(pool, [user_id], '2031-02-17T12:00:00Z')
    expect(seat).to.include({ bookableId: bookable_id, isAssigned: true })
  })

  it('is offered as the usual desk of somebody who often has it', async () => {
    for (const days of ['[2031-02-10,2031-02-15)', null]) {
      const { bookable_id } = await createScene(days)
      const user_id = await createUser(world.database)
      const span = { from: '2031-02-04T08:00:00Z', to: '2031-02-04T16:00:00Z' }
      await createBooking(world.database, { bookable_id, user_id, ...span })
      const browser = await signInAs(world, user_id)
      await browser.open('/my/')
      expect(browser.words.includes('Your usual desk is free: Desk 7')).to.equal(days !== null)
    }
  })
})
