// Tests the first steps on Today: each step is ticked off once done, and the list disappears when all steps are done.
import { expect } from 'chai'
import { createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the list of first steps on the Today page', () => {
  const world = useWorld({ each: true, workers: [] })

  it('ticks off its steps one by one, links to the next step, and disappears when all are done', async () => {
    const { database } = world
    const browser = await createSignedIn(world)
    // The page caches the result for a moment.
    const steps = (done: string[], links: string[]) =>
      eventually(async () => {
        await browser.open('/dashboard')
        const [, list = ''] = browser.page.text.split('<ol class="steps">')
        const [items = ''] = list.split('</ol>')
        const ticked = [...items.matchAll(/<li class="done">.*?<\/span> ([^<]*?) </g)].map(([, text]) => text)
        const led = [...items.matchAll(/href="\/dashboard([^"]*)"/g)].map(([, path]) => path)
        expect([ticked, led]).to.deep.equal([done, links])
      })
    const rest = ['/people/import', '/integrations/tokens/new', '/bookings/new']
    await steps([], ['/places/buildings/new', ...rest])
    const building_id = await createBuilding(database)
    await steps(['Create a building'], [`/places/buildings/${building_id}/locations/new`, ...rest])
    const location_id = await createLocation(database, { building_id })
    const below = `/places/locations/${location_id}`
    await steps(
      ['Create a building', 'Add a floor to the building'],
      [`${below}/add`, `${below}/plan`, ...rest],
    )
    const bookable_id = await createBookable(database, { location_id })
    const user_id = await createUser(database)
    await steps(
      [
        'Create a building',
        'Add a floor to the building',
        'Add the floor’s desks, rooms and parking',
        'Import people, or add them',
      ],
      [`${below}/plan`, '/integrations/tokens/new', '/bookings/new'],
    )
    await createBooking(database, { bookable_id, user_id, from: hoursFromNow(1), to: hoursFromNow(2) })
    await eventually(async () => {
      await browser.open('/dashboard')
      expect(browser.words).to.not.include('First steps')
    })
  })

  it('appears only for roles that can perform the steps', async () => {
    const reader = await createSignedIn(world, 'r@example.com', 'front-desk')
    await reader.open('/dashboard')
    expect(reader.words).to.include('Today').and.not.include('First steps')
  })
})
