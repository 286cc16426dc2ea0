// Writes the text of a mail that lists new answers to an invitation, for the organizer of the meeting.
import { ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { AnswersInMail, NewAnswer } from './answer-mails.ts'
import { formatDay, formatSpan, type MailReader, writeText } from './words.ts'

export function writeAnswersMail(
  meeting: AnswersInMail,
  reader: MailReader,
): { subject: string; text: string } {
  const { eventId, event, zone, from, answers, accepted, tentative, declined, waiting } = meeting
  const { language } = reader
  const say = (text: Message) => writeInLanguage(language, text)
  const day = formatDay(from, zone, language)
  const [first] = answers
  const subject =
    first && answers.length === 1
      ? formatAnswerSubject(first, event, day)
      : message`Answers: ${event} on ${day}`
  const paragraphs = [
    [event, `${formatSpan(meeting, zone, language)} (${zone})`].join('\n'),
    answers.map((each) => say(explainAnswer(each))).join('\n'),
    say(message`Answers so far: ${accepted} yes, ${tentative} maybe, ${declined} no, ${waiting} pending.`),
  ]
  return {
    subject: say(subject),
    text: writeText(paragraphs, [[message`The meeting:`, `/my/meetings/${eventId}`]], reader),
  }
}

function formatAnswerSubject({ name, status }: NewAnswer, event: string, day: string): Message {
  if (status === ATTENDEE_STATUSES.accepted) return message`Accepted: ${name}, ${event} on ${day}`
  if (status === ATTENDEE_STATUSES.tentative) return message`Maybe: ${name}, ${event} on ${day}`
  return message`Declined: ${name}, ${event} on ${day}`
}

function explainAnswer({ name, status }: NewAnswer): Message {
  if (status === ATTENDEE_STATUSES.accepted) return message`${name} will come.`
  return status === ATTENDEE_STATUSES.tentative
    ? message`${name} might come.`
    : message`${name} will not come.`
}
