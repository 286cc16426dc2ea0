// The texts of reminders, of offers and about requests, in the person's language.
import { roleOfActor } from '../../../shared/audit/actors.ts'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { AskedRequest, Offer } from './hold-mails.ts'
import type { Reminder } from './reminders.ts'
import { describePlaced, formatDay, formatTime, type Reader, writeText } from './words.ts'

export function writeReminder(reminder: Reminder, reader: Reader) {
  const { language } = reader
  const { name, zone, until } = reminder
  const by = formatTime(until, zone, language)
  return {
    subject: writeIn(language, message`Check in by ${by}: ${name}`),
    text: writeText(
      [
        writeIn(language, message`Please check in by ${by}. Otherwise others can book your place.`),
        describePlaced(reminder, language).join('\n'),
      ],
      [[message`Check in here:`, '/my']],
      reader,
    ),
  }
}

export function writeOffer(offer: Offer, reader: Reader) {
  const { language } = reader
  const { name, zone, until } = offer
  const by = formatTime(until, zone, language)
  return {
    subject: writeIn(language, message`Free for you until ${by}: ${name}`),
    text: writeText(
      [
        writeIn(
          language,
          message`A place that you wait for is free. You can take it until ${by}; then the next person is offered it.`,
        ),
        describePlaced(offer, language).join('\n'),
      ],
      [[message`Take it, or leave it to the next:`, '/my/waits']],
      reader,
    ),
  }
}

/** To somebody who may approve it. */
export function writeQuestion(request: AskedRequest, secret: string, reader: Reader) {
  const { language } = reader
  const { asker, name, from, until, zone } = request
  const day = formatDay(from, zone, language)
  const by = `${formatDay(until, zone, language)}, ${formatTime(until, zone, language)}`
  return {
    subject: writeIn(language, message`${asker} asks for ${name} on ${day}`),
    text: writeText(
      [
        writeIn(language, message`${asker} asks for a place. It is booked as soon as you approve it.`),
        describeRequest(request, reader),
        writeIn(language, message`If nobody decides by ${by}, the request lapses.`),
      ],
      [
        [message`Approve or decline, without signing in:`, `/my/requests/decide?token=${secret}`],
        [message`All requests:`, '/my/requests'],
      ],
      reader,
    ),
  }
}

/** To the person who asked, if there is no booking. */
export function writeAnswer(request: AskedRequest, reader: Reader) {
  const { language } = reader
  const { state, name, from, zone, reason, decider, isByPerson } = request
  const day = formatDay(from, zone, language)
  const who = decider ?? writeIn(language, roleOfActor(isByPerson ? 'user' : 'admin'))
  const isDeclined = state === 'declined'
  return {
    subject: writeIn(
      language,
      isDeclined ? message`Declined: ${name} on ${day}` : message`Not booked: ${name} on ${day}`,
    ),
    text: writeText(
      [
        writeIn(language, isDeclined ? message`${who} has declined your request.` : explainEnd(state)),
        ...(reason === null ? [] : [writeIn(language, message`Reason: ${reason}`)]),
        describeRequest(request, reader),
      ],
      [[message`Your requests:`, '/my/requests']],
      reader,
    ),
  }
}

const explainEnd = (state: AskedRequest['state']): Message =>
  state === 'lapsed'
    ? message`Nobody decided on your request in time.`
    : message`Your request is void: the place cannot be booked then any more.`

function describeRequest(request: AskedRequest, { language }: Reader) {
  const { guest, info } = request
  const lines = [
    ...describePlaced(request, language),
    ...(guest === null ? [] : [writeIn(language, message`Guest: ${guest}`)]),
    ...(info === null ? [] : [writeIn(language, message`Purpose: ${info}`)]),
  ]
  return lines.join('\n')
}
