// People: searching colleagues, who is in on a day, and favourites.
import { expect } from 'chai'
import { createBooking, createUser, hoursFromNow } from '../../support/factories.ts'
import { signInAs } from '../../support/people/person.ts'
import { useWorld } from '../../support/world.ts'

describe('colleagues', () => {
  const world = useWorld()

  it('are found, become favourites, and are in on the days on which they have a desk', async () => {
    const user_id = await createUser(world.database)
    const anna = await createUser(world.database, { name: 'Anna Berg', email: 'anna@example.com' })
    await createBooking(world.database, { user_id: anna, from: hoursFromNow(-1), to: hoursFromNow(24 * 8) })
    const browser = await signInAs(world, user_id)
    await browser.open('/my/people')
    expect(browser.words).to.include('You have no favourites and no groups yet.')
    await browser.submit('Search', { q: 'anna@' })
    expect(browser.words).to.include('Anna Berg')
    await browser.open(`/my/people/${anna}`)
    await browser.submit('Add to favourites')
    expect(browser.words).to.include('Anna Berg is a favourite now.').and.include('Remove from favourites')
    await browser.open('/my/people')
    expect(browser.words.match(/Anna Berg/g)).to.have.length(2)
    await browser.open(`/my/people/${anna}`)
    await browser.submit('Remove from favourites')
    expect(await world.database('favourite_colleagues').where({ user_id })).to.have.length(0)
  })

  it('are not found by their own search: the searcher is no colleague of themselves', async () => {
    const user_id = await createUser(world.database, { name: 'Solo Person' })
    const browser = await signInAs(world, user_id)
    await browser.open('/my/people?q=Solo')
    expect(browser.words).to.include('Nobody found.')
    await browser.open(`/my/people/${user_id}`)
    expect(browser.page.status).to.equal(404)
  })
})
