// Tests the card on the page of a user that lists, records and removes absences.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const MARKED = 'Not saved. Please fix the marked fields.'

describe('absences on the page of a user', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  it('are recorded, release bookings on request, and are removed', async () => {
    const user_id = await createUser(world.database)
    const span = { from: '2031-03-03T09:00:00Z', to: '2031-03-03T15:00:00Z' }
    await createBooking(world.database, { user_id, ...span })
    await browser.open(`/dashboard/people/${user_id}`)
    await browser.submit('Record absence', {
      from: '2031-03-03',
      to: '2031-03-14',
      release_bookings: 'true',
    })
    expect(browser.words).to.include('1 booking released.')
    expect(await world.database('bookings').where({ user_id })).to.deep.equal([])
    expect(await world.database('absences').where({ user_id })).to.have.length(1)
    await browser.open(`/dashboard/people/${user_id}`)
    await browser.submit('Remove')
    expect(await world.database('absences').where({ user_id })).to.deep.equal([])
  })

  it('are refused with an error at the last day if it is before the first day or too long after it', async () => {
    const user_id = await createUser(world.database)
    const record = (from: string, to: string) => browser.submit('Record absence', { from, to })
    await browser.open(`/dashboard/people/${user_id}`)
    expect((await record('2031-03-14', '2031-03-03')).status).to.equal(422)
    expect(browser.words).to.include('Last day must not be before the first day.').and.include(MARKED)
    expect((await record('2031-03-14', '2036-03-03')).status).to.equal(422)
    expect(browser.words)
      .to.include('Last day must be at most 1100 days after the first day.')
      .and.include(MARKED)
    expect(await world.database('absences').where({ user_id })).to.deep.equal([])
  })
})
