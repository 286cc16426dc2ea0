// Writes the texts of mails about reminders, offers and requests, in the person's language.
import { getActorRole } from '../../../shared/audit/actors.ts'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { Offer, RequestInMail } from './hold-mails.ts'
import type { Reminder } from './reminders.ts'
import { describeBookedPlace, formatDay, formatTime, type MailReader, writeText } from './words.ts'

export function writeReminder(reminder: Reminder, reader: MailReader) {
  const { language } = reader
  const { name, zone, until } = reminder
  const by = formatTime(until, zone, language)
  return {
    subject: writeInLanguage(language, message`Check in by ${by}: ${name}`),
    text: writeText(
      [
        writeInLanguage(language, message`Please check in by ${by}. Otherwise others can book your place.`),
        describeBookedPlace(reminder, language).join('\n'),
      ],
      [[message`Check in here:`, '/my']],
      reader,
    ),
  }
}

export function writeOffer(offer: Offer, reader: MailReader) {
  const { language } = reader
  const { name, zone, until } = offer
  const by = formatTime(until, zone, language)
  return {
    subject: writeInLanguage(language, message`Available for you until ${by}: ${name}`),
    text: writeText(
      [
        writeInLanguage(
          language,
          message`A place on your waitlist is free. You can take it until ${by}. After that, it is offered to the next person.`,
        ),
        describeBookedPlace(offer, language).join('\n'),
      ],
      [[message`Accept or decline the offer:`, '/my/waits']],
      reader,
    ),
  }
}

/** Writes the mail to a person who may approve a request. */
export function writeApprovalRequest(request: RequestInMail, secret: string, reader: MailReader) {
  const { language } = reader
  const { asker, name, from, until, zone, title } = request
  const day = formatDay(from, zone, language)
  const by = `${formatDay(until, zone, language)}, ${formatTime(until, zone, language)}`
  return {
    subject: writeInLanguage(language, message`${asker} requests ${name} on ${day}`),
    text: writeText(
      [
        writeInLanguage(
          language,
          title === null
            ? message`${asker} is requesting a place. It is booked as soon as you approve the request.`
            : message`${asker} is requesting a room for a meeting. It is booked with everybody as soon as you approve the request.`,
        ),
        describeRequest(request, reader),
        writeInLanguage(language, message`If nobody decides by ${by}, the request lapses.`),
      ],
      [
        [message`Approve or decline, without signing in:`, `/my/requests/decide?token=${secret}`],
        [message`All requests:`, '/my/requests'],
      ],
      reader,
    ),
  }
}

/** Writes the mail to the requester of a request that ended without a booking. */
export function writeRequestOutcome(request: RequestInMail, reader: MailReader) {
  const { language } = reader
  const { state, name, from, zone, reason, decider, isByPerson, eventId } = request
  const day = formatDay(from, zone, language)
  const who = decider ?? writeInLanguage(language, getActorRole(isByPerson ? 'user' : 'admin'))
  const own: [Message, string] =
    eventId === null
      ? [message`Your requests:`, '/my/requests']
      : [message`Your meeting:`, `/my/meetings/${eventId}`]
  return {
    subject: writeInLanguage(language, formatOutcome(state, name, day)),
    text: writeText(
      [
        writeInLanguage(language, explainOutcome(state, who)),
        ...(reason === null ? [] : [writeInLanguage(language, message`Reason: ${reason}`)]),
        describeRequest(request, reader),
      ],
      [own],
      reader,
    ),
  }
}

export function formatOutcome(state: RequestInMail['state'], name: string, day: string): Message {
  if (state === 'approved') return message`Approved: ${name} on ${day}`
  return state === 'declined' ? message`Declined: ${name} on ${day}` : message`Not booked: ${name} on ${day}`
}

function explainOutcome(state: RequestInMail['state'], who: string): Message {
  if (state === 'approved') return message`${who} has approved your request. The meeting is booked.`
  if (state === 'declined') return message`${who} has declined your request.`
  return state === 'lapsed'
    ? message`Nobody decided on your request in time.`
    : message`Your request is void: the place can no longer be booked at that time.`
}

function describeRequest(request: RequestInMail, { language }: MailReader) {
  const { guest, info, title, people } = request
  const lines = [
    ...(title === null ? [] : [writeInLanguage(language, message`Meeting: ${title}`)]),
    ...describeBookedPlace(request, language),
    ...(people.length === 0 ? [] : [writeInLanguage(language, message`With: ${people.join(', ')}`)]),
    ...(guest === null ? [] : [writeInLanguage(language, message`Guest: ${guest}`)]),
    ...(info === null ? [] : [writeInLanguage(language, message`Purpose: ${info}`)]),
  ]
  return lines.join('\n')
}
