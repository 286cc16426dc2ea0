// Reads an answer to an invitation from a mail. Calendar programs send answers as a calendar part with METHOD:REPLY
// (RFC 5546, RFC 6047).
import { ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { AnswerSettings } from '../../../shared/settings/answers.ts'
import type { AnswerOutcome } from './answer-outcomes.ts'
import { isAuthenticated } from './check-sender.ts'
import { type Calendar, type Property, parseCalendar } from './parse-calendar.ts'

export type MailAnswer = {
  messageId: string
  /** The UID of the calendar entry. */
  uid: string
  /**
   * The date of a series that the answer is for. Undefined if it is for all dates or for a meeting outside of series.
   */
  recurrence?: { value: string; timezone: string | undefined }
  /** The address of the attendee who answers, in lower case. */
  email: string
  status: InputOf<'events.answer'>['status']
  /** The SEQUENCE of the invitation that the attendee has answered. */
  sequence: number
  answeredAt: string
}

/** The limit on a calendar part, in characters. Answers of Outlook have about 4,000, most of them for the time zone. */
const CALENDAR_LENGTH_MAX = 256 * 1024

const STATUSES: Record<string, MailAnswer['status']> = {
  ACCEPTED: ATTENDEE_STATUSES.accepted,
  TENTATIVE: ATTENDEE_STATUSES.tentative,
  DECLINED: ATTENDEE_STATUSES.declined,
}

/**
 * Returns the answer in a mail. If the mail has no answer, or may come from somebody other than the attendee, returns
 * an outcome instead.
 */
export async function readAnswer(
  source: Uint8Array,
  { authenticatedBy }: Pick<AnswerSettings, 'authenticatedBy'>,
): Promise<MailAnswer | AnswerOutcome> {
  const { default: PostalMime, addressParser } = await import('postal-mime')
  // Parses a forwarded mail as an attachment, because the sender of this mail did not send the forwarded mail.
  const mail = await PostalMime.parse(source, { forceRfc822Attachments: true }).catch(() => undefined)
  if (!mail) return 'unreadable'
  const calendars = mail.attachments
    .filter(({ mimeType }) => mimeType === 'text/calendar' || mimeType === 'application/ics')
    .map(({ content }) => (typeof content === 'string' ? content : new TextDecoder().decode(content)))
    .map((text) => (text.length <= CALENDAR_LENGTH_MAX ? parseCalendar(text) : undefined))
  const reply = calendars.find((calendar) => calendar?.method === 'REPLY')
  if (!reply) return calendars.includes(undefined) ? 'unreadable' : 'no-answer'
  const senders = mail.headers
    .filter(({ key }) => key === 'from')
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
  const [sender, ...others] = senders.map(({ address = '' }) => address.toLowerCase())
  if (!sender || others.length > 0) return 'forged'
  if (authenticatedBy !== undefined && !isAuthenticated(mail.headers, authenticatedBy, sender))
    return 'unverified'
  return readReply(reply, sender, mail.messageId ?? '')
}

function readReply({ entries }: Calendar, sender: string, messageId: string): MailAnswer | AnswerOutcome {
  const [entry, ...others] = entries
  if (!entry || others.length > 0) return 'unknown'
  const attendee = entry.find(
    ({ name, value }) => name === 'ATTENDEE' && value.trim().toLowerCase() === `mailto:${sender}`,
  )
  if (!attendee) return 'forged'
  const status = STATUSES[attendee.parameters.get('PARTSTAT')?.toUpperCase() ?? '']
  if (status === undefined) return 'no-answer'
  const answeredAt = parseUtcTime(findProperty(entry, 'DTSTAMP')?.value)
  if (answeredAt === undefined) return 'unreadable'
  const sequence = Number.parseInt(findProperty(entry, 'SEQUENCE')?.value ?? '0', 10) || 0
  const recurrence = readRecurrence(entry)
  if (recurrence && !RECURRENCE_ID.test(recurrence.value)) return 'unreadable'
  const uid = findProperty(entry, 'UID')?.value ?? ''
  return { messageId, uid, ...(recurrence && { recurrence }), email: sender, status, sequence, answeredAt }
}

const RECURRENCE_ID = /^\d{8}(T\d{6}Z?)?$/

function readRecurrence(entry: Property[]): MailAnswer['recurrence'] {
  const id = findProperty(entry, 'RECURRENCE-ID')
  return id && { value: id.value.trim(), timezone: id.parameters.get('TZID') }
}

const findProperty = (entry: Property[], wanted: string) => entry.find(({ name }) => name === wanted)

/** Parses a UTC time in the format of calendars. Returns undefined for any other text. */
function parseUtcTime(value = ''): string | undefined {
  const text = value.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const milliseconds = text === value.trim() ? Number.NaN : Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString()
}
