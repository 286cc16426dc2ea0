// Reads the settings of the providers of room calendars. The credentials stay in the environment: Berth never stores them
// in the database, a log, a job or a page.
import { existsSync, readFileSync } from 'node:fs'
import type { EnvironmentReader } from './environment.ts'

export type CalendarSettings = NonNullable<ReturnType<typeof readCalendars>>

/** Undefined if no provider has settings. */
export function readCalendars(read: EnvironmentReader) {
  const microsoft = readMicrosoft(read)
  const google = readGoogle(read)
  const caldav = readCalDav(read)
  const settings = {
    microsoft,
    google,
    caldav,
    /** Private addresses and networks that calendar servers may use, although others are refused. */
    allowPrivate: read.networks('CALENDARS_ALLOW_PRIVATE'),
    /** How often Berth looks at a calendar that sends no notifications. */
    pollSeconds: read.integer('CALENDARS_POLL_SECONDS', 300, { min: 10, max: 86_400 }),
    /** Whether the rules of a place also apply to meetings that come from a calendar. */
    appliesRules: read.flag('CALENDARS_RULES'),
    /** Whether Berth writes meetings to the calendars of their organizers, with the rooms as resources. */
    usesOrganizerMailboxes: read.flag('CALENDARS_ORGANIZER_MAILBOXES'),
  }
  return microsoft || google || caldav ? settings : undefined
}

type MicrosoftKey = { clientSecret: string } | { certificate: string; privateKey: string }

function readMicrosoft(read: EnvironmentReader) {
  const tenant = read.text('CALENDARS_MICROSOFT_TENANT', '')
  const clientId = read.text('CALENDARS_MICROSOFT_CLIENT_ID', '')
  const clientSecret = read.text('CALENDARS_MICROSOFT_CLIENT_SECRET', '')
  const certificate = readFileSetting(read, 'CALENDARS_MICROSOFT_CERTIFICATE_FILE')
  const privateKey = readFileSetting(read, 'CALENDARS_MICROSOFT_KEY_FILE')
  if (![tenant, clientId, clientSecret, certificate, privateKey].some(Boolean)) return undefined
  if (!tenant || !clientId)
    read.problem('CALENDARS_MICROSOFT_TENANT and CALENDARS_MICROSOFT_CLIENT_ID must both be set.', undefined)
  const key: MicrosoftKey | undefined = clientSecret
    ? { clientSecret }
    : certificate && privateKey
      ? { certificate, privateKey }
      : undefined
  if (!key)
    return read.problem(
      'Microsoft 365 needs CALENDARS_MICROSOFT_CLIENT_SECRET, or both CALENDARS_MICROSOFT_CERTIFICATE_FILE and CALENDARS_MICROSOFT_KEY_FILE.',
      undefined,
    )
  return {
    credentials: { tenant, clientId, ...key },
    // Other addresses are for national clouds, such as https://graph.microsoft.us.
    graphUrl: read.url('CALENDARS_MICROSOFT_GRAPH_URL', ['https:', 'http:']) || undefined,
    loginUrl: read.url('CALENDARS_MICROSOFT_LOGIN_URL', ['https:', 'http:']) || undefined,
  }
}

type GoogleKeyFile = { client_email?: unknown; private_key?: unknown; private_key_id?: unknown }

function readGoogle(read: EnvironmentReader) {
  const text = readFileSetting(read, 'CALENDARS_GOOGLE_KEY_FILE')
  const subject = read.text('CALENDARS_GOOGLE_SUBJECT', '')
  if (!text) {
    if (subject && !read.text('CALENDARS_GOOGLE_KEY_FILE', ''))
      read.problem('CALENDARS_GOOGLE_SUBJECT is set, and CALENDARS_GOOGLE_KEY_FILE is not.', undefined)
    return undefined
  }
  const { client_email: clientEmail, private_key: privateKey, private_key_id: id } = parseKeyFile(text)
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string')
    return read.problem('CALENDARS_GOOGLE_KEY_FILE must name the JSON key of a service account.', undefined)
  if (!subject)
    return read.problem(
      'CALENDARS_GOOGLE_SUBJECT is not set, and CALENDARS_GOOGLE_KEY_FILE is. Set it to the user in whose name Berth works.',
      undefined,
    )
  return {
    credentials: { clientEmail, privateKey, ...(typeof id === 'string' && { privateKeyId: id }), subject },
  }
}

function parseKeyFile(text: string): GoogleKeyFile {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

function readCalDav(read: EnvironmentReader) {
  const url = read.url('CALENDARS_CALDAV_URL', ['https:', 'http:'])
  const user = read.text('CALENDARS_CALDAV_USER', '')
  const password = read.text('CALENDARS_CALDAV_PASSWORD', '')
  if (!url) {
    const set = user ? 'CALENDARS_CALDAV_USER' : 'CALENDARS_CALDAV_PASSWORD'
    // A wrong address has been reported already.
    if ((user || password) && !read.text('CALENDARS_CALDAV_URL', ''))
      read.problem(`${set} is set, and CALENDARS_CALDAV_URL is not.`, undefined)
    return undefined
  }
  if (!user || !password)
    return read.problem(
      'CALENDARS_CALDAV_URL needs CALENDARS_CALDAV_USER and CALENDARS_CALDAV_PASSWORD.',
      undefined,
    )
  return { url, user, password }
}

function readFileSetting(read: EnvironmentReader, name: string): string {
  const path = read.text(name, '')
  if (!path) return ''
  if (!existsSync(path)) return read.problem(`${name} names a file that does not exist.`, '')
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return read.problem(`${name} names a file that this process may not read.`, '')
  }
}
