// Creates meetings with invitations, and reads the mails about them that a test SMTP server receives.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { parseCalendar } from '../../../gateway/api/rest/calendars/parse-icalendar.ts'
import { createBookable, createBuilding, createLocation, hoursFromNow } from '../../../support/factories.ts'
import { useClient } from '../../../support/world.ts'
import type { ReceivedMail } from './smtp-server.ts'
import { useMails } from './use-mails.ts'

export function useMeetings() {
  const mails = useMails()
  const { world, createPerson } = mails
  const client = useClient(world, 'booking-write', 'read')
  let guests = 0
  let slot = 48
  const nextTimes = () => {
    slot += 3
    return { from_time: hoursFromNow(slot), to_time: hoursFromNow(slot + 1) }
  }

  type Settings = Parameters<typeof createPerson>[0]
  /** Creates an organizer, a colleague with these settings, a guest's address, and a free room. */
  async function createScene(settings: Settings = {}, settingsOfOrganizer: Settings = {}) {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Asia/Kolkata' })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const room = await createBookable(database, {
      location_id,
      type: BOOKABLE_TYPES.meetingRoom,
      name: 'Lagoon',
    })
    return {
      organizer: await createPerson(settingsOfOrganizer),
      colleague: await createPerson(settings),
      guest: `guest-${++guests}@visitor.example`,
      location_id,
      room,
      times: nextTimes(),
    }
  }

  async function invite(
    { organizer, colleague, guest, room, times }: Awaited<ReturnType<typeof createScene>>,
    changes: object = {},
  ): Promise<number> {
    const body = {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      attendees: [
        { type: 'user', id: colleague.user_id },
        { type: 'visitor', email: guest, name: 'Grace Hopper' },
        { type: 'bookable', id: room },
      ],
      ...times,
      ...changes,
    }
    const made = await client.post('events?invite=true', body)
    expect(made.status, made.text).to.equal(200)
    return made.json.data.id
  }
  const change = async (id: number, body: object) => {
    const { status, text } = await client.patch(`events/${id}`, body)
    expect(status, text).to.equal(200)
  }

  return { ...mails, client, nextTimes, createScene, invite, change }
}

/** Returns what a calendar program reads in the mail. */
export function entryOf(mail: ReceivedMail | undefined) {
  const calendar = parseCalendar(mail?.calendar ?? expect.fail('The mail has no calendar part'))
  const [event] = calendar.components
  const file = (mail?.calendar ?? '').replace(/\r\n /g, '')
  return {
    method: calendar.properties.get('METHOD'),
    uid: event?.properties.get('UID'),
    sequence: Number(event?.properties.get('SEQUENCE')),
    status: event?.properties.get('STATUS'),
    organizer: /^ORGANIZER.*$/m.exec(file)?.[0].trim(),
    attendees: file.match(/^ATTENDEE.*$/gm)?.map((line) => line.trim()) ?? [],
  }
}
