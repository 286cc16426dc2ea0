// The texts of mails: short, and plain text, but for the monthly report.
import { formatRole, isRole } from '../../../shared/administrators/roles.ts'
import type { Mail } from '../../../shared/mail/smtp.ts'
import { PERSON_MAILS, type PersonMail, SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import type { SaidBooking } from './booking-mails.ts'
import type { AskedRequest, Offer } from './hold-mails.ts'
import type { LostRoom } from './lost-rooms.ts'
import { type MonthlyReport, writeMonthlyReport } from './monthly-report.ts'
import type { Reminder } from './reminders.ts'
import { toLanguage } from './words.ts'
import { writeBookingMail } from './write-booking-mail.ts'
import { writeAnswer, writeOffer, writeQuestion, writeReminder } from './write-person-mail.ts'

type MailKind = 'invitation' | 'password' | 'webhook-disabled' | 'arrival' | 'sign-in'

export type DueMail = {
  id: number
  /** A mail with a report has none of these. */
  kind: MailKind | PersonMail
  message: string
  /** How often a process has taken it. */
  attempts: number
  /** How often the server has refused it. */
  tries: number
  /** Null if it goes to the host of a visitor. */
  adminId: number | null
  email: string
  /** The person to whom it goes on their own pages; null if it goes to somebody else. */
  userId: number | null
  personLanguage: string
  role: string | null
  /** Expiry of the link that the page shows; null if there is none. */
  linkUntil: string | null
  /** The visitor who has arrived, when, on the clocks of the building, and for what; an event or none. */
  arrival: { visitor: string; event: string | null; at: string | null; building: string | null } | null
  webhook: { id: number; url: string; description: string; reason: string } | null
  report: MonthlyReport | undefined
  /** What a mail tells a person about their bookings, or what they can book. */
  about:
    | { bookings: SaidBooking[]; lostRooms: LostRoom[] }
    | { reminder: Reminder }
    | { offer: Offer }
    | { request: AskedRequest; secret?: string }
    | undefined
  /** Who changed the bookings, and of which database they are. */
  actor: string | null
  database: string
  /** The secret of the link in this mail. */
  secret: string | undefined
}

export function composeMail(
  due: DueMail,
  { publicUrl, from }: Pick<MailSettings, 'publicUrl' | 'from'>,
): Mail {
  const { email: to, message, kind, report, about } = due
  if (about) return { to, message, ...writeAbout(due, about, { publicUrl, from }) }
  if (report) return { to, message, ...writeMonthlyReport(report, publicUrl) }
  if (isPersonMail(kind)) throw new Error(`A mail about nothing: ${due.id}`)
  return { to, message, ...CONTENTS[kind](due, publicUrl) }
}

const isPersonMail = (kind: DueMail['kind']): kind is PersonMail =>
  (PERSON_MAILS as readonly string[]).includes(kind)

function writeAbout(
  due: DueMail,
  about: NonNullable<DueMail['about']>,
  settings: Pick<MailSettings, 'publicUrl' | 'from'>,
) {
  const reader = { language: toLanguage(due.personLanguage), publicUrl: settings.publicUrl }
  if ('bookings' in about) return writeBookingMail({ ...due, ...about }, reader, settings.from)
  if ('offer' in about) return writeOffer(about.offer, reader)
  if ('reminder' in about) return writeReminder(about.reminder, reader)
  const { request, secret } = about
  return secret === undefined ? writeAnswer(request, reader) : writeQuestion(request, secret, reader)
}

type Content = { subject: string; text: string }

const CONTENTS: Record<MailKind, (due: DueMail, publicUrl: string) => Content> = {
  invitation: (due, publicUrl) => ({
    subject: 'You are invited to Berth',
    text: lines(
      `You are invited to the dashboard of Berth at ${publicUrl}/dashboard${asRole(due)}.`,
      `Choose your password here. The link works once, until ${formatUntil(due)}:`,
      linkOf(due, publicUrl),
      'If you did not expect this mail, you can ignore it.',
    ),
  }),
  password: (due, publicUrl) => ({
    subject: 'Choose a new password for Berth',
    text: lines(
      `An owner of the dashboard of Berth at ${publicUrl}/dashboard sends you this link to a new password.`,
      `It works once, until ${formatUntil(due)}. Your present password works until you use it:`,
      linkOf(due, publicUrl),
      'If you did not ask for it, you can ignore this mail.',
    ),
  }),
  'webhook-disabled': ({ webhook }, publicUrl) => ({
    subject: 'Berth has switched off a webhook',
    text: lines(
      `Berth has switched off the webhook ${nameOf(webhook)}. ${webhook?.reason ?? ''}`.trim(),
      'It receives no changes until somebody switches it on again:',
      `${publicUrl}/dashboard/integrations/webhooks/${webhook?.id}`,
    ),
  }),
  'sign-in': ({ secret, personLanguage }, publicUrl) => {
    const { subject, text } = SIGN_IN[personLanguage === 'de' ? 'de' : 'en']
    return { subject, text: lines(text.open, `${publicUrl}/my/sign-in/link?token=${secret}`, text.ignore) }
  },
  arrival: ({ arrival }, publicUrl) => ({
    subject: 'Your visitor has arrived',
    text: lines(
      `${arrival?.visitor} has arrived${arrival?.at ? ` at ${arrival.at}, ${arrival.building}` : ''}.`,
      ...(arrival?.event ? [`Meeting: ${arrival.event}`] : []),
      `The front desk of Berth at ${publicUrl}/dashboard sends you this mail.`,
    ),
  }),
}

const SIGN_IN = {
  en: {
    subject: 'Sign in to Berth',
    text: {
      open: `Open this link to sign in. It works once, within ${SIGN_IN_LINK_MINUTES} minutes:`,
      ignore: 'If you did not ask for it, you can ignore this mail. Nobody can sign in without the link.',
    },
  },
  de: {
    subject: 'Anmelden bei Berth',
    text: {
      open: `Öffnen Sie diesen Link, um sich anzumelden. Er gilt einmal, ${SIGN_IN_LINK_MINUTES} Minuten lang:`,
      ignore:
        'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link kann sich niemand anmelden.',
    },
  },
}

const lines = (...paragraphs: string[]) => `${paragraphs.join('\n\n')}\n`

const linkOf = ({ secret }: DueMail, publicUrl: string) => `${publicUrl}/dashboard/password?token=${secret}`

const asRole = ({ role }: DueMail) =>
  role !== null && isRole(role) ? ` as ${formatRole(role).toLowerCase()}` : ''

// The path of an address may contain a secret, so only the host is shown.
const nameOf = (webhook: DueMail['webhook']) =>
  webhook ? webhook.description || new URL(webhook.url).host : ''

// The reader's time zone is unknown, so the time is in UTC.
function formatUntil({ linkUntil }: DueMail): string {
  const instant = new Date(linkUntil ?? 0)
  const day = instant.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return `${day}, ${instant.toISOString().slice(11, 16)} UTC`
}
