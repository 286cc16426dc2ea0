// The words in the entries of a room's calendar and in refusals, in the language of the room's building.
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import { type Message, message } from '../../../shared/messages/message.ts'

// A building has no language of its own. Its time zone says which one its people read.
const GERMAN_ZONES = new Set([
  'Europe/Berlin',
  'Europe/Busingen',
  'Europe/Vienna',
  'Europe/Zurich',
  'Europe/Vaduz',
])

export const findLanguage = (zone: string): Language => (GERMAN_ZONES.has(zone) ? 'de' : 'en')

export function writeEntryWords(zone: string) {
  const write = (text: Message) => writeInLanguage(findLanguage(zone), text)
  return {
    private: write(message`Private`),
    taken: write(message`Taken`),
    booked: write(message`Booked in Berth.`),
    organizer: write(message`Organizer:`),
  }
}

/** Why Berth declines an entry that somebody else wrote. */
export type DeclineReason = 'conflict' | 'moved' | 'released' | 'cancelled'

type Span = { from: string; to: string }
type Decline = {
  reason: DeclineReason
  zone: string
  /** Why Berth refused the entry, and the rooms that are free instead. Null unless the reason is a conflict. */
  conflict: { message: Message; free_rooms: Array<{ name: string }> } | null
  /** The times that the meeting has in Berth. Null unless the reason is that it was moved. */
  now: Span | null
}

/** Returns the sentence in the language of the building, and the message that the dashboard shows. */
export function writeDecline({ reason, zone, conflict, now }: Decline): { sentence: string; told: Message } {
  const told = describeDecline(reason, zone, conflict?.message, now)
  const names = (conflict?.free_rooms ?? []).map(({ name }) => name).join(', ')
  const sentences = [told, ...(names ? [message`Free at this time: ${names}.`] : [])]
  return { sentence: sentences.map((each) => writeInLanguage(findLanguage(zone), each)).join(' '), told }
}

function describeDecline(
  reason: DeclineReason,
  zone: string,
  refusal: Message | undefined,
  now: Span | null,
): Message {
  if (reason === 'moved' && now) return message`The meeting was moved in Berth: ${{ ...now, zone }}.`
  if (reason === 'cancelled') return message`The meeting was cancelled in Berth.`
  if (reason === 'released') return message`The meeting no longer has this room in Berth.`
  return refusal ?? message`The room is not free.`
}
