// Tests the printed list of visitors for the front desk.
import { expect } from 'chai'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createEvent, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const NOON = '2031-03-03T12:00:00Z'

describe('the printed list of visitors', () => {
  useChromium()
  const world = useWorld({ now: () => Date.parse(NOON) })

  it('has the names of the guests and their hosts, but no buttons and no forms', async () => {
    const { database } = world
    const organizer_user_id = await createUser(database, { name: 'Anna Bauer' })
    const times = { from: NOON, to: '2031-03-03T13:00:00Z' }
    const event_id = await createEvent(database, { name: 'Launch', organizer_user_id, ...times })
    const email = 'grace@guests.example'
    await database('event_attendees').insert({ event_id, email, name: 'Grace Hopper' })
    const { page, context } = await openWindow(await createSignedIn(world))
    await page.goto('/dashboard/visitors')
    await page.emulateMedia({ media: 'print' })
    const printed = await page.locator('main').innerText()
    for (const text of ['Grace Hopper', 'Anna Bauer', 'Launch']) expect(printed).to.include(text)
    expect(await page.locator('main :is(button, input, select):visible').count()).to.equal(0)
    await context.close()
  })
})
