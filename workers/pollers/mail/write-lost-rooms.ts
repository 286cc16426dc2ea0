// Writes the text of a mail to an organizer whose meetings have lost their rooms, in the organizer's language.
import { getActorRole } from '../../../shared/audit/actors.ts'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import { countedMessage, type Message, message } from '../../../shared/messages/message.ts'
import type { LostRoom } from './lost-rooms.ts'
import { findPlaceReason } from './place-reasons.ts'
import { formatDay, formatSpan } from './words.ts'

export function formatLostRoomsSubject(rooms: LostRoom[], language: Language): string {
  const [first] = rooms
  if (!first) throw new Error('A mail about no rooms')
  const meetings = new Set(rooms.map(({ eventId }) => eventId)).size
  if (meetings > 1)
    return writeInLanguage(
      language,
      countedMessage(meetings, '# meeting has lost its room', '# meetings have lost their rooms'),
    )
  const day = formatDay(first.from, first.zone, language)
  return writeInLanguage(
    language,
    first.now.length > 0
      ? message`New room: ${first.event} on ${day}`
      : message`Meeting without a room: ${first.event} on ${day}`,
  )
}

export const describeLostRooms = (rooms: LostRoom[], actor: string | null, language: Language): string[] =>
  rooms.flatMap((room) => {
    const { event, name, place, zone, isZoneNamed, now, ...span } = room
    const reason = findPlaceReason(room)
    const when = `${formatSpan(span, zone, language)}${isZoneNamed ? ` (${zone})` : ''}`
    return [
      writeInLanguage(language, explainLostRoom(room, actor)),
      ...(reason ? [writeInLanguage(language, reason)] : []),
      [
        event,
        when,
        ...(now.length > 0 ? [writeInLanguage(language, message`Now in: ${now.join(', ')}`)] : []),
        writeInLanguage(language, message`Before: ${`${name}, ${place}`}`),
      ].join('\n'),
    ]
  })

function explainLostRoom({ isNoShow, now }: LostRoom, actor: string | null): Message {
  if (isNoShow) return message`Nobody checked in, so others can book the room of your meeting now.`
  const who = getActorRole(actor)
  return now.length > 0
    ? message`${who} has moved your meeting to another room.`
    : message`${who} has removed the room from your meeting.`
}

/** Returns links to the pages of the meetings. Each page offers other rooms. */
export function createMeetingLinks(rooms: LostRoom[]): Array<readonly [Message, string]> {
  const meetings = new Map(rooms.map((room) => [room.eventId, room]))
  return [...meetings.values()].map(({ eventId, event, now }) => [
    now.length > 0 ? message`Your meeting “${event}”:` : message`Choose another room for “${event}”:`,
    `/my/meetings/${eventId}`,
  ])
}
