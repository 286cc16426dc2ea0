// Tests check-in in the dashboard: on the page of a booking, and on the map for people who have not checked
// in yet.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createDesk } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-20T${time}:00Z`

describe('the check-in of a booking in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  const make = async (row = {}) => {
    const { bookable_id, user_id, location_id } = await createDesk(world.database)
    const times = { from: at('09:00'), to: at('12:00') }
    return {
      id: await createBooking(world.database, { bookable_id, user_id, ...times, ...row }),
      bookable_id,
      location_id,
    }
  }

  it('has a button while check-in is open, and shows its time afterwards', async () => {
    const { id } = await make({ check_in_from: at('08:45'), check_in_until: at('09:45') })
    await browser.open(`/dashboard/bookings/${id}`)
    expect(browser.words).to.include('has not checked in yet. Without a check-in by 09:45 , the rest')
    await browser.submit('Check in')
    expect(browser.words)
      .to.include('Checked in.')
      .and.match(/Checked in at 20 Nov 2026, 09:3\d/)
    expect((await world.database('bookings').where({ id }).first()).checked_in_at).to.not.equal(null)
    expect(browser.page.text).to.not.include('value="check-in"')
  })

  it('is announced before it opens, and hidden if no rule requires it', async () => {
    const later = await make({
      from: at('11:00'),
      to: at('12:00'),
      check_in_from: at('10:45'),
      check_in_until: at('11:15'),
    })
    await browser.open(`/dashboard/bookings/${later.id}`)
    expect(browser.words).to.include('Check-in opens at 20 Nov 2026, 10:45')
    expect(browser.page.text).to.not.include('value="check-in"')
    await browser.open(`/dashboard/bookings/${(await make()).id}`)
    expect(browser.words).to.not.include('Check-in')
  })

  it('is linked from the map for bookings that nobody has checked in to', async () => {
    const { id, bookable_id, location_id } = await make({
      check_in_from: at('08:45'),
      check_in_until: at('09:45'),
    })
    await browser.open(`/dashboard/map?location=${location_id}&bookable=${bookable_id}`)
    expect(browser.page.text).to.include(`/dashboard/bookings/${id}#check-in`)
    await world
      .database('bookings')
      .where({ id })
      .update({ checked_in_at: at('09:10') })
    await browser.open(`/dashboard/map?location=${location_id}&bookable=${bookable_id}`)
    expect(browser.page.text).to.not.include('#check-in')
  })
})
