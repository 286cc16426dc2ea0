// Tests how an administrator overrides rules: with one checkbox, and the audit log names the broken rules.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createDesk, hoursFromNow } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const OVERRIDE_LABEL = 'Override the rules of this place'

describe('an administrator who overrides rules', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let desk: Awaited<ReturnType<typeof createDesk>>
  const long = { from_time: local(24), to_time: local(40) }

  function local(hours: number): string {
    return hoursFromNow(hours).slice(0, 16)
  }

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
    await set({ minutes_max: 60, one_at_a_time: true })
  })

  const set = (rules: object | null) =>
    world
      .database('locations')
      .where({ id: desk.location_id })
      .update({ rules: rules && JSON.stringify(rules) })
  const openNew = () =>
    browser.open(`/dashboard/bookings/new?user=${desk.user_id}&bookable=${desk.bookable_id}`)
  const lastEntry = (action: string) =>
    world.database('audit_log').where({ action }).orderBy('id', 'desc').first()

  it('can make a refused booking with a checkbox, and the audit log names the broken rules', async () => {
    await createBooking(world.database, {
      from: hoursFromNow(30),
      to: hoursFromNow(31),
      user_id: desk.user_id,
    })
    await openNew()
    await browser.submit('Create booking', long)
    expect(browser.words).to.include('Desk 12 can be booked for at most 1 hour.').and.include(OVERRIDE_LABEL)
    await browser.submit('Create booking', { ...long, overrides_rules: 'true' })
    expect(browser.words).to.include('Desk 12 is booked for')
    const { after } = await lastEntry('bookings.create')
    expect(after.overridden_rules).to.deep.equal(['too_long', 'already_booked'])
  })

  it('leaves no note in the audit log if no rule was broken', async () => {
    await openNew()
    await browser.submit('Create booking', {
      from_time: local(24),
      to_time: local(25),
      overrides_rules: 'true',
    })
    expect((await lastEntry('bookings.create')).after).to.not.have.property('overridden_rules')
  })

  it('can move a booking to a desk despite a rule', async () => {
    const id = await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      from: hoursFromNow(24),
      to: hoursFromNow(25),
    })
    await browser.open(`/dashboard/bookings/${id}`)
    await browser.submit('Save changes', long)
    expect(browser.words).to.include('Desk 12 can be booked for at most 1 hour.')
    await browser.submit('Save changes', { ...long, overrides_rules: 'true' })
    expect(browser.words).to.include('Changes saved.')
    expect((await lastEntry('bookings.update')).after.overridden_rules).to.deep.equal(['too_long'])
  })

  it('can give an event a room despite a rule', async () => {
    await browser.open(`/dashboard/events/new?add=u${desk.user_id},r${desk.bookable_id}`)
    const typed = { name: 'Retreat', ...long }
    await browser.submit('Create meeting', typed)
    expect(browser.words).to.include('Desk 12 can be booked for at most 1 hour.')
    await browser.submit('Create meeting', { ...typed, overrides_rules: 'true' })
    expect(browser.words).to.include('Meeting created.')
    expect((await lastEntry('events.create')).after.overridden_rules).to.deep.equal(['too_long'])
  })

  it('sees no checkbox for overriding if no rules are set', async () => {
    await set(null)
    await openNew()
    expect(browser.words).to.not.include(OVERRIDE_LABEL)
  })
})
