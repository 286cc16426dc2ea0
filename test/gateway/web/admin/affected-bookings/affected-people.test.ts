// Tests the list of people affected by a change to bookings: the notice names the first person, and a page
// and a file list all.
import { expect } from 'chai'
import papaparse from 'papaparse'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-25T09:30:00Z')
const FRIDAY = { from: '2026-11-27T08:00:00Z', to: '2026-11-27T16:00:00Z' }
const [HOSTILE = ''] = HOSTILE_TEXTS

describe('the list of people to notify after a change', () => {
  const world = useWorld({ workers: ['writes', 'exports'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let location_id: number
  beforeEach(async () => {
    const building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id, name: 'Deck' })
  })

  const makeDesk = (name: string) => createBookable(world.database, { location_id, name })
  let number = 0
  const makeUser = (name: string) =>
    createUser(world.database, { name, email: `person-${++number}@tell.example` })
  const book = (bookable_id: number, user_id: number, span = FRIDAY) =>
    createBooking(world.database, { bookable_id, user_id, ...span })
  const block = async (desk: number, in_the_way: string) => {
    await browser.open(`/dashboard/places/bookables/${desk}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way })
  }
  const download = async () => {
    const { text } = await browser.open(`${browser.page.path}?_download=csv`)
    return papaparse.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data
  }

  it('names people with their old and new place if their booking is moved', async () => {
    const [desk] = [await makeDesk('Bow 1'), await makeDesk('Bow 2')]
    const anna = await makeUser('Anna Bauer')
    await book(desk, anna)
    await block(desk, 'move')
    expect(browser.words).to.include('Anna Bauer: Bow 1 → Bow 2, Fri, 27 Nov 2026, 09:00 to 17:00.')
    await browser.follow('People to notify')
    expect(browser.words)
      .to.include('Berth does not send e-mail here. Please tell these people yourself.')
      .and.include('1 person')
    expect(browser.words).to.match(
      /Anna Bauer person-\d+@tell\.example Bow 1 Deck Fri, 27 Nov 2026, 09:00 to 17:00 Bow 2 Deck/,
    )
    expect(browser.page.text).to.match(/href="mailto:\?bcc=person-\d+%40tell\.example"/)
    expect(await download()).to.deep.include.members([
      {
        person: 'Anna Bauer',
        email: `person-${number}@tell.example`,
        event: '',
        building: 'Harbour',
        location: 'Deck',
        bookable: 'Bow 1',
        from: '2026-11-27 09:00',
        to: '2026-11-27 17:00',
        timezone: 'Europe/Berlin',
        location_now: 'Deck',
        bookable_now: 'Bow 2',
        from_now: '2026-11-27 09:00',
        to_now: '2026-11-27 17:00',
        mail: 'not sent',
      },
    ])
  })

  it('includes organizers of meetings that lose a room, and people whose bookings are released', async () => {
    const desk = await makeDesk('Bow 3')
    await book(desk, await makeUser(HOSTILE))
    const after = { from: FRIDAY.to, to: '2026-11-27T17:00:00Z' }
    const organizer_user_id = await makeUser('Ben Roth')
    const event_id = await createEvent(world.database, { name: 'Standup', organizer_user_id, ...after })
    await createBooking(world.database, { bookable_id: desk, event_id, ...after })
    await block(desk, 'release')
    await browser.follow('People to notify')
    expect(browser.words).to.match(
      /Ben Roth .* Standup Bow 3 Deck Fri, 27 Nov 2026, 17:00 to 18:00 booking cancelled/,
    )
    expect(browser.words).to.include('2 people')
    expectHarmless(browser.page.text, HOSTILE)
  })

  it('names people with their desk if the desk is deleted', async () => {
    const desk = await makeDesk('Bow 9')
    await book(desk, await makeUser('Cora Lind'))
    await browser.open(`/dashboard/places/locations/${location_id}/delete-bookables?ids=${desk}`)
    await browser.submit('Delete it')
    await browser.submit('Delete it', { in_the_way: 'release' })
    expect(browser.words).to.include('Cora Lind: Bow 9 cancelled, Fri, 27 Nov 2026, 09:00 to 17:00.')
    await browser.follow('People to notify')
    expect(browser.words).to.match(/Cora Lind .* Bow 9 Deck /)
  })

  it('includes only people whose booking was cancelled; the notice names the first of them', async () => {
    const desks = [await makeDesk('A'), await makeDesk('B'), await makeDesk('C'), await makeDesk('D')]
    const ids: number[] = []
    for (const desk of desks) ids.push(await book(desk, await makeUser(`Crew of desk ${desk}`)))
    const running = await book(await makeDesk('E'), await makeUser('Early Bird'), {
      from: '2026-11-25T08:00:00Z',
      to: '2026-11-25T16:00:00Z',
    })
    const colleague = await createSignedIn(world, 'desk@tell.example', 'front-desk')
    await colleague.open(
      `/dashboard/bookings/selected?${[...ids, running].map((id) => `ids=${id}`).join('&')}`,
    )
    await colleague.submit('Cancel bookings')
    expect(colleague.words).to.match(
      /5 bookings cancelled\. Early Bird: E, .*09:00 to 10:3\d; Crew of desk \d+: A cancelled/,
    )
    expect(colleague.words).to.include('and 2 more.')
    await colleague.follow('People to notify')
    expect(colleague.words).to.include('5 people')
    expect(colleague.words).to.not.include('Anna')
    const path = colleague.page.path
    // Another write by the same administrator has its own list.
    const other = await book(desks[0] ?? 0, await makeUser('Late Owl'))
    await colleague.open(`/dashboard/bookings/selected?ids=${other}`)
    await colleague.submit('Cancel bookings')
    await colleague.follow('People to notify')
    expect(colleague.words).to.include('Late Owl').and.include('1 person')
    await colleague.open(path)
    expect(colleague.words).to.not.include('Late Owl')
  })

  it('covers single bookings that are moved, swapped or cancelled', async () => {
    const [bow, stern] = [await makeDesk('Bow 5'), await makeDesk('Stern 5')]
    const [anna, ben] = [await makeUser('Anna Bauer'), await makeUser('Ben Roth')]
    const booking = await book(bow, anna)
    await browser.open(`/dashboard/bookings/${booking}/move`)
    await browser.submit('Move booking', { bookable_id: String(stern) })
    expect(browser.words).to.include('Moved to Stern 5. Anna Bauer: Bow 5 → Stern 5, Fri, 27 Nov 2026,')
    await browser.follow('People to notify')
    expect(browser.words).to.match(/Anna Bauer person-\d+@tell\.example Bow 5 Deck .* Stern 5 Deck/)
    const other = await book(bow, ben)
    await browser.open(`/dashboard/bookings/swap?ids=${booking}&ids=${other}`)
    await browser.submit('Swap')
    await browser.follow('People to notify')
    expect(browser.words)
      .to.include('2 people')
      .and.match(/Ben Roth .* Bow 5 Deck .* Stern 5 Deck/)
    await browser.open(`/dashboard/bookings/${other}/cancel`)
    await browser.submit('Cancel booking')
    expect(browser.words).to.include('Booking of Stern 5 for Ben Roth cancelled.')
    await browser.follow('People to notify')
    expect(browser.words)
      .to.match(/Ben Roth .* Stern 5 Deck .* booking cancelled/)
      .and.include('1 person')
  })

  it('is absent if no booking was affected, or if an audit entry is about something else', async () => {
    await browser.open(`/dashboard/places/bookables/${await makeDesk('Bow 4')}`)
    await browser.submit('Save changes', { status: '1' })
    expect(browser.words).to.include('Changes saved.').and.not.include('People to notify')
    const { id } = await world
      .database('audit_log')
      .where({ action: 'bookables.edit' })
      .orderBy('id', 'desc')
      .first('id')
    expect((await browser.open(`/dashboard/bookings/affected/${id}`)).status).to.equal(404)
    const reader = await createSignedIn(world, 'reader@tell.example', 'reader')
    expect((await reader.open(`/dashboard/bookings/affected/${id}`)).status).to.equal(403)
  })
})
