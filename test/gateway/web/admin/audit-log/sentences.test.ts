// Tests the sentences of the audit log: each action has its own sentence, with names instead of ids.
import { expect } from 'chai'
import { TEMPLATE_VALUES } from '../../../../../gateway/web/admin/audit-log/values.ts'
import { AUDIT_ACTIONS, type AuditAction } from '../../../../../shared/audit/audit-actions.ts'
import { extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'
import { findSentences } from '../../locales/sentences.ts'

type ChangedRows = { before?: object; after?: object }

describe('the sentences of the audit log', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let building: number
  let location: number
  let desk: number
  let anna: number
  beforeEach(async () => {
    await world.database('audit_log').delete()
    building = await createBuilding(world.database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
    location = await createLocation(world.database, { building_id: building, name: '3rd floor' })
    desk = await createBookable(world.database, { location_id: location, name: 'Desk 7' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  const note = (action: string, resourceId: number | null, { before, after }: ChangedRows = {}) =>
    world.database('audit_log').insert({
      actor_type: 'token',
      actor_name: 'Kiosk',
      action,
      resource: action.split('.')[0],
      resource_id: resourceId,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      request_id: 'r-1',
    })
  const sentences = async (query: Record<string, string> = {}) => {
    await browser.open(`/dashboard/audit-log?${new URLSearchParams(query)}`)
    return [...browser.page.text.matchAll(/<td class="wide">(.*?)<td/gs)].map(([, text = '']) =>
      extractWords(text).replace(/ ([,.;:])/g, '$1'),
    )
  }
  /** Adds an entry, and returns its sentence. */
  const said = async (action: AuditAction, resourceId: number | null, rows: ChangedRows = {}) => {
    await note(action, resourceId, rows)
    return (await sentences({ what: action }))[0]
  }
  const at = (from: string, to: string) => `["2031-03-03 ${from}:00+00","2031-03-03 ${to}:00+00")`
  const booking = (from: string, to: string, more: object = {}) => ({
    id: 9,
    bookable_id: desk,
    user_id: anna,
    during: at(from, to),
    guest_name: null,
    guest_email: null,
    updated_at: `${from} ${to}`,
    ...more,
  })

  it('use only placeholders that have a value', () => {
    const names = findSentences('gateway/web/admin/audit-log').flatMap(({ key }) =>
      [...key.matchAll(/\{([a-z]\w*)\}/gi)].map(([, name = '']) => name),
    )
    expect(names).to.include('thing')
    expect(names.filter((name) => !(name in TEMPLATE_VALUES))).to.deep.equal([])
  })

  it('are different for every action', async () => {
    const known = new Map<string, AuditAction[]>()
    for (const action of AUDIT_ACTIONS) {
      await world.database('audit_log').delete()
      await note(action, 987_654)
      const [sentence = ''] = await sentences()
      const [resource = '', verb = ''] = action.split('.')
      expect(sentence, action)
        .to.match(/^[a-z]+ .*\w$/)
        .and.not.include('undefined')
      if (resource !== 'series') expect(sentence, action).to.not.include(resource)
      if (verb.includes('-')) expect(sentence, action).to.not.include(verb.replaceAll('-', ' '))
      known.set(sentence, [...(known.get(sentence) ?? []), action])
    }
    // Two jobs that do the same thing share a sentence.
    const shared = [...known.values()].filter((actions) => actions.length > 1)
    expect(shared).to.deep.equal([
      ['bookables.edit', 'bookables.update'],
      ['bookables.unassign', 'bookables.unassign-all'],
    ])
  })

  it('describe who waits for which place, and what each person is offered', async () => {
    const day = 'Mon, 3 Mar 2031, 09:00 to 12:00'
    const wait = {
      bookable_id: null,
      location_id: location,
      type: 0,
      user_id: anna,
      during: at('08:00', '11:00'),
    }
    const offered = { ...wait, offered_bookable_id: desk }
    expect(await said('waits.create', 9, { after: wait })).to.equal(
      `put Anna Bauer on the waitlist for a desk on 3rd floor, ${day}`,
    )
    expect(await said('waits.offer', 9, { before: wait, after: offered })).to.equal(
      `offered Desk 7 to Anna Bauer, ${day}`,
    )
    expect(await said('waits.release', 9, { before: offered, after: wait })).to.equal(
      `withdrew the offer of Desk 7 to Anna Bauer, ${day}`,
    )
    const { user_id: _erased, ...erased } = wait
    expect(await said('waits.create', 9, { after: erased })).to.equal('created waitlist entry 9')
    const forDesk = { ...wait, bookable_id: desk, location_id: null, type: null }
    expect(await said('waits.cancel', 9, { before: forDesk, after: forDesk })).to.equal(
      `took Anna Bauer off the waitlist for Desk 7, ${day}`,
    )
  })

  it('describe moving, extending, shortening, checking in to and releasing a booking', async () => {
    const of = 'the booking of Desk 7 for Anna Bauer'
    const day = 'Mon, 3 Mar 2031'
    const before = booking('08:00', '11:00')
    const update = (after: object) => said('bookings.update', 9, { before, after })
    expect(await update(booking('09:00', '11:00'))).to.equal(
      `moved ${of} from ${day}, 09:00 to 12:00 to ${day}, 10:00 to 12:00`,
    )
    expect(await update(booking('08:00', '12:00'))).to.equal(`extended ${of} to ${day}, 09:00 to 13:00`)
    expect(await update(booking('08:00', '10:00'))).to.equal(`shortened ${of} to ${day}, 09:00 to 11:00`)
    const other = await createBookable(world.database, { location_id: location, name: 'Desk 8' })
    expect(await update(booking('08:00', '11:00', { bookable_id: other }))).to.equal(
      `moved the booking for Anna Bauer from Desk 7 to Desk 8, ${day}, 09:00 to 12:00`,
    )
    expect(
      await said('bookings.create', 9, {
        after: booking('08:00', '11:00', { guest_name: 'Grace', overridden_rules: ['too_long'] }),
      }),
    ).to.equal(
      `booked Desk 7 for Grace, a guest of Anna Bauer, ${day}, 09:00 to 12:00, overriding a rule (too long)`,
    )
    const checkedIn = { before, after: { ...before, checked_in_at: '2031-03-03T08:00:00Z' } }
    expect(await said('bookings.check-in', 9, checkedIn)).to.equal(
      `checked in to ${of}, ${day}, 09:00 to 12:00`,
    )
    expect(await said('bookings.delete', 9, { before })).to.equal(`cancelled ${of}, ${day}, 09:00 to 12:00`)
    const released = { ...booking('08:00', '08:15'), released_at: '2031-03-03T08:15:00Z' }
    expect(await said('bookings.release', 9, { before, after: released })).to.equal(
      `released ${of}, ${day}, 09:00 to 12:00, because nobody checked in`,
    )
    expect(await said('bookings.release', 9, { before })).to.equal(
      `cancelled ${of}, ${day}, 09:00 to 12:00, because they were deactivated`,
    )
    const moved = { before, after: booking('08:00', '11:00', { bookable_id: other }) }
    expect(await said('bookings.move', 9, moved)).to.equal(
      `moved the booking for Anna Bauer from Desk 7 to Desk 8, ${day}, 09:00 to 12:00`,
    )
    expect(await said('bookings.clear', 9, { before })).to.equal(
      `cancelled ${of}, ${day}, 09:00 to 12:00, because of a conflict`,
    )
    expect(await said('bookings.release-away', 9, { before })).to.equal(
      `released the booking of Desk 7, ${day}, 09:00 to 12:00, because Anna Bauer is away`,
    )
    expect(await said('bookings.release-day', 9, { before })).to.equal(
      `released ${of}, ${day}, 09:00 to 12:00, because of another choice for that day`,
    )
    expect(await said('events.move-room', 9, moved)).to.include('from Desk 7 to Desk 8')
    expect(await said('events.clear-room', 9, { before })).to.include('removed Desk 7 from the meeting')
  })

  it('name the desks and places that changed', async () => {
    const row = { id: desk, name: 'Desk 7', location_id: location, status: 0, position_x: null }
    const change = (action: AuditAction, after: object, before: object = row) =>
      said(action, desk, { before, after: { ...row, ...after } })
    expect(await said('bookables.create', desk, { after: row })).to.equal('added Desk 7 in 3rd floor')
    expect(await change('bookables.edit', { status: 1 })).to.equal('blocked Desk 7')
    expect(await change('bookables.update', {}, { ...row, status: 1 })).to.equal('unblocked Desk 7')
    expect(await change('bookables.edit', { type: 2 }, { ...row, type: 0 })).to.equal(
      'changed Desk 7: type desk → meeting room',
    )
    const drawn = {
      before: { name: '3rd floor', plan_shapes: 0 },
      after: { name: '3rd floor', plan_shapes: 1 },
    }
    expect(await said('locations.update', location, drawn)).to.equal(
      'changed 3rd floor: rooms, zones and walls on the floor plan 0 → 1',
    )
    expect(await change('bookables.set-position', { position_x: 0.5 })).to.equal(
      'placed Desk 7 on the floor plan',
    )
    const assignment = { before: { assignees: [] }, after: { assignees: [anna] } }
    expect(await said('bookables.assign', desk, assignment)).to.equal('assigned Desk 7 to Anna Bauer')
    expect(
      await said('bookables.unassign-all', desk, { before: assignment.after, after: assignment.before }),
    ).to.equal('ended the assignment of Desk 7 to Anna Bauer')
    expect(
      await said('bookables.set-rules', desk, {
        before: { rules: {} },
        after: { rules: { minutes_max: 60 } },
      }),
    ).to.equal('changed the rules of Desk 7: longest booking')
    expect(
      await said('locations.set-floor-plan', location, {
        before: {},
        after: { floor_plan_type: 'image/png' },
      }),
    ).to.equal('uploaded the floor plan of 3rd floor')
    expect(await said('locations.create', location, { after: { building_id: building } })).to.equal(
      'added 3rd floor in Harbour House',
    )
  })

  it('describe changes of people, administrators, tokens, series, webhooks and imports', async () => {
    const cases: Array<[AuditAction, number | null, ChangedRows, string]> = [
      [
        'users.deactivate',
        anna,
        { before: { deactivated_at: null }, after: { deactivated_at: 'x' } },
        'deactivated Anna Bauer',
      ],
      [
        'users.import',
        null,
        { after: { filename: 'people.csv', created: 3, updated: 0, deleted: 1, skipped: 4, errors: 2 } },
        'imported people from people.csv: 3 people added, 1 person deactivated, 2 rows refused',
      ],
      [
        'bookables.import',
        null,
        {
          after: {
            location_id: location,
            filename: 'desks.csv',
            created: 3,
            updated: 1,
            skipped: 4,
            errors: 2,
          },
        },
        'imported desks, rooms and parking into 3rd floor from desks.csv: 3 added, 1 changed, 2 rows refused',
      ],
      [
        'users.erase',
        987_654,
        { after: { cancelledBookings: 2 } },
        'erased person 987654, and cancelled 2 bookings',
      ],
      [
        'admins.set-role',
        987_654,
        {
          before: { email: 'eve@example.com', role: 'reader' },
          after: { email: 'eve@example.com', role: 'front-desk' },
        },
        'changed the role of eve@example.com from reader to front desk',
      ],
      [
        'tokens.rotate',
        987_654,
        { after: { overlapSeconds: 86_400 } },
        'created a new secret for the token 987654; the old one works for 24 hours more',
      ],
      [
        'series.create',
        1,
        { after: { repeat: { every: 'week', interval: 2, on: [1, 3], until: '2031-03-31', count: null } } },
        'created a series, every 2 weeks on Mon and Wed until 31 March 2031',
      ],
      ['calendars.create', 987_654, { after: { user_id: anna } }, 'created a calendar address of Anna Bauer'],
      [
        'calendars.delete',
        987_654,
        { before: { bookable_id: desk, user_id: null } },
        'revoked a calendar address of Desk 7',
      ],
      [
        'webhooks.create',
        987_654,
        { after: { url: 'https://example.com/hook' } },
        'created the webhook https://example.com/hook',
      ],
      [
        'webhooks.update',
        987_654,
        {
          before: { url: 'https://example.com/', enabled: true },
          after: { url: 'https://example.com/', enabled: false },
        },
        'changed the webhook https://example.com/: enabled yes → no',
      ],
      [
        'webhooks.send-failed',
        987_654,
        { after: { since: '2031-03-03T08:00:00.000000Z', deliveries: 2 } },
        'resent 2 failed deliveries to the webhook 987654',
      ],
      [
        'visitors.arrive',
        3,
        { after: { booking_id: 987_654 } },
        'recorded that a visitor has arrived for booking 987654',
      ],
      ['webhooks.test', 987_654, { after: { delivery_id: 7 } }, 'sent a test to the webhook 987654'],
      [
        'webhooks.disable',
        987_654,
        { after: { reason: 'No delivery succeeded for five days.' } },
        'switched off the webhook 987654: No delivery succeeded for five days',
      ],
    ]
    for (const [action, id, rows, sentence] of cases)
      expect(await said(action, id, rows), action).to.equal(sentence)
  })

  it('name who was added to an event and who was removed from it', async () => {
    const ben = await createUser(world.database, { name: 'Ben Fischer' })
    const event = { name: 'Planning', during: at('08:00', '09:00'), bookables: [] }
    const guest = { user_id: null, email: 'guest@example.com' }
    const before = { ...event, attendees: [{ id: 1, user_id: anna, email: null }, guest] }
    const after = {
      ...event,
      bookables: [desk],
      attendees: [{ id: 1, user_id: anna, email: null, status: 1 }, { user_id: ben }],
    }
    expect(await said('events.replace', 987_654, { before, after })).to.equal(
      'changed the meeting Planning: rooms none → Desk 7; invited: Ben Fischer; no longer invited: guest@example.com',
    )
    expect(await said('events.cancel', 987_654, { before, after })).to.equal(
      'cancelled the meeting Planning, Mon, 3 Mar 2031, 09:00 to 10:00',
    )
  })

  it('say who answered an invitation, for whom, and how', async () => {
    const answered = (attendee: object) => ({
      before: { attendees: [{ ...attendee, status: 0 }] },
      after: { attendees: [{ ...attendee, status: 2 }] },
    })
    const meeting = await createEvent(world.database, {
      name: 'Planning',
      from: '2031-03-03T08:00:00Z',
      to: '2031-03-03T09:00:00Z',
    })
    expect(
      await said('events.answer', meeting, answered({ user_id: anna, email: null, name: null })),
    ).to.equal('answered the invitation to Planning for Anna Bauer with “maybe”')
    const guest = { user_id: null, email: 'grace@visitor.example', name: 'Grace Hopper' }
    expect(await said('events.answer', meeting, answered(guest))).to.equal(
      'answered the invitation to Planning for Grace Hopper with “maybe”',
    )
  })

  it('describe actions that only another release writes', async () => {
    await note('users.hand-over', anna)
    expect(await sentences()).to.deep.equal(['hand over Anna Bauer'])
  })

  it('can be found by the name of a person, a desk, a place or an administrator', async () => {
    const ben = await createUser(world.database, { name: 'Ben Fischer' })
    const far = await createBookable(world.database, { location_id: location, name: 'Desk 70' })
    await note('users.edit', anna)
    await note('bookables.edit', desk)
    await note('bookables.edit', far)
    await note('bookings.delete', 9, { before: booking('08:00', '09:00') })
    await note('bookings.create', 10, {
      after: booking('08:00', '09:00', { bookable_id: far, user_id: ben }),
    })
    await note('buildings.update', building)
    const admin = await world.database('admins').first('id', 'email')
    await note('admins.enable', admin.id)
    const shown = async (query: Record<string, string>) => {
      await sentences(query)
      return [...browser.page.text.matchAll(/title="([a-z-]+\.[a-z-]+) \d*"/g)].map(([, action]) => action)
    }
    expect(await shown({ about: 'anna BAUER' })).to.deep.equal(['bookings.delete', 'users.edit'])
    expect(await shown({ about: 'Desk 7' })).to.deep.equal([
      'bookings.create',
      'bookings.delete',
      'bookables.edit',
      'bookables.edit',
    ])
    expect(await shown({ about: 'Desk 70' })).to.deep.equal(['bookings.create', 'bookables.edit'])
    expect(await shown({ about: 'harbour' })).to.deep.equal(['buildings.update'])
    expect(await shown({ about: admin.email })).to.deep.equal(['admins.enable'])
    expect(await shown({ about: 'Desk 7', what: 'bookables' })).to.deep.equal([
      'bookables.edit',
      'bookables.edit',
    ])
    expect(await shown({ about: 'anna', name: 'somebody else' })).to.deep.equal([])
    expect(await shown({ about: 'nobody at all' })).to.deep.equal([])
    expect(await shown({ about: ' ' })).to.have.length(7)
    await world.database('audit_log').insert(
      Array.from({ length: 60 }, (_, index) => ({
        actor_type: 'token',
        actor_name: `Kiosk ${index}`,
        action: 'users.edit',
        resource: 'users',
        resource_id: anna,
        request_id: 'r',
      })),
    )
    expect(await shown({ about: 'anna' })).to.have.length(50)
    await browser.follow('Older')
    expect(browser.page.text.match(/title="users\.edit \d+"/g)).to.have.length(11)
  })
})
