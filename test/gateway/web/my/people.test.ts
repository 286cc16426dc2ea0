// Tests the page People: searching for colleagues, who is in on a day, and favourites.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('the page of colleagues on people’s own pages', () => {
  const world = useWorld()

  it('finds colleagues, marks them as favourites, and lists them on days when they have a desk', async () => {
    const user_id = await createUser(world.database)
    const anna = await createUser(world.database, { name: 'Anna Berg', email: 'anna@example.com' })
    await createBooking(world.database, { user_id: anna, from: hoursFromNow(-1), to: hoursFromNow(24 * 8) })
    const browser = await signInAs(world, user_id)
    await browser.open('/my/people')
    expect(browser.words).to.include('You have no favourites or groups yet.')
    await browser.submit('Search', { q: 'anna@' })
    expect(browser.words).to.include('Anna Berg')
    await browser.open(`/my/people/${anna}`)
    await browser.submit('Add to favourites')
    expect(browser.words).to.include('Anna Berg is now a favourite.').and.include('Remove from favourites')
    await browser.open('/my/people')
    expect(browser.words.match(/Anna Berg/g)).to.have.length(2)
    await browser.open(`/my/people/${anna}`)
    await browser.submit('Remove from favourites')
    expect(await world.database('favourite_colleagues').where({ user_id })).to.have.length(0)
  })

  it('shows colleagues in later weeks by floor, with those who work from home last', async () => {
    const user_id = await createUser(world.database)
    const browser = await signInAs(world, user_id)
    const from = hoursFromNow(24 * 13)
    const building_id = await createBuilding(world.database)
    for (const [name, floor, type] of [
      ['Hanna Home', 'Z', BOOKABLE_TYPES.homeOffice],
      ['Zoe Ten', 'Floor 10', BOOKABLE_TYPES.desk],
      ['Yann Two', 'Floor 2', BOOKABLE_TYPES.desk],
    ] as const) {
      const colleague_id = await createUser(world.database, { name })
      const location_id = await createLocation(world.database, { building_id, name: floor })
      const bookable_id = await createBookable(world.database, { location_id, type })
      await createBooking(world.database, {
        user_id: colleague_id,
        bookable_id,
        from,
        to: hoursFromNow(24 * 18),
      })
      await world.database('favourite_colleagues').insert({ user_id, colleague_id })
    }
    await browser.open('/my/people')
    expect(browser.words).to.include('Nobody from your favourites or groups is in so far.')
    await browser.follow('Later days')
    await browser.follow('Later days')
    expect(browser.words).to.match(/Floor 2, .*Yann Two.*Floor 10, .*Zoe Ten.*Home office 1 HH Hanna Home/)
    await browser.follow('Today')
    expect(browser.words).to.include('Nobody from your favourites or groups is in so far.')
    // Anybody can put a day into the URL that the page does not offer.
    await browser.open(`/my/people?date=${hoursFromNow(24 * 15).slice(0, 10)}`)
    expect(browser.words).to.include('Yann Two')
  })

  it('does not find the person who is searching', async () => {
    const user_id = await createUser(world.database, { name: 'Solo Person' })
    const browser = await signInAs(world, user_id)
    await browser.open('/my/people?q=Solo')
    expect(browser.words).to.include('Nobody found.')
    await browser.open(`/my/people/${user_id}`)
    expect(browser.page.status).to.equal(404)
  })
})
