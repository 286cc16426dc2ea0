// The texts of reminders and of offers, in the person's language.
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { message } from '../../../shared/messages/message.ts'
import type { Offer } from './hold-mails.ts'
import type { Reminder } from './reminders.ts'
import { formatSpan, formatTime, type Reader, writeText } from './words.ts'

export function writeReminder({ name, place, zone, until, ...span }: Reminder, reader: Reader) {
  const { language } = reader
  const by = formatTime(until, zone, language)
  return {
    subject: writeIn(language, message`Check in by ${by}: ${name}`),
    text: writeText(
      [
        writeIn(language, message`Please check in by ${by}. Otherwise others can book your place.`),
        `${name}\n${place}\n${formatSpan(span, zone, language)}`,
      ],
      [[message`Check in here:`, '/my']],
      reader,
    ),
  }
}

export function writeOffer({ name, place, zone, until, ...span }: Offer, reader: Reader) {
  const { language } = reader
  const by = formatTime(until, zone, language)
  return {
    subject: writeIn(language, message`Free for you until ${by}: ${name}`),
    text: writeText(
      [
        writeIn(
          language,
          message`A place that you wait for is free. You can take it until ${by}; then the next person is offered it.`,
        ),
        `${name}\n${place}\n${formatSpan(span, zone, language)}`,
      ],
      [[message`Take it, or leave it to the next:`, '/my/waits']],
      reader,
    ),
  }
}
