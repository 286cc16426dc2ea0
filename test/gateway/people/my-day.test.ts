// My day: a person checks in to their bookings, leaves early and cancels, and only their own.
import { expect } from 'chai'
import { createBooking, createUser, hoursFromNow } from '../../support/factories.ts'
import { signInAs } from '../../support/people/person.ts'
import { useWorld } from '../../support/world.ts'

describe('my day', () => {
  const world = useWorld()

  async function createPerson() {
    const user_id = await createUser(world.database)
    return { user_id, browser: await signInAs(world, user_id) }
  }

  it('checks in when it is time', async () => {
    const { user_id, browser } = await createPerson()
    const id = await createBooking(world.database, {
      ...{ user_id, from: hoursFromNow(-2), to: hoursFromNow(3) },
      ...{ check_in_from: hoursFromNow(-3), check_in_until: hoursFromNow(1) },
    })
    await browser.open('/my')
    await browser.submit('Check in')
    expect(browser.words).to.include('You are checked in.')
    const { checked_in_at } = await world.database('bookings').where({ id }).first()
    expect(checked_in_at).to.not.equal(null)
    const { actor_type, actor_id } = await world
      .database('audit_log')
      .where({ action: 'bookings.check-in', resource_id: id })
      .first()
    expect([actor_type, Number(actor_id)]).to.deep.equal(['user', user_id])
  })

  it('ends a running booking now, and cancels a future one', async () => {
    const { user_id, browser } = await createPerson()
    const running = await createBooking(world.database, {
      user_id,
      from: hoursFromNow(-1),
      to: hoursFromNow(3),
    })
    await browser.open('/my')
    await browser.submit('Leave now')
    expect(browser.words).to.include('Your booking ends now.')
    const ended = await world
      .database('bookings')
      .where({ id: running })
      .first(world.database.raw('upper(during) <= now() AS over'))
    expect(ended.over).to.equal(true)

    const future = await createBooking(world.database, {
      user_id,
      from: hoursFromNow(48),
      to: hoursFromNow(50),
    })
    await browser.open('/my')
    await browser.submit('Cancel')
    expect(browser.words).to.include('Cancelled.')
    expect(await world.database('bookings').where({ id: future })).to.have.length(0)
  })

  it('does nothing to a booking of somebody else', async () => {
    const { user_id, browser } = await createPerson()
    await createBooking(world.database, { user_id, from: hoursFromNow(48), to: hoursFromNow(50) })
    await createBooking(world.database, { user_id, from: hoursFromNow(-2), to: hoursFromNow(2) })
    for (const button of ['Cancel', 'Leave now']) {
      const theirs = await createBooking(world.database, { from: hoursFromNow(-2), to: hoursFromNow(5) })
      await browser.open('/my')
      await browser.submit(button, { id: String(theirs) })
      expect(browser.words).to.not.include('Cancelled.').and.not.include('Your booking ends now.')
      const kept = await world
        .database('bookings')
        .where({ id: theirs })
        .first(world.database.raw('upper(during) > now() AS held'))
      expect(kept.held).to.equal(true)
    }
  })
})
