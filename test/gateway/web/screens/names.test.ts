// Tests what a screen shows about people: never more than its setting and the people allow, neither on the
// page nor in its feed.
import { expect } from 'chai'
import { SHOWN_NAMES } from '../../../../shared/people/shown-names.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createHold,
  createUser,
} from '../../../support/factories.ts'
import { createScreen, followScreen } from '../../../support/screens/screens.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const NAME = 'Quentin Zyx Verborgen'
const INITIALS = 'QZV'
const TITLE = 'Gehaltsrunde mit Quentin'
// Values that appear on no screen, whatever its setting.
const PRIVATE_VALUES = ['quentin@', 'Gast', 'gast@', 'Notiz', 'HH-V']

describe('what a screen shows about people', () => {
  const world = useWorld({ workers: [] })
  let room = 0
  let hidden = 0

  before(async () => {
    const { database } = world
    hidden = await createUser(database, { name: NAME, email: 'quentin@example.com' })
    room = await createBookable(database, { name: 'Aspen', type: 2 })
    const guest = { guest_name: 'Gast', guest_email: 'gast@example.com', booking_info: 'Notiz' }
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    const span = (hour: number) => ({ from: at(hour * 60 - 1), to: at(hour * 60 + 30) })
    await createBooking(database, {
      bookable_id: room,
      user_id: hidden,
      ...span(0),
      booking_info: 'Notiz',
    })
    await createBooking(database, {
      bookable_id: room,
      user_id: hidden,
      ...span(1),
      ...guest,
      license_plate: 'HH-V 1',
    })
    for (const [hours, classification] of [
      [2, 3],
      [3, 1],
      [4, 2],
    ] as const) {
      const event = {
        organizer_user_id: hidden,
        name: `${TITLE} ${classification}`,
        classification,
        ...span(hours),
      }
      const event_id = await createEvent(database, event)
      await createBooking(database, { bookable_id: room, event_id, ...span(hours) })
    }
    await createHold(database, { bookable_id: room, user_id: hidden, ...span(5), ...guest })
  })

  /** Returns everything that the gateway sends to a screen. */
  async function readAll(names: string): Promise<string> {
    const { path } = await createScreen(world.database, { bookable_id: room, names })
    const page = await (await fetch(`${world.url}${path}`)).text()
    const feed = await followScreen(world.url, path)
    await eventually(() => expect(feed.events.map(({ event }) => event)).to.include('content'))
    feed.close()
    const pressed = await fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams({ action: 'book', minutes: '15' }),
    })
    return page + JSON.stringify(feed.events) + (await pressed.text())
  }

  for (const names of SHOWN_NAMES)
    for (const visibility of [undefined, 'everybody', 'groups', 'nobody'] as const) {
      const isShown = visibility === undefined || visibility === 'everybody'
      it(`follows the setting ${names} for a person visible to ${visibility ?? 'all by default'}`, async () => {
        await world.database('person_settings').where({ user_id: hidden }).delete()
        if (visibility) await world.database('person_settings').insert({ user_id: hidden, visibility })
        const all = await readAll(names)
        expect(all.includes(NAME), 'the name').to.equal(isShown && names === 'full')
        expect(all.includes('Quentin'), 'a part of it').to.equal(isShown && names === 'full')
        expect(all.includes(INITIALS), 'the initials').to.equal(isShown && names === 'initials')
        expect(all.includes(`${TITLE} 3`), 'what the meeting is called').to.equal(isShown && names === 'full')
        for (const each of ['1', '2']) expect(all, 'a private meeting').to.not.include(`${TITLE} ${each}`)
        expect(all.includes('Someone')).to.equal(names !== 'none')
        expect(all).to.include('Taken')
        for (const each of PRIVATE_VALUES) expect(all).to.not.include(each)
      })
    }

  it('changes when a person changes their visibility while the screen is on', async () => {
    await world.database('person_settings').where({ user_id: hidden }).delete()
    const { path } = await createScreen(world.database, { bookable_id: room })
    const feed = await followScreen(world.url, path)
    await eventually(() => expect(JSON.stringify(feed.events.at(-1))).to.include(NAME))
    await world.database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    await eventually(
      () =>
        expect(JSON.stringify(feed.events.at(-1)))
          .to.include('Someone')
          .and.not.include(NAME),
      15_000,
    )
    feed.close()
  })
})
