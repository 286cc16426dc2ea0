// Decides what is shown of a failure: its kind, the parts known to contain no personal data, and where in the
// code it occurred. The message itself may quote user input; the log has it under the request_id of the job.
import { joinMessages, literal, type Message, message } from '../../../../shared/messages/message.ts'
import { formatMessage } from '../../locales/translate.ts'

const TABLES =
  'admins|audit_log|bookable_assignees|bookables|bookings|buildings|event_attendees|events|file_chunks|files|' +
  'group_members|groups|idempotency_keys|jobs|locations|receipts|sessions|tokens|users|vehicles'
// Our own messages, which contain no personal data.
const OWN = [
  message`Its workers stopped responding`,
  message`The id of the job is not that of its attempt`,
  message`There is no job`,
  message`Left undone: its deadline has passed`,
  message`Left undone: its caller has already been told that it failed`,
  message`Left undone: it was called off`,
  message`Not a valid payload`,
]
// Messages of BullMQ, Postgres and the system.
const KNOWN = [
  new RegExp(`\\b(?:INSERT INTO|UPDATE|DELETE FROM) "?(?:${TABLES})\\b`, 'i'),
  /job stalled more than allowable limit/,
  /deadlock detected/,
  /canceling statement due to (?:statement|lock) timeout/,
  /could not serialize access/,
  /Connection terminated(?: unexpectedly| due to connection timeout)?/,
  /ECONN(?:REFUSED|RESET)|ETIMEDOUT|ENOTFOUND/,
  /Timeout acquiring a connection/,
  /terminating connection due to [\w -]+/,
  /duplicate key value violates unique constraint "\w+"/,
  /violates (?:check|exclusion|foreign key|not-null) constraint(?: "\w+")?/,
]
const KIND = /^([A-Z]\w{0,40}(?:Error|Refusal)|error)\b/
const FRAME =
  /^\s*at (?:async )?((?:new )?[\w.$<>]{1,80} )?\(?.{0,300}?((?:[\w-]+\/){0,3}[\w.-]+\.[cm]?[jt]s:\d+)/
const FRAMES_MAX = 12

/** The first line says what failed, the others where. */
export function maskFailure(text: string): string {
  const frames = framesOf(text).map(({ name, source }) => `    at ${name}${name ? `(${source})` : source}`)
  return [formatMessage(reasonOf(text)), ...frames].join('\n')
}

/** One line, identical for failures of the same kind, which are counted by it. */
export function reasonOf(text: string): Message {
  // Workers wrap errors that BullMQ must not retry.
  const kind = KIND.exec(text.replace(/^UnrecoverableError: /, ''))?.[1]
  const known = KNOWN.map((each) => each.exec(text)?.[0].replaceAll('"', ''))
  const words = [kind === 'error' ? 'DatabaseError' : kind, ...known].filter((each) => each !== undefined)
  const told = [...words.map(literal), ...OWN.filter((own) => text.includes(own.text))]
  return told.length > 0 ? joinMessages(told, ': ') : message`Unknown failure (see the log)`
}

/** The place in our own code. Errors from libraries often lack their caller. */
export function sourceOf(text: string): string | undefined {
  return framesOf(text).find(({ source }) => /^(workers|shared|gateway)\//.test(source))?.source
}

function framesOf(text: string): Array<{ name: string; source: string }> {
  const found = text.split('\n').flatMap((line) => {
    const [, name = '', source = ''] = FRAME.exec(line) ?? []
    const own = /(?:workers|shared|gateway)\/.*$/.exec(source)
    return source ? [{ name, source: own?.[0] ?? source }] : []
  })
  return found.slice(0, FRAMES_MAX)
}
